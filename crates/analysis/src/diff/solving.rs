//! Conditions to candidates: symbolic exploration of the builds' IR, then the solver.

use std::time::Duration;

use indexmap::IndexSet;
use labrys_float::Flags;
use labrys_report::Contradiction;
use labrys_solver::{EngineChoice, Limits, RealOutcome, Why};
use labrys_symex::{DifferentialOptions, EveryPath, Exploration, Options, differential_conditions, solve_differential};
use labrys_term::{Store, TermId};

use super::branches::Branches;
use super::builds::{Made, Prepared};
use super::candidates::{Asking, Budget, Solved};
use super::conditions::Conditions;
use super::exact::{self, ExactAnswers};
use super::float_queries;
use super::request::Request;
use crate::inputs::domain::Domain;
use crate::inputs::variables::Variables;
use crate::run::clock::Clock;
use crate::run::progress::Progress;
use crate::solving::reals::RealQuestions;
use crate::solving::{floats, paths};
use crate::target::analysed::Analysed;

/// Instructions of one path: a loop that a path runs for a known, large number of rounds has more operations than a solver could be
/// asked about, and each of its conditions is as long as all before it.
const PATH_INSTRUCTIONS: u64 = 50_000;
/// Instructions of all paths of a build together.
const INSTRUCTIONS: u64 = 500_000;
/// Hundredths of the run's time by which exploring ends.
const EXPLORING_SHARE: u32 = 30;
/// The longest that exploring one build may take where the user sets no limit: a backstop, for its instructions are counted.
const EXPLORATION_LIMIT: Duration = Duration::from_secs(300);

/// The longest that one query over the reals may take of the solver's own time; work is what ends most.
const PATIENCE: Duration = Duration::from_secs(10);

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
    /// Differences asked over the floats, and how they were answered.
    pub exact: usize,
    /// See `exact`.
    pub exact_sat: usize,
    /// See `exact`.
    pub exact_unsat: usize,
    /// Input records of models over the floats.
    pub exact_inputs: Vec<Vec<u8>>,
    /// The distinct input records of the solver's models of site conditions, in their order.
    pub inputs: Vec<Vec<u8>>,
    /// Those of differential conditions.
    pub differential_inputs: Vec<Vec<u8>>,
    /// The paths that inputs may take, for the search's feedback.
    pub branches: Option<Branches>,
    /// Remarks for the report.
    pub notes: Vec<String>,
    /// Whether the time limit or the user ended it.
    pub interrupted: bool,
    /// What is proved.
    pub proofs: Vec<exact::Proof>,
    /// What was held for proved and was contradicted.
    pub contradictions: Vec<Contradiction>,
    /// Whether a limit on the time of a query had a part in it.
    pub time_limited: bool,
}

/// Explores and solves. Where a build `flushes` subnormal numbers, the floats are not asked: their conditions do not.
pub fn run(
    request: &Request,
    prepared: &Prepared,
    domain: &Domain,
    known: &[Vec<u8>],
    clock: &Clock,
    progress: &dyn Progress,
    flushes: bool,
) -> Solving {
    let mut solving = Solving::default();
    let mut store = Store::new();
    let explorations: Vec<Option<Exploration>> = prepared.builds[..=prepared.variants]
        .iter()
        .map(|made| explore_build(request, prepared, made, &mut store, clock, &mut solving.notes))
        .collect();
    if let Some(folder) = &request.run.dump_queries {
        // A copy, so that dumping leaves the numbers of terms as they are.
        float_queries::write(folder, store.clone(), &explorations, &domain.assumptions, &domain.inputs)
            .unwrap_or_else(|error| solving.notes.push(format!("conditions over the floats are not written: {error}")));
    }
    let mut exact = floats::solver(&request.run, EngineChoice::Portfolio);
    let is_over = || clock.stop(progress).is_some();
    let mut conditions =
        Conditions::collect(store, &explorations, &domain.assumptions, &domain.inputs, known, &mut *exact, &is_over);
    if conditions.left_out > 0 {
        solving.notes.push(format!("the limit left the conditions of {} operations out", conditions.left_out));
        solving.time_limited = true;
    }
    solving.conditions = conditions.sites.len();
    (solving.conditions_baseline, solving.conditions_variant) = conditions.counts();
    if conditions.inexpressible > 0 {
        solving.notes.push(format!("{} site conditions have no reading over the reals", conditions.inexpressible));
    }
    let base = known.first().cloned().unwrap_or_else(|| domain.space.origin());
    let variables = Variables::new(&mut conditions.store, &mut conditions.abstraction, &domain.inputs, base);
    solving.branches = Branches::of(&mut conditions, &explorations, &variables);
    if conditions.sites.is_empty() {
        return solving;
    }
    if !flushes {
        progress.phase("solving over the floats");
        let roles: Vec<String> = prepared.builds.iter().map(|made| made.build.role.clone()).collect();
        let mut answers = exact::ask(request, &roles, &explorations, domain, &mut conditions.store, clock, progress);
        let analysed = prepared.builds.iter().filter_map(|made| made.analysed.as_deref());
        // Over the floats of SMT-LIB there is one NaN, and it is quiet.
        if analysed.clone().any(Analysed::holds_signaling_nan) {
            answers.forget_proofs_of(Flags::INVALID);
        }
        let store = &mut conditions.store;
        exact::second_opinions(request, &prepared.signature, domain, store, &mut answers, clock, progress);
        solving.take_exact(answers);
        progress.phase("solving");
    }
    let budget = Budget::default();
    let reals = match RealQuestions::new(&request.run, budget.limits, PATIENCE, clock) {
        Ok(reals) => reals,
        Err(why) => {
            solving.unknown = solving.conditions;
            solving.notes.push(why);
            return solving;
        }
    };
    let mut asking = Asking { reals, inputs: &domain.inputs, budget, clock, progress };
    solving.take(asking.solve(&mut conditions, &variables, known));
    progress.phase("solving differences");
    solve_differences(&mut conditions, &mut asking, &variables, &mut solving);
    if solving.time_limited {
        solving.notes.push("a limit on time ended some queries: another run may decide others".to_owned());
    }
    solving
}

