//! What a whole program is run on, and the files in which others keep such inputs.
//!
//! A program asks for its inputs while it runs (`klee_make_symbolic`, `__VERIFIER_nondet_double`, …); a [`TestInput`] answers
//! in the order in which it asks.

mod input;

pub use input::{InputObject, TestInput};
