//! What holds on every processor.
//!
//! **Claim.** Flags are those of the call: the loop clears them by `fenv.h` before it and reads them behind it. Every call
//! starts with the control registers that loading left, or with C's default environment: `fesetenv` puts back what a call
//! changed. Traces are empty, and incomplete unless nothing was raised.
//!
//! **What it may miss.** Unused lanes of vector registers hold whatever they held; only the stack and new heap memory are filled
//! for a confirmation. No library function is named, and no operator.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::path::Path;

use super::control::Control;
use super::traces::TracingSupport;
use super::x87_reading::X87Reading;
use crate::Startup;
use crate::job::{Drive, Job};
use crate::library::Library;
use crate::protocol::Command;
use crate::shared::Shared;

unsafe extern "C" {
    fn fesetenv(environment: *const c_void) -> c_int;
}

/// C's `FE_DFL_ENV`, which is this in glibc and in musl.
const DEFAULT_ENVIRONMENT: *const c_void = std::ptr::without_provenance(usize::MAX);

/// Puts this thread, whose state runners inherit, in the state that every call starts with, and says which that is.
///
/// # Errors
///
/// Where that state cannot be set, the reason.
pub fn start(startup: Startup) -> Result<Control, String> {
    match startup {
        Startup::Loaded => {}
        Startup::Default => {
            // SAFETY: the pointer is the constant that stands for the default environment, and is not followed.
            unsafe { fesetenv(DEFAULT_ENVIRONMENT) };
        }
        Startup::Ftz => return Err("flush-to-zero cannot be switched on for this processor".to_owned()),
    }
    // Bits from computing: where they stand in control registers is each processor's own.
    let flushes_results = black_box(f64::MIN_POSITIVE) * black_box(0.5) == 0.0;
    let flushes_operands = black_box(f64::from_bits(1)) * black_box(f64::MAX) == 0.0;
    let bits = if flushes_results { Control::FTZ } else { 0 } | if flushes_operands { Control::DAZ } else { 0 };
    Ok(Control::flushing(bits))
}

/// Words for the driver loop's compiler: none.
pub fn driver_flags() -> Vec<&'static str> {
    Vec::new()
}

/// There is no x87 unit that labrys knows of: the loop's one reading of flags is of all.
pub fn x87_reading(_function: u64) -> X87Reading {
    X87Reading::Never
}

/// Neither traps nor steps.
pub fn support() -> TracingSupport {
    TracingSupport::None
}

/// The operator of an instruction: not known.
pub fn operator(_code: &[u8], _address: u64) -> String {
    String::new()
}

/// Whether an instruction adds a register to itself: not known.
pub fn doubles(_code: &[u8], _address: u64) -> bool {
    false
}

/// The function that an instruction calls: not known.
pub fn callee<'a>(
    _code: impl Fn(u64) -> Option<&'a [u8]>,
    _imports: &HashMap<u64, String>,
    _address: u64,
) -> Option<String> {
    None
}

/// Traces nothing.
pub struct Tracer;

impl Tracer {
    /// Needs nothing.
    pub fn prepare(_library: &Library<'_>, _driver: &Path, _most_events: u64) -> Tracer {
        Tracer
    }

    /// Drives a job.
    ///
    /// # Safety
    ///
    /// The driver loop's own: the job is valid.
    pub unsafe fn drive(&self, drive: Drive, _shared: &Shared, _command: Command, job: &mut Job) {
        // SAFETY: the caller's.
        unsafe { drive(job) }
    }
}
