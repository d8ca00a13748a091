//! Random formulas over every operator of QF_ABVFP, for tests of whatever decides or rewrites formulas.
//!
//! [`Formula::planted`] draws an assignment first, and then constraints that are true under it: every `unsat` about such a
//! formula is wrong, whatever its size, without anybody being asked. [`Formula::free`] has constraints that may
//! contradict each other: those are for enumeration and for other solvers. [`shrink`] makes a formula on which something goes
//! wrong smaller, its planted assignment kept.
//!
//! [`Random`] is the one source of random numbers for tests of all crates.
//!
//! Random terms rarely meet. So the terms share what symbolic execution of code shares: a word several times in a
//! concatenation, extensions of one word by signs and by zeros, extracts that overlap, one condition in several choices,
//! floats taken apart and put together again, and bytes of an array joined to a float.
//!
//! ```
//! use labrys_formulas::{Formula, Shape};
//! use labrys_term::Evaluator;
//!
//! let formula = Formula::planted(7, &Shape::full());
//! let model = formula.model.as_ref().expect("a planted formula has a model");
//! let mut evaluator = Evaluator::new(&formula.store, model);
//! assert!(formula.assertions.iter().all(|&assertion| evaluator.holds(assertion) == Ok(true)));
//! ```

mod arrays;
mod constraints;
mod core;
mod floats;
mod formula;
mod literals;
mod maker;
mod random;
mod shape;
mod shrink;
#[cfg(test)]
mod tests;
mod vectors;

pub use floats::FLOAT_CLASSES;
pub use formula::{Formula, Terms};
pub use random::Random;
pub use shape::Shape;
pub use shrink::shrink;
pub use vectors::VECTOR_OPERATORS;
