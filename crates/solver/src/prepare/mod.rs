//! Queries made ready for the engines, and models brought back.
//!
//! Preparation turns a conjunction over all that SMT-LIB's FloatingPoint, FixedSizeBitVectors and ArraysEx say into one
//! over the engines' language: no arrays, no reals, and every operator with one value for each value of its arguments
//! wherever that value matters. What it removes, [`Reconstruction`] puts back into models.
//!
//! **Claim.** The prepared conjunction is satisfiable exactly if the original one is, and [`Reconstruction::model`] turns
//! each model of the prepared conjunction into one of the original. Every step is of one of two kinds: it replaces terms by
//! terms that are equal in every model of the conjunction; or it adds or removes variables together with constraints that
//! every model of the rest extends to. Each step's file says which, and why.

mod array;
mod bits;
mod config;
mod conjunction;
mod early;
mod equal_floats;
mod expand;
mod fresh;
mod open;
mod order;
mod outcome;
mod polynomial;
mod preparation;
mod real;
mod reconstruct;
mod substitute;
#[cfg(test)]
mod tests;
mod unconstrained;
mod zero_sign;

pub use config::PrepareConfig;
pub use preparation::{Prepared, PreparedTerm, State, prepare, prepare_term};
pub use reconstruct::Reconstruction;
