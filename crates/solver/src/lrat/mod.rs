//! Proofs of unsatisfiability, step by step, and a checker that trusts none of them.
//!
//! The format is LRAT: Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp, "Efficient Certified RAT Verification", CADE
//! 2017, in the binary form that CaDiCaL writes (Pollitt, Fleury, Biere, "Faster LRAT Checking Than Solving with CaDiCaL", SAT 2023).
//! A step adds a clause with the numbers of the clauses that imply it, or deletes clauses. [`check`] is all that
//! has to be right for an accepted proof to be one: it shares nothing with the solver that wrote the proof but [`Formula`].

mod checker;
mod error;
mod formula;
mod steps;
#[cfg(test)]
mod tests;

pub use checker::{Checked, check};
pub use error::Rejected;
pub use formula::Formula;
pub(crate) use steps::Writer;
