//! How much was done and found.

use serde::{Deserialize, Serialize};

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Counts of a run. The first nine are always written; of the others, zeros are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Distinct conditions (site and exception) of both programs.
    pub conditions: u64,
    /// Those of the baseline.
    pub conditions_baseline: u64,
    /// Those of the first variant.
    pub conditions_variant: u64,
    /// Conditions with a candidate over the reals, or that a known input satisfies.
    pub sat: u64,
    /// Conditions with no candidate over the reals: not a proof about floats.
    pub unsat: u64,
    /// Conditions left open.
    pub unknown: u64,
    /// Distinct inputs from the solver.
    pub unique_inputs: u64,
    /// Distinct inputs on which some variant differs from the baseline.
    pub diverging_inputs: u64,
    /// Inputs run on all builds: the work done.
    pub inputs_tested: u64,
    /// Of `sat`, those that an input already known satisfied, so that no solver was asked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sat_known: u64,
    /// Of `sat`, those with a model over the reals that raises nothing before it comes to the operation.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sat_clean: u64,
    /// Of `unknown`, those that z3 left open and concretising and root isolation then solved (Barr, Vo, Le, Su, POPL 2013,
    /// sections 3.4 to 3.6).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solved_by_method: u64,
    /// Of these, those whose constraints have one variable each as given.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solved_univariate: u64,
    /// Of these, those in which variables were bound until that was so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solved_concretised: u64,
    /// Of these, those in which functions hang on the last variable, whose line was sampled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solved_sampled: u64,
    /// Of `sat`, models that the same method moved to floats at which functions have their own values.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub moved_by_method: u64,
    /// Differential conditions ("this site of the variant raises e, no site of the baseline does", and the reverse).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub differential: u64,
    /// Differential conditions with a candidate.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub differential_sat: u64,
    /// Differential conditions without a candidate over the reals.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub differential_unsat: u64,
    /// Differential conditions left open.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub differential_unknown: u64,
    /// Differences asked over the floats: "one build raises e, the other does not".
    #[serde(default, skip_serializing_if = "is_zero")]
    pub exact: u64,
    /// Of these, with an input over the IR.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub exact_sat: u64,
    /// Of these, proved to have none over the IR.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub exact_unsat: u64,
    /// Solver inputs that diverge themselves.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solver_inputs_diverging: u64,
    /// Solver inputs with a diverging input in their neighbourhood.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solver_neighbourhoods_diverging: u64,
    /// Distinct diverging inputs among solver inputs and their neighbourhoods.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solver_diverging_inputs: u64,
    /// Inputs run by the plain sampler of `--compare-random`; present where it ran, as are the next two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_inputs_tested: Option<u64>,
    /// Distinct divergences that the plain sampler saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_divergences: Option<u64>,
    /// Distinct diverging inputs that the plain sampler drew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_diverging_inputs: Option<u64>,
}

impl Counts {
    /// Adds what was done elsewhere.
    pub fn add(&mut self, other: &Counts) {
        // A new count is to be added here, or does not compile.
        let Counts {
            conditions,
            conditions_baseline,
            conditions_variant,
            sat,
            unsat,
            unknown,
            unique_inputs,
            diverging_inputs,
            inputs_tested,
            sat_known,
            sat_clean,
            solved_by_method,
            solved_univariate,
            solved_concretised,
            solved_sampled,
            moved_by_method,
            differential,
            differential_sat,
            differential_unsat,
            differential_unknown,
            exact,
            exact_sat,
            exact_unsat,
            solver_inputs_diverging,
            solver_neighbourhoods_diverging,
            solver_diverging_inputs,
            random_inputs_tested,
            random_divergences,
            random_diverging_inputs,
        } = other;
        self.conditions += conditions;
        self.conditions_baseline += conditions_baseline;
        self.conditions_variant += conditions_variant;
        self.sat += sat;
        self.unsat += unsat;
        self.unknown += unknown;
        self.unique_inputs += unique_inputs;
        self.diverging_inputs += diverging_inputs;
        self.inputs_tested += inputs_tested;
        self.sat_known += sat_known;
        self.sat_clean += sat_clean;
        self.solved_by_method += solved_by_method;
        self.solved_univariate += solved_univariate;
        self.solved_concretised += solved_concretised;
        self.solved_sampled += solved_sampled;
        self.moved_by_method += moved_by_method;
        self.differential += differential;
        self.differential_sat += differential_sat;
        self.differential_unsat += differential_unsat;
        self.differential_unknown += differential_unknown;
        self.exact += exact;
        self.exact_sat += exact_sat;
        self.exact_unsat += exact_unsat;
        self.solver_inputs_diverging += solver_inputs_diverging;
        self.solver_neighbourhoods_diverging += solver_neighbourhoods_diverging;
        self.solver_diverging_inputs += solver_diverging_inputs;
        self.random_inputs_tested =
            [self.random_inputs_tested, *random_inputs_tested].into_iter().flatten().reduce(|a, b| a + b);
        self.random_divergences =
            [self.random_divergences, *random_divergences].into_iter().flatten().reduce(|a, b| a + b);
        self.random_diverging_inputs =
            [self.random_diverging_inputs, *random_diverging_inputs].into_iter().flatten().reduce(|a, b| a + b);
    }
}
