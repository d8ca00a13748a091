//! Conditions to candidates: symbolic exploration of the builds' IR, then the solver.

use labrys_symex::{EveryPath, Exploration, Options, explore};
use labrys_term::Store;

use super::builds::Prepared;
use super::clock::Clock;
use super::conditions::Conditions;
use super::domain::Domain;
use super::progress::Progress;
use super::request::Request;

/// What solving came to.
#[derive(Clone, Debug, Default)]
pub struct Solving {
    /// Distinct site conditions: in all, of the baseline, of the variants.
    pub conditions: usize,
    /// See `conditions`.
    pub conditions_baseline: usize,
    /// See `conditions`.
    pub conditions_variant: usize,
    /// Site conditions that the solver satisfied.
    pub sat_by_solver: usize,
    /// Site conditions that an input at hand satisfied.
    pub sat_by_known: usize,
    /// Site conditions without a real solution.
    pub unsat: usize,
    /// Site conditions left undecided.
    pub unknown: usize,
    /// Differential conditions asked, and how they were answered.
    pub differential: usize,
    /// See `differential`.
    pub differential_sat: usize,
    /// See `differential`.
    pub differential_unsat: usize,
    /// See `differential`.
    pub differential_unknown: usize,
    /// The distinct input records of the solver's models of site conditions, in their order.
    pub inputs: Vec<Vec<u8>>,
    /// Those of differential conditions.
    pub differential_inputs: Vec<Vec<u8>>,
    /// Remarks for the report.
    pub notes: Vec<String>,
    /// Whether the time limit or the user ended it.
    pub interrupted: bool,
}

/// Explores and solves.
pub fn run(
    request: &Request,
    prepared: &Prepared,
    domain: &Domain,
    _seeds: &[Vec<u8>],
    _clock: &Clock,
    _progress: &dyn Progress,
) -> Solving {
    let mut solving = Solving::default();
    let mut store = Store::new();
    let mut explorations: Vec<Option<Exploration>> = Vec::new();
    for made in &prepared.builds[..=prepared.variants] {
        let explored = made.analysed.as_ref().map(|analysed| {
            let options = Options { loop_bound: request.loop_bound, max_paths: request.max_paths as usize, ..Options::default() };
            explore(&analysed.program, analysed.function, &analysed.binding, &prepared.signature, &mut store, &options, &mut EveryPath)
        });
        explorations.push(explored);
    }
    let conditions = Conditions::collect(store, &explorations, &domain.assumptions, &domain.inputs);
    solving.conditions = conditions.sites.len();
    (solving.conditions_baseline, solving.conditions_variant) = conditions.counts();
    solving
}
