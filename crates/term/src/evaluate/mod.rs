//! The exact evaluator: values of terms under a model, bit for bit and without rounding over the reals.
//!
//! Terms are visited in the store's order, arguments first, each once: no recursion, so that depth does not matter.
//! A value that the theory leaves open (division by zero over the reals, out-of-range conversions) spoils only what
//! depends on it: `false ∧ x` is false whatever `x` is, and so is the branch of an if-then-else that is not taken.

pub(crate) mod array;
pub(crate) mod bit_vector;
pub(crate) mod core;
mod error;
mod evaluator;
pub(crate) mod float;
pub(crate) mod real;
#[cfg(test)]
mod tests;

pub(crate) use error::Argument;
pub use error::EvalError;
pub(crate) use evaluator::literal;
pub use evaluator::{Evaluator, Memo, eval};
