//! Which outputs of an observed call depend on what was computed where an exception occurred.

use labrys_float::Environment;
use labrys_interp::{Cause, Dependences, Limits};
use labrys_program::{FunctionId, Program};

use super::call::Call;
use crate::observation::interpreted::agree;

/// Instructions that a dependency run executes in a microsecond.
const INSTRUCTIONS_PER_MICROSECOND: u64 = 5;

/// What all runs together may take, in microseconds of an ordinary machine: there may be hundreds of pairs of an input and an
/// exception of it, and most of a classifier's budget is for true values.
const BUDGET: u64 = 2_000_000;

/// Dependency runs of one program.
#[derive(Debug)]
pub(super) struct Dependents<'p> {
    program: &'p Program,
    /// A function that is called once before everything else.
    init: Option<FunctionId>,
    environment: Environment,
    limits: Limits,
    /// What is left of [`BUDGET`].
    left: u64,
    /// Made for the first run: a large program's globals take their time.
    runs: Option<Dependences<'p>>,
}

impl<'p> Dependents<'p> {
    pub(super) fn new(program: &'p Program, init: Option<FunctionId>, limits: Limits) -> Dependents<'p> {
        Dependents { program, init, environment: Environment::default(), limits, left: BUDGET, runs: None }
    }

    /// Calls were observed in this environment.
    pub(super) fn set_environment(&mut self, environment: Environment) {
        (self.environment, self.runs) = (environment, None);
    }

    /// For each output whether it depends on the cause, and what it cost to find out, in microseconds. `None` where it cannot
    /// be told: control depends on it, the run shows no such exception or other outputs than the observed ones, or there is no
    /// work left for it.
    pub(super) fn follow(&mut self, call: &Call<'_>, cause: &Cause, budget: u64) -> (Option<Vec<bool>>, u64) {
        if cause.places.is_empty() || budget.min(self.left) == 0 {
            return (None, 0);
        }
        let Dependents { program, init, environment, limits, .. } = *self;
        let runs = self.runs.get_or_insert_with(|| Dependences::new(program, init, environment, limits));
        let run = runs.follow(call.function, call.binding, call.signature, call.record, cause);
        let outputs = call.signature.output_layout();
        let is_observed = run.output.is_ok_and(|output| agree(&outputs, &output, call.observed));
        let dependent = (is_observed && run.marked > 0).then_some(run.is_dependent);
        let work = run.instructions / INSTRUCTIONS_PER_MICROSECOND + 1;
        self.left = self.left.saturating_sub(work);
        (dependent, work)
    }
}
