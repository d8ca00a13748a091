//! Bit-blasting: prepared queries as propositional formulas, decided by CDCL.
//!
//! Terms become circuits ([`vector`]) over a graph of gates ([`Gates`]), circuits become clauses, and CaDiCaL decides
//! them: once ([`BitBlaster`]), once with a proof that is checked ([`CertifyingBitBlaster`]), or again and again under assumptions
//! ([`IncrementalBitBlaster`]).

mod certified;
mod cnf;
pub mod float;
mod gates;
mod incremental;
mod memory;
mod one_shot;
mod sat;
mod statistics;
#[cfg(test)]
mod tests;
mod trace;
mod translate;
pub mod vector;

pub use certified::CertifyingBitBlaster;
pub use gates::{Gate, Gates, Lit, value_of, word_of};
pub use incremental::{IncrementalBitBlaster, IncrementalVerdict};
pub use memory::{give_back, recent_mib, resident_mib};
pub use one_shot::BitBlaster;
pub use statistics::Statistics;
