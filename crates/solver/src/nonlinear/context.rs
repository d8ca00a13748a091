//! What solving needs besides the literals.

use super::assignment::Evaluate;
use super::config::{NonlinearConfig, NonlinearSteps};
use super::effort::Effort;
use super::problem::Problem;
use crate::conjuncts::Literal;
use crate::local::random::Random;
use crate::{RealModel, RealOutcome, Why};

/// What solving needs besides the literals.
pub(super) struct Context<'p, 'e> {
    pub problem: &'p Problem<'p>,
    pub config: &'p NonlinearConfig,
    pub evaluate: &'e mut Evaluate<'e>,
    pub random: Random,
    pub effort: Effort,
    pub steps: NonlinearSteps,
    /// A solution with a real number that is no float.
    pub real: Option<RealModel>,
}

impl Context<'_, '_> {
    /// Counts a solved query.
    pub fn found(&mut self, model: RealModel, is_linear: bool, is_sampled: bool) -> RealOutcome {
        let has_several = |literal: &Literal| self.problem.support(&[literal.term]).len() > 1;
        let is_univariate = !self.problem.literals.iter().any(has_several);
        let steps = &mut self.steps;
        steps.solved += 1;
        steps.univariate += u64::from(is_univariate);
        steps.concretised += u64::from(!is_univariate);
        steps.linear += u64::from(is_linear);
        steps.sampled += u64::from(is_sampled);
        RealOutcome::Candidate(model)
    }

    /// A real solution, if there was one, and otherwise unknown, with the reason.
    pub fn real_or(&mut self, reason: String) -> RealOutcome {
        match self.real.take() {
            Some(model) => {
                self.steps.reals += 1;
                RealOutcome::Candidate(model)
            }
            None => RealOutcome::Unknown(Why::Incomplete(reason)),
        }
    }
}
