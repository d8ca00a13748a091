//! What depends on the processor, and the one place that decides which.
//!
//! On x86-64 Linux exceptions are traced on the code itself, control registers can be set, and instructions are decoded. Elsewhere,
//! in [`portable`], flags are those of C's `fenv.h`, control registers stay as they were loaded, and there are no traces: whoever
//! wants some interprets the IR. Both offer the same items.
//!
//! The feature `portable` of this crate chooses the latter on x86-64 too, so that it can be compiled, tested and run there:
//! `cargo xtask portable`.
//!
//! What the operating system's interface or C's says of a processor (numbers of system calls, bits of `fenv.h`, whether `char`
//! is signed) stands where it is used.

mod control;
#[cfg(any(feature = "portable", not(all(target_arch = "x86_64", target_os = "linux"))))]
mod portable;
mod traces;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(feature = "portable")))]
mod x86_64;
mod x87_reading;

#[cfg(any(feature = "portable", not(all(target_arch = "x86_64", target_os = "linux"))))]
use portable as chosen;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(feature = "portable")))]
use x86_64 as chosen;

pub use chosen::{Tracer, callee, doubles, driver_flags, operator, start, support, x87_reading};
pub use control::Control;
pub use traces::TracingSupport;
pub use x87_reading::X87Reading;
