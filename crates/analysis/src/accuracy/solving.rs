//! Inputs that lose digits, by solvers: FPGen's conditions and ATOMU's on the function's paths.
//!
//! Each condition ([`labrys_symex::inaccuracy_conditions`]) goes to z3 over the reals, what that leaves open to the method of Barr, Vo, Le
//! and Su, which concretises all inputs but one after the other, and to the portfolio over the floats. A model over the reals is a point at
//! which a sum vanishes; other points of the same set have significands of their own ([`labrys_symex::Rescaling`]), for on powers of two all
//! is exact. Over the floats it is asked, too, that what is amplified was rounded.
//!
//! What comes of it are inputs to be run. All is limited by counts and by the solvers' own work, so that a run can be repeated.

use std::time::{Duration, Instant};

use indexmap::IndexSet;
use labrys_fuzz::neighbours;
use labrys_report::FoundBy;
use labrys_solver::{EngineChoice, FloatOutcome, FloatSolver, Limits, RealModel, RealOutcome, Why};
use labrys_symex::{
    EveryPath, Exploration, InaccuracyCondition, InaccuracyKind, InaccuracyOptions, Options, Rescaling,
    inaccuracy_conditions,
};
use labrys_term::reals::Abstraction;
use labrys_term::{Store, TermId};
use tracing::debug;

use super::judge::AccuracySearch;
use super::request::Request;
use crate::inputs::domain::Domain;
use crate::inputs::integers::Integers;
use crate::inputs::variables::Variables;
use crate::run::clock::{Clock, Stop};
use crate::search::Judge;
use crate::solving::method::Method;
use crate::solving::reals::RealQuestions;
use crate::solving::{floats, paths};
use crate::target::analysed::Analysed;
use crate::target::unit::Unit;
use crate::{AnalysisError, Progress};

/// Instructions of one path, and of all together: see `diff/solving.rs`.
const PATH_INSTRUCTIONS: u64 = 20_000;
/// See `PATH_INSTRUCTIONS`.
const INSTRUCTIONS: u64 = 200_000;
/// The longest that following paths may take: a backstop, for instructions are counted.
const EXPLORATION_LIMIT: Duration = Duration::from_secs(60);
/// Work of one query over the reals: a fortieth of a second.
const REAL_WORK: u64 = Limits::Z3_WORK_PER_SECOND / 40;
/// Work of the concretising method on one query: a hundredth of a second.
const METHOD_WORK: u64 = 50_000;
/// Work of one query over the floats, in instructions of the local search: a hundredth of a second. Circuits are not asked: those of the
/// exact error of a product take a second to make, and proofs are of no use here.
const FLOAT_WORK: u64 = 200_000;
/// The longest that one query may take of z3's own time.
const PATIENCE: Duration = Duration::from_secs(2);
/// Wall-clock time of one query.
const BACKSTOP: Duration = Duration::from_secs(60);
/// Points of one condition's set beside the first.
const POINTS: u64 = 2;

/// Hundredths of the inputs that are run before those that solvers propose.
const SEARCHED_FIRST: u64 = 75;
/// Neighbours of each proposal that are run.
const NEIGHBOURS: usize = 16;
/// The search after it draws other inputs than that before it.
const FURTHER: u64 = 3;
/// Bytes of the solving thread's stack: formulas are deep.
const SOLVER_STACK: usize = 1 << 26;

/// What solvers propose, and what they were asked.
#[derive(Clone, Debug, Default)]
pub struct Proposals {
    /// Inputs, each with whose condition it satisfies.
    pub inputs: Vec<(FoundBy, Vec<u8>)>,
    /// Conditions.
    pub asked: usize,
    /// Of these, with a model over the reals.
    pub real: usize,
    /// Of these, with one over the floats.
    pub float: usize,
}

