//! Bit-blasting: prepared queries as propositional formulas, decided by CDCL.

pub mod float;
mod gates;
pub mod vector;

pub use gates::{Gate, Gates, Lit, value_of, word_of};
