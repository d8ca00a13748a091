//! The analysis of one function: search for large errors, certainty about them, whose fault they are.
//!
//! 1. A search on native code, guided by guesses of true values (`judge`): inputs of all magnitudes, ordinary ones, moves from those of
//!    the largest errors, bisection to where sums cancel.
//! 2. The inputs with the largest errors again, in fresh processes, against certified truths (`confirmed`).
//! 3. Whose fault each is (`fault`), and which operations made it (`causes`, `findings`).

use labrys_interp::Limits;
use labrys_native::Driver;
use labrys_program::Leaf;
use labrys_report::{
    Contradiction, ErrorBound, ErrorOperations, Finding, FoundBy, FunctionSummary, Severity, Status, grouped,
    input_values,
};
use serde::{Deserialize, Serialize};

use super::bounding::{Bounded, bounds};
use super::candidates::{Candidate, Candidates, Group, Objective};
use super::causes::Causes;
use super::confirmed::{ConfirmedError, ConfirmedErrors, confirm};
use super::findings::{Findings, measures};
use super::judge::{AccuracyJudge, AccuracySearch, PERSISTENCE, base};
use super::reference::{self, ReferenceFiles, Resolved};
use super::request::Request;
use super::shadowed::Shadowed;
use super::solving::search_and_solve;
use crate::inputs::domain::{Domain, DomainRequest};
use crate::observation::start::start;
use crate::run::clock::{Clock, Stop};
use crate::run::stage_times::StageTimes;
use crate::search::{Search, SearchSettings};
use crate::target::analysed::Analysed;
use crate::target::unit::Unit;
use crate::truth::Oracle;
use crate::truth::{Metric, OutputError};
use crate::{AnalysisError, Progress};

/// Inputs drawn before anything else.
const SEED_INPUTS: usize = 512;
/// Those after which a function that never returned is given up.
const FIRST_INPUTS: usize = 40;
/// Of a function's time, the hundredths by which bounds are proved.
const BOUNDS_END: u32 = 30;
/// Of a function's time, the hundredths by which solvers and the search beside them end.
const SOLVED_END: u32 = 40;
/// Of the time for the search and what comes after it, the hundredths by which the search for large errors ends.
const ERRORS_END: u32 = 50;
/// The same of the search for errors that are the program's fault.
const SEARCH_ENDS: u32 = 75;
/// Of these, those for errors as large as a bound allows, where one is proved.
const BOUNDED_SEARCH: u32 = 12;
/// The search for errors that has the inputs of that for whose fault they are draws others than those before it.
const UNBLAMED: u64 = 4;
/// Candidates of each group of which some are confirmed.
const CONFIRMED: usize = 8;
/// Instructions that a run in arbitrary precision executes at most: some hundredths of a second.
const LIMITS: Limits = Limits { instructions: 200_000, depth: 256, object: 1 << 26 };

/// What one function came to: what a library run keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionResult {
    /// Its line in the list of functions.
    pub summary: FunctionSummary,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
    /// Remarks.
    pub notes: Vec<String>,
    /// What is proved of errors.
    pub bounds: Vec<ErrorBound>,
    /// The certificates' texts, for each bound.
    pub certificates: Vec<Vec<String>>,
    /// Which operations made most of all errors.
    #[serde(default)]
    pub operations: ErrorOperations,
    /// Bounds that were exceeded.
    pub contradictions: Vec<Contradiction>,
    /// Inputs run.
    pub inputs: u64,
    /// Inputs run by the plain sampler, where it was asked for.
    pub random_inputs: Option<u64>,
    /// Seconds it took.
    pub seconds: f64,
    /// Seconds of search to the first large error.
    pub first_large: Option<f64>,
}

