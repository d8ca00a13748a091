//! libm's functions in arbitrary precision: values, enclosures over boxes of floats, domains and thresholds.
//!
//! MPFR gives correctly rounded values at any precision. On top of it stand [`evaluate`], a function's correctly rounded
//! value in a floating-point format with its exceptions; `image` and `may_raise`, what a libm whose results are a few
//! floats off may return and raise for operands in given ranges; and the operands at which that begins to happen.
//!
//! ```
//! use labrys_elementary::{Function, evaluate};
//! use labrys_float::{Flags, Float};
//!
//! let exp = Function::named("exp").unwrap();
//! let huge = evaluate(exp, &[Float::from_f32(89.0)]);
//! assert!(huge.value.is_infinite());
//! assert_eq!(huge.flags, Flags::OVERFLOW | Flags::INEXACT);
//! ```

mod convert;
mod evaluate;
mod function;
mod image;
mod mpfr;
mod pairs;
mod parts;
mod pieces;
mod precise;
mod range;
mod results;
mod trigger;

pub use convert::{from_precise, to_precise};
pub use evaluate::{evaluate, evaluate_in};
pub use function::Function;
pub use image::{image, may_raise};
pub use mpfr::{MpfrFunction, Operand};
pub use range::Range;
pub use results::Image;
pub use rug;
pub use trigger::{Sense, Triggers, triggers};
