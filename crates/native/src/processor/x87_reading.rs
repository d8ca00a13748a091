//! Ways of reading the x87 status.

/// How the driver loop reads the x87 status on the fast path (see [`crate::driver`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(any(feature = "portable", not(all(target_arch = "x86_64", target_os = "linux"))), expect(dead_code))]
pub enum X87Reading {
    /// Calls do nothing to that unit, or there is none.
    Never,
    /// Once for a block of calls, which clear no exception.
    Sticky,
    /// After each call, to be looked at behind a block of calls, with MXCSR.
    Recorded,
    /// After each call.
    Each,
}
