//! Proofs of unsatisfiability, step by step, and a checker that trusts none of them.
//!
//! The format is LRAT: Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp, "Efficient Certified RAT Verification", CADE
//! 2017, in the binary form that CaDiCaL writes (Pollitt, Fleury, Biere, "Faster LRAT Checking Than Solving with CaDiCaL", SAT 2023).
//! A step adds a clause with the numbers of the clauses that imply it, or deletes clauses. [`check`] is all that
//! has to be right for an accepted proof to be one: it shares nothing with the solver that wrote the proof but [`Formula`].
//!
//! ```
//! use labrys_solver::Budget;
//! use labrys_solver::lrat::{Formula, check};
//!
//! let mut formula = Formula::new();
//! for clause in [[1, 2], [1, -2], [-1, 2], [-1, -2]] {
//!     formula.add(&clause);
//! }
//! // Clause 5 is `1`, by clauses 1 and 2; clause 6 is empty, by 5, 3 and 4.
//! let proof = [b'a', 10, 2, 0, 2, 4, 0, b'a', 12, 0, 10, 6, 8, 0];
//! assert!(check(&formula, &proof[..], &Budget::unlimited()).is_ok());
//! assert!(check(&formula, &proof[..7], &Budget::unlimited()).is_err());
//! ```

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
