//! What the driver loop is told.

use crate::shared::OUTPUT_HEADER;

/// The driver's job, as its C declares it.
#[repr(C)]
pub struct Job {
    /// The function under test.
    pub target: *mut libc::c_void,
    /// The ring of input records.
    pub inputs: *const u8,
    /// The ring of output records.
    pub outputs: *mut u8,
    /// The first record.
    pub first: u64,
    /// The record behind the last one.
    pub count: u64,
    /// Where the loop says which record it is at.
    pub progress: *const u64,
    /// MXCSR with which calls start.
    pub mxcsr: u32,
    /// The x87 control word with which calls start.
    pub x87: u16,
    /// After how many calls the x87 status is read; 0 for never.
    pub x87_block: u8,
    /// Whether it is stored instead, to be looked at behind a block.
    pub is_recorded: u8,
    /// Whether each record is called with [`crate::shared::TIMED_CALLS`] times, and nothing is read.
    pub is_timed: u8,
    /// Watched status bits, in the processor's order.
    pub watched: u32,
    /// What stands in lanes that no argument occupies.
    pub filling: u64,
    /// The byte that says that a call panicked; null where nothing says so.
    pub panicked: *mut u8,
}

const _: () = assert!(OUTPUT_HEADER >= 8, "the driver puts MXCSR and two x87 words there");

/// The driver loop's entry.
pub type Drive = unsafe extern "C" fn(*mut Job);
