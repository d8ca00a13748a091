//! What the handlers of signals are told.

use crate::protocol::Mode;
use crate::shared::RawEvent;

/// What the handlers need.
#[derive(Clone, Copy)]
pub struct Setup {
    /// How to trace.
    pub mode: Mode,
    /// Watched status bits, in the processor's order.
    pub watched: u32,
    /// The library's own code: first address, and the address behind the last.
    pub code: (u64, u64),
    /// The function under test.
    pub target: u64,
    /// The driver loop's code.
    pub driver: (u64, u64),
    /// The end of the stack; 0 where it is not known.
    pub stack_end: u64,
    /// The record that the driver loop is at.
    pub progress: *const std::sync::atomic::AtomicU64,
    /// The trace buffer, [`crate::shared::MAX_EVENTS`] long.
    pub events: *mut RawEvent,
    /// Where the number of events goes.
    pub count: *const std::sync::atomic::AtomicU64,
    /// Events of one record that are written at most; one without exceptions after them says that there were more.
    pub most: u64,
}