fn explore_build(
    request: &Request,
    prepared: &Prepared,
    made: &Made,
    store: &mut Store,
    clock: &Clock,
    notes: &mut Vec<String>,
) -> Option<Exploration> {
    let analysed = made.analysed.as_ref()?;
    let options = Options {
        max_instructions: PATH_INSTRUCTIONS,
        max_total_instructions: INSTRUCTIONS,
        ..paths::options(&request.run, clock.share(EXPLORING_SHARE).deadline(EXPLORATION_LIMIT))
    };
    let exploration = paths::follow(analysed, &prepared.signature, store, &options, &mut EveryPath);
    notes.extend(paths::early_ends(&exploration).map(|note| format!("{}: {note}", made.build.role)));
    Some(exploration)
}

impl Solving {
    fn take_exact(&mut self, answers: ExactAnswers) {
        (self.exact, self.exact_sat, self.exact_unsat) = (answers.asked, answers.sat, answers.unsat);
        self.exact_inputs = answers.inputs;
        self.time_limited |= answers.time_limited;
        self.proofs = answers.proofs;
        self.contradictions = answers.contradictions;
        self.notes.extend(answers.notes);
    }

    fn take(&mut self, solved: Solved) {
        self.sat_by_solver = solved.by_solver;
        self.sat_by_known = solved.by_known;
        self.unsat = solved.unsat;
        self.unknown = solved.unknown.values().sum();
        self.interrupted |= solved.interrupted;
        self.inputs = solved.inputs;
        if !solved.unknown.is_empty() {
            let reasons: Vec<String> =
                solved.unknown.iter().map(|(reason, count)| format!("{count} by {reason}")).collect();
            self.notes.push(format!("undecided site conditions: {}", reasons.join(", ")));
        }
        self.time_limited |= solved.time_limited;
    }
}

/// Every combination of integers and variants.
fn in_turn(integers: &[Vec<u128>], variants: std::ops::Range<usize>) -> Vec<(Vec<u128>, usize)> {
    integers.iter().flat_map(|values| variants.clone().map(|variant| (values.clone(), variant))).collect()
}

/// Asks for inputs on which one build raises an exception and the other does not.
fn solve_differences(
    conditions: &mut Conditions,
    asking: &mut Asking<'_>,
    variables: &Variables,
    solving: &mut Solving,
) {
    let options = DifferentialOptions::default();
    let limits = Limits { work: options.work, ..asking.budget.limits };
    let mut ranges = conditions.assumptions.clone();
    ranges.extend(variables.domain(&mut conditions.store).ranges);
    let mut distinct: IndexSet<Vec<u8>> = IndexSet::new();
    let variants = 1..conditions.executions.len();
    for (integers, variant) in in_turn(&conditions.integers.witnesses(), variants) {
        let baseline = conditions.executions_with(0, &integers);
        let variant = conditions.executions_with(variant, &integers);
        if baseline.is_empty() || variant.is_empty() || solving.differential >= options.max_conditions {
            continue;
        }
        let asked =
            differential_conditions(&mut conditions.store, &mut conditions.abstraction, &baseline, &variant, &options);
        let mut ask = |store: &Store, queries: &[Vec<TermId>]| asking.reals.check_within(store, queries, &limits);
        let (outcomes, candidates) = solve_differential(&mut conditions.store, &asked, &ranges, &options, &mut ask);
        solving.differential += outcomes.len();
        for outcome in &outcomes {
            match outcome {
                RealOutcome::Candidate(_) => solving.differential_sat += 1,
                RealOutcome::NoCandidate => solving.differential_unsat += 1,
                RealOutcome::Unknown(why) => {
                    solving.differential_unknown += 1;
                    solving.time_limited |= *why == Why::Wall;
                }
            }
        }
        for candidate in candidates {
            distinct.extend(variables.records(asking.inputs, &candidate.model, &conditions.integers, &integers));
        }
    }
    solving.differential_inputs = distinct.into_iter().collect();
}
