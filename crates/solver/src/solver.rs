//! The two traits that engines and decorators implement.

use labrys_term::{Store, TermId};

use crate::{FloatOutcome, Limits, RealOutcome};

/// Looks for real numbers that satisfy a conjunction of Bool terms over Real and Bool variables.
pub trait RealSolver: Send {
    /// Decides the conjunction of `terms` by itself: nothing is kept from earlier queries that could change the answer.
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome;
}

/// Decides conjunctions of Bool terms over Float, BitVec, Bool and Array variables, bit for bit.
pub trait FloatSolver: Send {
    /// Decides the conjunction of `terms` by itself.
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome;

    /// What the last check did: names and values, in a fixed order.
    fn statistics(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}
