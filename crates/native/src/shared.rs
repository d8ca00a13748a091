//! The memory that a worker shares with its parent: a header, a trace buffer, a ring of inputs and one of outputs.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::sync::atomic::{AtomicU32, AtomicU64};

use memmap2::MmapRaw;

use crate::NativeError;

/// Bytes before each output record: the status bits of the call, padded to keep records aligned.
pub const OUTPUT_HEADER: usize = 16;
/// Calls of a block, which share the cost of reading their statuses or of looking at them.
pub const BLOCK: u8 = 16;
/// How often in a row each record is called with where calls are timed: what the loop does between records is a small part then.
pub const TIMED_CALLS: u32 = 16;
/// Bits of the x87 status word: a value on the stack, or one that ran over or under.
pub const X87_BROKEN: u16 = 0x3840;
/// The bit of a record's status that says that the call panicked: none of a processor's.
pub const PANICKED: u32 = 1 << 31;
/// The symbol of a byte that code under test sets where a call panicked and was caught.
pub const PANICKED_SYMBOL: &str = "labrys_panicked";
/// Events that one trace holds at most.
pub const MAX_EVENTS: usize = 10_000;
/// Records of one batch at most.
const MAX_RECORDS: usize = 4096;
/// Bytes that the rings of one batch take at most, so that records of large arrays make smaller batches.
const MAX_RING: usize = 64 << 20;

/// The fixed part. Both processes see it; each field has one writer.
#[repr(C)]
pub struct Header {
    /// The record that the runner is at. Written by the driver loop.
    pub progress: AtomicU64,
    /// Whether the runner has taken the command: 1, else 0. Written by the runner, reset by the worker.
    pub accepted: AtomicU64,
    /// Events in the trace buffer. Written by the tracer.
    pub events: AtomicU64,
    /// How long the driver loop took for the last batch. Written by the runner.
    pub busy_nanoseconds: AtomicU64,
    /// What is added to the library's own addresses. Written once, before the first batch.
    pub base: AtomicU64,
    /// MXCSR and the x87 control word after loading. Written once, before the first batch.
    pub mxcsr: AtomicU32,
    /// See `mxcsr`.
    pub x87: AtomicU32,
}

/// One event as the tracer writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawEvent {
    /// The instruction's absolute address.
    pub address: u64,
    /// The nearest address inside the library: the instruction's own, or that of the call that led to it.
    pub inside: u64,
    /// The record that was run.
    pub record: u64,
    /// The status bits that it raised, in the processor's order.
    pub status: u32,
    /// Whether `inside` is what it says; else it is the function under test.
    pub located: u32,
}

const EVENTS_OFFSET: usize = 4096;

/// The shared memory of one worker.
pub struct Shared {
    map: MmapRaw,
    /// The parent's; in the worker the mapping alone is left, out of the reach of code that writes to any descriptor.
    file: Option<File>,
    /// Bytes of one input record.
    pub input_stride: usize,
    /// Bytes of one output record with its header.
    pub output_stride: usize,
    /// Records that one batch holds.
    pub capacity: usize,
}

/// Bytes from one input record to the next, and from one output record to the next.
pub fn strides(input_size: usize, output_size: usize) -> (usize, usize) {
    (input_size.max(16), output_size + OUTPUT_HEADER)
}

impl Shared {
    fn rings(input_size: usize, output_size: usize) -> (usize, usize, usize, usize) {
        let (input_stride, output_stride) = strides(input_size, output_size);
        let capacity = (MAX_RING / (input_stride + output_stride)).clamp(1, MAX_RECORDS);
        let size = Self::inputs_offset() + capacity * (input_stride + output_stride);
        (input_stride, output_stride, capacity, size)
    }

    fn inputs_offset() -> usize {
        (EVENTS_OFFSET + MAX_EVENTS * size_of::<RawEvent>()).next_multiple_of(4096)
    }

    /// New shared memory for records of these sizes.
    pub fn create(input_size: usize, output_size: usize) -> Result<Shared, NativeError> {
        let system = |source| NativeError::System { what: "cannot make shared memory", source };
        let (input_stride, output_stride, capacity, size) = Self::rings(input_size, output_size);
        // SAFETY: the name is a C string; the result is checked before it is owned.
        let descriptor = unsafe { libc::memfd_create(c"labrys".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(system(std::io::Error::last_os_error()));
        }
        // SAFETY: `descriptor` was just made and belongs to nobody else.
        let file = unsafe { File::from_raw_fd(descriptor) };
        file.set_len(size as u64).map_err(system)?;
        let map = MmapRaw::map_raw(&file).map_err(system)?;
        Ok(Shared { map, file: Some(file), input_stride, output_stride, capacity })
    }

    /// The same memory in the worker.
    pub fn open(descriptor: RawFd, input_size: usize, output_size: usize) -> Result<Shared, NativeError> {
        let system = |source| NativeError::System { what: "cannot map shared memory", source };
        let (input_stride, output_stride, capacity, _) = Self::rings(input_size, output_size);
        // SAFETY: the parent passes a descriptor that it made for this process; nobody else here uses it.
        let file = unsafe { File::from_raw_fd(descriptor) };
        let map = MmapRaw::map_raw(&file).map_err(system)?;
        Ok(Shared { map, file: None, input_stride, output_stride, capacity })
    }

    /// The descriptor to hand to the worker; -1 in the worker itself.
    pub fn descriptor(&self) -> RawFd {
        self.file.as_ref().map_or(-1, File::as_raw_fd)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        // SAFETY: the mapping is page-aligned, larger than a header, lives as long as `self`, and all fields are atomics.
        unsafe { &*self.map.as_ptr().cast::<Header>() }
    }

    /// The trace buffer, [`MAX_EVENTS`] long.
    pub fn events(&self) -> *mut RawEvent {
        // SAFETY: the offset is inside the mapping.
        unsafe { self.map.as_mut_ptr().add(EVENTS_OFFSET).cast() }
    }

    /// The first input record.
    pub fn inputs(&self) -> *mut u8 {
        // SAFETY: the offset is inside the mapping.
        unsafe { self.map.as_mut_ptr().add(Self::inputs_offset()) }
    }

    /// The first output record's header.
    pub fn outputs(&self) -> *mut u8 {
        // SAFETY: the input ring ends inside the mapping.
        unsafe { self.inputs().add(self.capacity * self.input_stride) }
    }
}
