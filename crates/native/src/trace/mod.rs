//! Tracing the exceptions of one call inside the process that runs it, on unmodified code.
//!
//! *Trapping*: the watched exceptions are unmasked. SSE and AVX report an unmasked exception before the instruction
//! writes anything. The handler of SIGFPE masks everything, clears the sticky bits and sets the trap flag, so that the
//! instruction is executed again by itself; the SIGTRAP after it shows what the instruction really raised (an unmasked
//! underflow also traps for exact tiny results, which raise nothing). Then the old sticky bits are put back together with
//! the new ones, rounding and flush bits stay as they are, and the masks are what they were. Every instruction that raises
//! a watched exception while it is unmasked is seen, in order.
//!
//! *Stepping*: the trap flag stays set; before each instruction the sticky bits of SSE and x87 are cleared, after it they
//! are what it raised. Instructions that read or write the sticky bits themselves ([`status_access`]) find what they would
//! have found without tracing. This is for x87, which reports exceptions late, and for code that changes masks.
//!
//! What this may miss: under trapping, all x87 arithmetic and what happens while the code itself has exceptions masked
//! (`feholdexcept`; where `feupdateenv` then raises them again is where they show); under both, what happens while the code blocks the signals or has its own handlers. So the caller
//! compares the union of the events and the result with the fast path's, steps where trapping did not tell the whole
//! story, and says so where that does not either.
//!
//! Handlers touch only static state, the stack and shared memory: no allocation, no locks.

use crate::protocol::Mode;
use crate::shared::RawEvent;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod caller;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod handlers;
#[cfg(any(test, all(target_arch = "x86_64", target_os = "linux")))]
mod status_access;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod unavailable;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use handlers::{arm, disarm, prepare, step};
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use unavailable::{arm, disarm, prepare, step};

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
