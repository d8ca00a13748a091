//! Floating-point arithmetic in software: every IEEE 754 format, x87's 80-bit one and any custom width, with status
//! flags.
//!
//! One exact kernel computes each operation without rounding, one function rounds; rounding mode, tininess detection
//! and the flush modes are parameters ([`Environment`]). This is the oracle that solvers' models, the interpreter and
//! the constant folder agree with.
//!
//! ```
//! use labrys_float::{Environment, Flags, Float, Format};
//!
//! let third = Environment::default().div(&Float::from_f64(1.0), &Float::from_f64(3.0));
//! assert_eq!(third.value.to_f64(), Some(1.0 / 3.0));
//! assert_eq!(third.flags, Flags::INEXACT);
//!
//! let tiny = Float::parse_decimal(Format::X87, "1e-4940").unwrap();
//! assert_eq!(tiny.to_shortest_decimal(), "1e-4940");
//! ```

mod arithmetic;
mod class;
mod compare;
mod convert;
mod decimal;
mod environment;
mod exact;
mod flags;
mod float;
mod format;
mod hexadecimal;
mod integral;
mod operand;
mod ordinal;
mod packed;
mod rational;
mod remainder;
mod rounded;
mod unpacked;

pub use class::Class;
pub use environment::{Environment, RoundingMode, Tininess};
pub use flags::Flags;
pub use float::Float;
pub use format::Format;
pub use packed::Packed;
pub use rounded::Rounded;
