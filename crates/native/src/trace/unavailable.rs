//! Where neither trapping nor stepping is available: traces are empty, and incomplete unless nothing was raised.

use super::Setup;
use crate::runner::{Drive, Job};

/// Does nothing.
pub fn prepare() {}

/// Nothing to put back.
pub struct Armed;

/// Does nothing.
///
/// # Safety
///
/// None needed here.
pub unsafe fn arm(_setup: Setup) -> Armed {
    Armed
}

/// Does nothing.
///
/// # Safety
///
/// None needed here.
pub unsafe fn disarm(_armed: Armed) {}

/// Calls the driver.
///
/// # Safety
///
/// The driver's own.
pub unsafe fn step(drive: Drive, job: &mut Job) {
    // SAFETY: the caller's.
    unsafe { drive(job) }
}
