//! Abstract interpretation of floating-point programs: which exceptions each operation can raise, for all inputs.
//!
//! [`analyse`] follows a function's code, with all that it calls, on sets of values instead of values. What it does not
//! list no run raises, under the assumptions that it lists.
//!
//! ```
//! use labrys_float::Flags;
//! use labrys_program::{LengthOptions, Program, map_parameters, parse_signature};
//! use labrys_ranges::{RangeOptions, analyse, any_input};
//!
//! let ir = "define double @square(double %x) { %r = fmul double %x, %x ret double %r }";
//! let program = Program::from_bytes(ir.as_bytes(), "square.ll").unwrap();
//! let function = program.function("square").unwrap();
//! let signature = parse_signature("double square(double x)", &LengthOptions::default()).unwrap();
//! let binding = map_parameters(&signature, &program, function).unwrap();
//! let ranges = analyse(&program, function, &binding, &signature, &any_input, &RangeOptions::default());
//! assert_eq!(ranges.incomplete, None);
//! assert_eq!(ranges.sites[0].may_raise, Flags::OVERFLOW | Flags::UNDERFLOW); // not invalid: 0 · ∞ is no square
//! ```

#[macro_use]
mod breakable;

mod access;
mod analyse;
mod arithmetic;
pub mod assumptions;
mod block;
mod callee;
mod calls;
mod care;
mod cfg;
mod control;
mod entry;
mod external;
mod float;
mod float_calls;
mod frozen;
mod graph;
mod heads;
mod images;
mod int_backward;
mod integer;
mod lanes;
mod library;
mod machine;
mod memory;
#[cfg(test)]
mod mutation;
mod options;
mod part;
mod pointer;
mod proof;
mod record;
mod refine;
mod relations;
mod snapshot;
mod split;
mod state;
mod stop;
mod summary;
mod throwing;
mod transfer;
mod types;
mod whole;
mod widening;

pub use analyse::{Ranges, SiteRange, analyse, any_input};
pub use heads::{LoopRange, Values, loop_ranges};
pub use options::RangeOptions;
pub use proof::{Checked, Open, prove};
pub use whole::VerifierCalls;