/// The first search, with solvers beside it; then what these propose and what is around that, and the rest of the search.
///
/// # Errors
///
/// As [`AccuracySearch::submit`], and where the system gives no thread.
pub fn search_and_solve(
    search: &mut AccuracySearch<'_>,
    request: &Request,
    unit: &Unit,
    domain: &Domain,
    [first, whole]: [&Clock; 2],
    progress: &dyn Progress,
) -> Result<Option<Stop>, AnalysisError> {
    let Ok(analysed) = unit.analysed.as_deref() else { return search.guided(0, whole) };
    search.allow(SEARCHED_FIRST);
    let (proposals, searched) = std::thread::scope(|scope| {
        let solving = || propose(request, unit, analysed, domain, first, progress);
        let solver = std::thread::Builder::new().stack_size(SOLVER_STACK).spawn_scoped(scope, solving);
        let searched = search.guided(0, first);
        (solver.map(|solver| solver.join()), searched)
    });
    let stop = searched?;
    search.allow(100);
    if stop == Some(Stop::Interrupted) {
        return Ok(stop);
    }
    let Ok(Ok(proposals)) = proposals else {
        return Err(AnalysisError::Internal("there is no thread to solve in, or it died"));
    };
    let found = search.judge.found();
    let records: Vec<Vec<u8>> = proposals.inputs.iter().map(|(_, record)| record.clone()).collect();
    for (found_by, record) in proposals.inputs {
        if let Some(stop) = search.submit(vec![record], found_by, whole)? {
            return Ok(Some(stop));
        }
    }
    for record in records {
        let around = neighbours(&domain.space, &record, NEIGHBOURS);
        if let Some(stop) = search.submit(around, FoundBy::Neighbourhood, whole)? {
            return Ok(Some(stop));
        }
    }
    // A search that had come to its end goes on only from what is new.
    if stop.is_none() && search.judge.found() == found {
        return Ok(None);
    }
    search.guided(FURTHER, whole)
}

/// Asks for inputs that lose digits, until the clock ends it.
fn propose(
    request: &Request,
    unit: &Unit,
    analysed: &Analysed,
    domain: &Domain,
    clock: &Clock,
    progress: &dyn Progress,
) -> Proposals {
    let mut store = Store::new();
    let init = unit.init.as_deref().and_then(|symbol| analysed.program.function(symbol));
    let options = Options {
        max_instructions: PATH_INSTRUCTIONS,
        max_total_instructions: INSTRUCTIONS,
        init,
        ..paths::options(&request.run, clock.deadline(EXPLORATION_LIMIT))
    };
    let exploration = paths::follow(analysed, &unit.signature, &mut store, &options, &mut EveryPath);
    let conditions = inaccuracy_conditions(&mut store, &exploration.executions, &InaccuracyOptions::default());
    if conditions.is_empty() {
        return Proposals::default();
    }
    let proposals = Proposals { asked: conditions.len(), ..Proposals::default() };
    let mut asking = Asking { request, domain, clock, progress, exploration: &exploration, proposals };
    asking.ask_floats(&mut store, &conditions);
    debug!(function = unit.name, "asked over the floats");
    asking.ask_reals(&mut store, &conditions);
    let mut seen = IndexSet::new();
    asking.proposals.inputs.retain(|(_, record)| seen.insert(record.clone()));
    let Proposals { inputs, asked, real, float } = &asking.proposals;
    debug!(function = unit.name, asked, real, float, inputs = inputs.len(), "conditions of lost digits");
    asking.proposals
}

/// What asking needs, and what it came to.
struct Asking<'a> {
    request: &'a Request,
    domain: &'a Domain,
    clock: &'a Clock,
    progress: &'a dyn Progress,
    exploration: &'a Exploration,
    proposals: Proposals,
}

/// A condition over the reals.
struct RealCondition {
    kind: InaccuracyKind,
    query: Vec<TermId>,
    integers: Vec<u128>,
}

