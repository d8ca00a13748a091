//! A wrong solver, for tests of what happens where the right one is wrong.

use labrys_solver::{Core, FloatOutcome, FloatSolver, Limits};
use labrys_term::{Store, TermId};

/// Says that nothing has a model.
pub(crate) struct WrongSolver;

impl FloatSolver for WrongSolver {
    fn check_once(&mut self, _: &Store, terms: &[TermId], _: &Limits) -> FloatOutcome {
        FloatOutcome::Unsat(Core((0..terms.len()).collect()))
    }
}
