//! Floating-point arithmetic in software: every IEEE 754 format, x87's 80-bit one and any custom width, with status
//! flags.
//!
//! One exact kernel computes each operation without rounding, one function rounds; rounding mode, tininess detection
//! and the flush modes are parameters ([`Environment`]). This is the oracle that solvers' models, the interpreter and
//! the constant folder agree with.

mod environment;
mod flags;
mod float;
mod format;

pub use environment::{Environment, RoundingMode, Tininess};
pub use flags::Flags;
pub use float::{Class, Float};
pub use format::Format;
