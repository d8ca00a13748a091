//! Fast evaluation of Real and Bool terms: thousands of conditions on thousands of inputs.
//!
//! Values are doubles with an exponent of their own and an error bound ([`ExtendedReal`]), so that nothing overflows and
//! a comparison knows when it cannot know. A [`RealProgram`] is compiled once; a [`RealEvaluator`] runs it without
//! allocating.

mod compile;
mod extended;
mod run;
#[cfg(test)]
mod tests;

pub use compile::{CompileError, RealProgram};
pub use extended::ExtendedReal;
pub use run::RealEvaluator;
