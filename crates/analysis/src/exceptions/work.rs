//! How much was done for a function, or for many.

use serde::{Deserialize, Serialize};

use super::exact::ExactSteps;

/// How much was done for one function.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Work {
    /// Inputs run.
    pub inputs: u64,
    /// Conditions over the reals asked.
    pub real_queries: u64,
    /// Of these, with a model of z3's.
    pub real_sat: u64,
    /// Of these, without a real solution.
    pub real_unsat: u64,
    /// Of these, left open by z3.
    pub real_unknown: u64,
    /// Of `real_sat`, with a model that raises nothing before it comes to the operation.
    pub real_clean: u64,
    /// Of those z3 left open, solved by the paper's method.
    pub solved_by_method: u64,
    /// Of these, as given: their constraints have one variable each.
    pub solved_univariate: u64,
    /// Of these, by binding variables until that is so.
    pub solved_concretised: u64,
    /// Of these, by sampling a line that functions hang on.
    pub solved_sampled: u64,
    /// Models of z3's that the method moved to floats at which functions have their own values.
    pub moved_by_method: u64,
    /// Questions over the floats.
    pub float_queries: u64,
    /// Of these, with a model.
    pub float_sat: u64,
    /// Of these, without.
    pub float_unsat: u64,
    /// Inputs run because a small search domain was run whole.
    #[serde(default)]
    pub enumerated: u64,
    /// Pairs proved by value ranges.
    pub proved_by_ranges: u64,
    /// Distinct pairs of an input and a site that raised something on it.
    pub witnessed_inputs: u64,
    /// Paths followed.
    pub paths: u64,
    /// Wall-clock time in seconds. Differs from run to run.
    pub seconds: f64,
    /// Of these, for second opinions.
    #[serde(default)]
    pub opinion_seconds: f64,
}

impl Work {
    /// Adds what was done elsewhere.
    pub fn add(&mut self, other: &Work) {
        self.inputs += other.inputs;
        self.real_queries += other.real_queries;
        self.real_sat += other.real_sat;
        self.real_unsat += other.real_unsat;
        self.real_unknown += other.real_unknown;
        self.real_clean += other.real_clean;
        self.solved_by_method += other.solved_by_method;
        self.solved_univariate += other.solved_univariate;
        self.solved_concretised += other.solved_concretised;
        self.solved_sampled += other.solved_sampled;
        self.moved_by_method += other.moved_by_method;
        self.float_queries += other.float_queries;
        self.float_sat += other.float_sat;
        self.float_unsat += other.float_unsat;
        self.enumerated += other.enumerated;
        self.proved_by_ranges += other.proved_by_ranges;
        self.witnessed_inputs += other.witnessed_inputs;
        self.paths += other.paths;
        self.seconds += other.seconds;
        self.opinion_seconds += other.opinion_seconds;
    }

    /// Adds questions over the floats.
    pub fn add_float_steps(&mut self, steps: &ExactSteps) {
        self.float_queries += steps.queries as u64;
        self.float_sat += steps.sat as u64;
        self.float_unsat += steps.unsat as u64;
    }
}