/// Analyses one function.
///
/// # Errors
///
/// Where its worker cannot be started, an assumption does not fit it, or there is nothing to compute true values of.
pub fn analyse(
    request: &Request,
    files: &ReferenceFiles,
    unit: &Unit,
    driver: &Driver,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<FunctionResult, AnalysisError> {
    let progress: &dyn Progress = &StageTimes::new(&unit.name, progress);
    let analysed = analysed(unit)?;
    let reference = reference::resolve(request, files, unit)?;
    let mut domain = Domain::new(&DomainRequest { grid: request.grid, ..request.run.domain() }, &unit.signature)?;
    domain.know_literals(std::iter::once(analysed));
    let mut observer = start(&request.run, unit, driver)?;
    let oracle = oracle(unit, analysed, reference.as_ref());
    let mut judge = AccuracyJudge::new(&mut observer, oracle, &domain.outputs, request.metric);
    let (shadowed, bounded) = std::thread::scope(|scope| {
        let shadowed =
            wants_shadow(request, &judge).then(|| scope.spawn(|| Shadowed::start(&request.run, unit, analysed, clock)));
        let bounded = if request.proves_bounds {
            progress.phase("bounding errors");
            bounds(request, unit, analysed, &domain, &clock.share(BOUNDS_END))
        } else {
            Vec::new()
        };
        progress.phase("making its shadow");
        let shadowed = shadowed.map(|made| made.join().unwrap_or_else(|_| Err("it could not be made".to_owned())));
        (shadowed, bounded)
    });
    let shadowless = match shadowed {
        Some(Err(why)) => Some(without_shadow(&why)),
        other => {
            judge.shadowed = other.and_then(Result::ok);
            None
        }
    };
    // The search has its parts of what is left.
    let (begun, clock) = (clock, &clock.starting_now());
    let settings = SearchSettings::new(&request.run, &domain, PERSISTENCE, clock, progress);
    progress.phase("searching");
    let (mut search, stop) = run_search(request, unit, &domain, settings, judge, clock)?;
    if search.inputs > 0 && search.abnormal == search.inputs {
        return Err(AnalysisError::Usage(format!("no call of {} returned: a crash, a time-out or an exit", unit.name)));
    }
    progress.phase("confirming");
    let chosen = search.judge.candidates.best(CONFIRMED);
    let leaves = &domain.outputs.leaves;
    let confirmed = confirm(&mut search.judge, &chosen, request.metric, clock, leaves)?;
    progress.phase("looking for causes");
    let of = Findings {
        analysed,
        name: &unit.name,
        signature: &unit.signature,
        init: unit.init.as_deref(),
        domain: &domain,
        request,
        clock,
        reference: reference.as_ref().map(|reference| reference.name.as_str()),
    };
    let mut causes = Causes::new(&analysed.program);
    let findings = of.of(&mut search.judge, &confirmed, &mut causes)?;
    let operations = causes.of_all(&mut search.judge.oracle, &confirmed, clock);
    let mut contradictions = Vec::new();
    let bounded = bounded.into_iter().map(|bounded| beside(bounded, &confirmed, unit, leaves, &mut contradictions));
    let (bounds, certificates) = bounded.unzip();
    let limited = matches!(stop, Some(Stop::Time | Stop::Interrupted)) || confirmed.is_cut_short;
    let summary = FunctionSummary {
        status: if limited { Status::Limit } else { Status::Complete },
        findings: findings.iter().map(|finding| finding.id.clone()).collect(),
        ..unit.summary()
    };
    let mut notes = [&unit.remarks[..], &unit.never_null()].concat();
    notes.extend(shadowless);
    notes.extend(remarks(&search, &confirmed));
    let (inputs, first_large) = (search.inputs, search.judge.first_large);
    let mut random_inputs = None;
    if request.compare_random && request.run.given.is_empty() {
        progress.phase("sampling for comparison");
        let (tested, note) = sample(request, search, settings, clock, leaves)?;
        random_inputs = Some(tested);
        notes.push(note);
    }
    let seconds = begun.elapsed().as_secs_f64();
    Ok(FunctionResult {
        summary,
        findings,
        notes,
        bounds,
        certificates,
        operations,
        contradictions,
        inputs,
        random_inputs,
        seconds,
        first_large,
    })
}

/// What plain sampling of as many inputs comes to: how many it ran, and the largest error as a remark.
fn sample(
    request: &Request,
    search: AccuracySearch<'_>,
    settings: SearchSettings<'_>,
    clock: &Clock,
    leaves: &[Leaf],
) -> Result<(u64, String), AnalysisError> {
    let settings = SearchSettings { max_inputs: search.inputs, ..settings };
    let mut judge = search.judge;
    judge.candidates = Candidates::default();
    judge.objective = Objective::Error;
    let mut sampler = Search::new(settings, judge);
    sampler.sample(clock)?;
    let tested = sampler.inputs;
    let chosen = sampler.judge.candidates.best(CONFIRMED);
    let confirmed = confirm(&mut sampler.judge, &chosen, request.metric, clock, leaves)?;
    let measure = |error: &&ConfirmedError| request.metric.of(&error.error, &error.truth);
    let worst = confirmed.by_group.values().flatten().max_by(|a, b| measure(a).total_cmp(&measure(b)));
    let largest = match worst {
        Some(worst) => format!(
            "{} is off by {} at most",
            base(&leaves[worst.leaf]),
            measures(&worst.error, &worst.truth, request.metric).words()
        ),
        None => "no error".to_owned(),
    };
    Ok((tested, format!("plain sampling, {} inputs: {largest}", grouped(tested))))
}

/// A bound beside the largest error seen; withdrawn where that is larger.
fn beside(
    Bounded { mut bound, certificates }: Bounded,
    confirmed: &ConfirmedErrors,
    unit: &Unit,
    leaves: &[Leaf],
    contradictions: &mut Vec<Contradiction>,
) -> (ErrorBound, Vec<String>) {
    let of_output = confirmed.by_group.values().flatten().filter(|error| leaves[error.leaf].path == bound.output);
    let largest = of_output.max_by(|a, b| a.error.absolute.total_cmp(&b.error.absolute));
    bound.seen = largest.map(|error| error.error.absolute).filter(|seen| seen.is_finite());
    let Some((error, absolute)) = largest.zip(bound.absolute) else { return (bound, certificates) };
    if error.error.absolute <= absolute {
        return (bound, certificates);
    }
    let claim = format!("an error of {} above {absolute:e}", bound.output);
    contradictions.push(Contradiction::observed(claim, "bounds", input_values(&unit.signature, &error.record)));
    bound.why = Some(format!("{:e} was proved and then exceeded", absolute));
    (bound.absolute, bound.relative) = (None, None);
    (bound, Vec::new())
}

/// The error of an output on one input: its kind and size; none where it has none, or it is not certain.
///
/// # Errors
///
/// As [`analyse`].
pub fn error_on(
    request: &Request,
    files: &ReferenceFiles,
    unit: &Unit,
    driver: &Driver,
    record: &[u8],
    output: &str,
) -> Result<Option<(Severity, OutputError)>, AnalysisError> {
    let analysed = analysed(unit)?;
    let reference = reference::resolve(request, files, unit)?;
    let outputs = unit.signature.output_layout();
    let mut observer = start(&request.run, unit, driver)?;
    let oracle = oracle(unit, analysed, reference.as_ref());
    let mut judge = AccuracyJudge::new(&mut observer, oracle, &outputs, request.metric);
    let of = |is_other_class| {
        let group = outputs.leaves.iter().find(|leaf| leaf.path == output).map(base).unwrap_or_default();
        let candidate = Candidate { record: record.to_vec(), score: 0.0, found_by: FoundBy::Given };
        (Group { output: group, objective: Objective::Error, is_other_class }, candidate)
    };
    let clock = Clock::start(request.run.time);
    let confirmed = confirm(&mut judge, &[of(false), of(true)], request.metric, &clock, &outputs.leaves)?;
    let worst = confirmed.by_group.into_values().flatten().next();
    Ok(worst.map(|worst| (worst.severity, worst.error)))
}

fn analysed(unit: &Unit) -> Result<&Analysed, AnalysisError> {
    let leaves = unit.signature.output_layout().leaves;
    if !leaves.iter().any(|leaf| matches!(leaf.scalar, labrys_program::ScalarType::Float(_))) {
        return Err(AnalysisError::Usage(format!("{} has no floating-point result", unit.name)));
    }
    unit.analysed
        .as_deref()
        .map_err(|why| AnalysisError::Usage(format!("{} has no IR to compute true values with: {why}", unit.name)))
}

fn oracle<'p>(unit: &'p Unit, analysed: &'p Analysed, reference: Option<&'p Resolved>) -> Oracle<'p> {
    let init = unit.init.as_deref();
    let reference = reference.map(|reference| reference.truth(init, LIMITS));
    let init = init.and_then(|symbol| analysed.program.function(symbol));
    Oracle::new(analysed, &unit.signature, init, LIMITS, reference)
}

