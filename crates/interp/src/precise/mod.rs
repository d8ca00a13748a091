//! The arbitrary-precision twin of an execution: the same operations on MPFR's numbers.
//!
//! After Barr, Vo, Le, Su, "Automatic Detection of Floating-Point Exceptions" (POPL 2013), section 6.4: the function is
//! re-executed in arbitrary precision with the same input, and what it then returns is what it should have returned.
//!
//! # What is true
//!
//! Every float operation is computed with [`Precise::precision`] bits and exponents up to 2^30; conversions between
//! formats change nothing. The twin follows *its own* control flow: comparisons compare true values, so that a branch
//! that catches an overflow is not taken where there is none. Integers and pointers are the machine's, exactly as
//! wide as the program has them; a true value that is converted to an integer is rounded as the program says.
//!
//! So the twin tells what the program's own formulas give without rounding and without limits of range. It does not tell
//! what mathematics says that the function should be: a truncated series stays truncated, a loop that stops at machine
//! epsilon stops there. Code that works *by* rounding means something else without it; of that, sums that round to integers and Veltkamp's
//! splittings are rounded here, too, where a caller asks for it ([`Twin::keep_purposeful_rounding`]).
//!
//! # What is certain
//!
//! Every number carries a radius around it in which the true value lies (`bounds.rs` has the argument): rounding to the precision adds to
//! it, operations spread it. Where no decision of the run hung on what a radius leaves open, the outputs' radii are proved bounds;
//! an output whose radius is zero is exact. What is left open with many bits is decided by quotients of integers, where values are such (`quotients.rs`).
//!
//! # Where it is at its end
//!
//! [`Marks`] say what a caller must distrust: a float was made of the bits of a value that no float equals, or a value
//! left the exponents of MPFR. What cannot be done at all ends the run with a [`crate::Stop`].

mod bounds;
mod cost;
mod domain;
mod encoding;
mod number;
mod operation;
mod quotients;
mod radius;
mod rounding;
mod splits;
mod state;
mod twin;

pub use encoding::Encoding;
pub use number::PreciseFloat;
pub use radius::Radius;
pub use rounding::{Executed, Executions, Instruction, Rounding};
pub use splits::splittings;
pub use state::{Marks, Precise};
pub use twin::{PreciseExecution, Twin, datum_of};