impl Asking<'_> {
    fn is_over(&self) -> bool {
        self.clock.stop(self.progress).is_some()
    }

    /// Keeps a record, at the floats that inputs may be.
    fn propose(&mut self, kind: InaccuracyKind, mut record: Vec<u8>) {
        self.domain.space.clamp(&mut record);
        let found_by = match kind {
            InaccuracyKind::Cancellation => FoundBy::Cancellation,
            InaccuracyKind::Amplification => FoundBy::Amplification,
        };
        self.proposals.inputs.push((found_by, record));
    }

    /// Over the floats, bit for bit but for functions of libm, which may have any result here.
    fn ask_floats(&mut self, store: &mut Store, conditions: &[InaccuracyCondition]) {
        let constraints = floats::constraints(&self.request.run, self.domain, store);
        for condition in conditions {
            if self.is_over() {
                return;
            }
            let query = [&constraints[..], &[condition.term, condition.rounded]].concat();
            let limits = floats::limits(FLOAT_WORK, BACKSTOP, self.clock);
            let mut solver = floats::solver(&self.request.run, EngineChoice::Local);
            if let FloatOutcome::Sat(model) = solver.check_once(store, &query, &limits) {
                self.proposals.float += 1;
                let record = self.domain.record_of(store, &model);
                self.propose(condition.kind, record);
            }
        }
    }

    /// Over the reals: a point of each condition's set and others of it; where z3 has none, by concretising.
    fn ask_reals(&mut self, store: &mut Store, conditions: &[InaccuracyCondition]) {
        let inputs = &self.domain.inputs;
        let mut abstraction = Abstraction::new();
        let mut integers = Integers::new(store, inputs);
        let variables = Variables::new(store, &mut abstraction, inputs, self.domain.space.origin());
        let mut solver = floats::solver(&self.request.run, EngineChoice::Portfolio);
        let ranges = self.ranges(store, &mut abstraction, &variables);
        let read: Vec<RealCondition> = conditions
            .iter()
            .filter_map(|of| self.read(store, &mut abstraction, &mut integers, &mut *solver, &ranges, of))
            .collect();
        let limits = Limits { work: REAL_WORK, wall: BACKSTOP, ..Limits::default() };
        let reals = RealQuestions::new(&self.request.run, limits, PATIENCE, self.clock);
        let method = Method::new(store, &abstraction, self.exploration, &variables, inputs);
        let queries: Vec<Vec<TermId>> = read.iter().map(|of| of.query.clone()).collect();
        let check = |store: &Store, queries: &[Vec<TermId>]| match &reals {
            Ok(reals) => reals.check_within(store, queries, &limits),
            Err(why) => vec![RealOutcome::Unknown(Why::Incomplete(why.clone())); queries.len()],
        };
        let outcomes = check(store, &queries);
        // Others of the same set, for those that have one.
        let (mut further, mut of) = (Vec::new(), Vec::new());
        for (condition, _) in read.iter().zip(&outcomes).filter(|(_, of)| matches!(of, RealOutcome::Candidate(_))) {
            for seed in 0..POINTS {
                let rescaling = Rescaling::new(store, &condition.query, seed);
                further.push(condition.query.iter().map(|term| rescaling.apply(store, *term)).collect());
                of.push((condition, rescaling));
            }
        }
        let points = if self.is_over() { Vec::new() } else { check(store, &further) };
        let keep = |asking: &mut Self, condition: &RealCondition, model: &RealModel| {
            for record in variables.records(inputs, model, &integers, &condition.integers) {
                asking.propose(condition.kind, record);
            }
        };
        for (condition, outcome) in read.iter().zip(outcomes) {
            let found = match outcome {
                RealOutcome::Candidate(model) => {
                    keep(self, condition, &model);
                    self.by_method(store, &method, condition, Some(&model)).filter(|moved| moved.values != model.values)
                }
                RealOutcome::NoCandidate => continue,
                RealOutcome::Unknown(_) => self.by_method(store, &method, condition, None),
            };
            self.proposals.real += 1;
            if let Some(model) = found {
                keep(self, condition, &model);
            }
        }
        for ((condition, rescaling), outcome) in of.iter().zip(points) {
            if let RealOutcome::Candidate(model) = outcome {
                keep(self, condition, &rescaling.decode(&model));
            }
        }
    }

    fn by_method(
        &self,
        store: &Store,
        method: &Method,
        condition: &RealCondition,
        start: Option<&RealModel>,
    ) -> Option<RealModel> {
        if self.is_over() {
            return None;
        }
        let wall = self.clock.deadline(BACKSTOP).saturating_duration_since(Instant::now());
        let limits = Limits { work: METHOD_WORK, wall, memory_mib: 0 };
        method.solve(store, &condition.query, start, self.request.run.seed, limits).0
    }

    /// What holds of all inputs, as far as the reals can say it.
    fn ranges(&self, store: &mut Store, abstraction: &mut Abstraction, variables: &Variables) -> Vec<TermId> {
        let mut ranges = variables.domain(store).ranges;
        for assumption in &self.domain.assumptions {
            let term = assumption.term(&self.domain.inputs, store);
            ranges.extend(abstraction.term(store, term).ok());
        }
        ranges
    }

    /// A condition's query; none where the reals cannot say it, or no integers lead there.
    fn read(
        &self,
        store: &mut Store,
        abstraction: &mut Abstraction,
        integers: &mut Integers,
        solver: &mut dyn FloatSolver,
        ranges: &[TermId],
        condition: &InaccuracyCondition,
    ) -> Option<RealCondition> {
        let mut execution = self.exploration.executions.get(condition.site)?.clone();
        execution.path = condition.term;
        let split = integers.split(store, &execution);
        let values = integers.witness(store, split.integers, &self.domain.inputs, &[], solver)?;
        let term = abstraction.term(store, split.execution.path).ok()?;
        let sides = abstraction.side_conditions_of(store, &[term]);
        Some(RealCondition { kind: condition.kind, query: [ranges, &sides, &[term]].concat(), integers: values })
    }
}