/// Looks for large errors, then for those that are the program's fault, beginning with the largest.
fn run_search<'a>(
    request: &Request,
    unit: &Unit,
    domain: &Domain,
    settings: SearchSettings<'a>,
    judge: AccuracyJudge<'a>,
    clock: &Clock,
) -> Result<(AccuracySearch<'a>, Option<Stop>), AnalysisError> {
    // Each search has its part of the inputs.
    let can_blame = AccuracyJudge::can_blame(domain.inputs.leaves.len());
    // Where the measure is the absolute error, that a bound is of is looked for as it is.
    let bounds_search = request.proves_bounds && request.metric != Metric::Absolute;
    let searches = 1 + u64::from(can_blame) + u64::from(bounds_search);
    let part = settings.max_inputs / searches;
    let whole = SearchSettings { max_inputs: (settings.max_inputs - part * (searches - 1)).max(1), ..settings };
    let settings = SearchSettings { max_inputs: part.max(1), ..settings };
    let mut search = Search::new(whole, judge);
    if !request.run.given.is_empty() {
        let stop = search.submit(domain.given(&request.run.given)?, FoundBy::Given, clock)?;
        return Ok((search, stop));
    }
    // A search for what a bound is of has its time, whichever it is.
    let is_bounded_search = request.proves_bounds && request.metric == Metric::Absolute;
    let first = clock.share(ERRORS_END + if is_bounded_search { BOUNDED_SEARCH } else { 0 });
    let mut seeds = domain.seeds(request.run.seed, SEED_INPUTS / 2)?;
    seeds.extend(domain.related(request.run.seed, SEED_INPUTS / 2));
    let later = seeds.split_off(FIRST_INPUTS.min(seeds.len()));
    let mut stop = search.submit(seeds, FoundBy::Random, &first)?;
    if search.is_hopeless() {
        let (name, inputs) = (&unit.name, search.inputs);
        return Err(AnalysisError::Usage(format!(
            "{name} does not return: each of {inputs} calls ran out of time (--call-timeout)"
        )));
    }
    if stop.is_none() {
        stop = search.submit(later, FoundBy::Random, &first)?;
    }
    let clocks = [&clock.share(SOLVED_END), &first];
    let stop = match stop {
        Some(stop) => Some(stop),
        None => search_and_solve(&mut search, request, unit, domain, clocks, settings.progress)?,
    };
    let mut stop = match stop {
        // There is nobody to blame for what is not there: its inputs go to the search for errors.
        Some(Stop::Work) if can_blame && search.judge.candidates.is_empty() => {
            search.add_inputs(part);
            search.guided(UNBLAMED, &clock.share(SEARCH_ENDS - if bounds_search { BOUNDED_SEARCH } else { 0 }))?
        }
        stop => stop,
    }
    .filter(|stop| *stop != Stop::Work);
    let mut further = Vec::new();
    if can_blame && !search.judge.candidates.is_empty() {
        further.push((Objective::Excess, SEARCH_ENDS - if bounds_search { BOUNDED_SEARCH } else { 0 }));
    }
    if bounds_search {
        further.push((Objective::Absolute, SEARCH_ENDS));
    }
    for (objective, end) in further {
        if stop == Some(Stop::Interrupted) {
            break;
        }
        let (next, ended) = search_further(search, objective, settings, &clock.share(end))?;
        search = next;
        stop = stop.or(ended.filter(|ended| *ended == Stop::Interrupted));
    }
    Ok((search, stop))
}

/// Goes on with another objective, from the inputs at hand.
fn search_further<'a>(
    search: AccuracySearch<'a>,
    objective: Objective,
    settings: SearchSettings<'a>,
    clock: &Clock,
) -> Result<(AccuracySearch<'a>, Option<Stop>), AnalysisError> {
    let known: Vec<Vec<u8>> =
        search.judge.candidates.iter().flat_map(|(_, kept)| kept).map(|candidate| candidate.record.clone()).collect();
    let (inputs, abnormal) = (search.inputs, search.abnormal);
    let mut judge = search.judge;
    judge.objective = objective;
    let mut search = Search::new(settings, judge);
    let stop = search.submit(known, FoundBy::Guided, clock)?;
    let stop = if stop.is_some() { stop } else { search.guided(objective as u64, clock)? };
    search.inputs += inputs;
    search.abnormal += abnormal;
    Ok((search, stop))
}

/// Whether true values are to be estimated: a reference has no shadow here, and few inputs need none.
fn wants_shadow(request: &Request, judge: &AccuracyJudge<'_>) -> bool {
    !judge.oracle.has_reference() && request.run.given.is_empty()
}

/// That the search was a slow one.
fn without_shadow(why: &str) -> String {
    format!("the search had true values by arbitrary precision alone, which takes longer: {why}")
}

/// What the report should say of inputs that came to nothing.
fn remarks(search: &AccuracySearch<'_>, confirmed: &ConfirmedErrors) -> Vec<String> {
    let mut notes = Vec::new();
    let AccuracyJudge { unresolved, asked, why_unresolved, shadowed, .. } = &search.judge;
    if let Some(why) = why_unresolved {
        let of = if shadowed.is_some() { "of which one was asked for " } else { "" };
        notes.push(format!("{unresolved} of {asked} inputs {of}have no true value: {why}"));
    }
    if let Some(why) = shadowed.as_ref().and_then(Shadowed::ended) {
        notes.push(without_shadow(why));
    }
    if let Some(why) = &confirmed.why {
        notes.push(format!(
            "{} large errors are no findings, for their true values are not certain: {why}",
            confirmed.unresolved
        ));
    }
    if confirmed.unstable > 0 {
        notes.push(format!(
            "{} large errors are no findings: results are not the same on every run",
            confirmed.unstable
        ));
    }
    notes.extend(confirmed.leftovers.note("witnesses"));
    if search.abnormal > 0 {
        let (abnormal, inputs) = (search.abnormal, search.inputs);
        notes.push(format!("{abnormal} of {inputs} inputs did not return: a crash, a time-out or an exit"));
    }
    notes
}
