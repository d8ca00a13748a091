//! The analysis of one function, from its pairs to findings and verdicts.
//!
//! 1. Every site and exception of the function and of what it calls (`pairs`).
//! 2. A search domain of few inputs is run whole (`enumeration`), which decides nearly all; of others a first search on native
//!    code (`search`): most of what can be seen is seen in a second.
//! 3. What abstract interpretation rules out for all inputs (`impossible`), which is then doubted (`sampled`).
//! 4. Symbolic execution; what is left of each open pair, intervals asked first (`cases`).
//! 5. Quick proofs over the floats (`exact`); conditions over the reals, solved, their candidates run (`reals`); what is still
//!    open, over the floats again, with more time.
//! 6. The rest of the search; second opinions on the solver's proofs (`opinions`); then shrinking, classifying, confirming (`distill`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_native::{Driver, Filling, Startup, Tracing, WorkerConfig, WorkerLimits};
use labrys_report::{Contradiction, Finding, FunctionSummary, Opinion, SiteRecord, Status, Verdict, VerdictCounts};
use labrys_symex::{EveryPath, Exploration, Feasibility, OpenSites, Options, StopReason, explore, static_sites};
use labrys_term::Store;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::caller_goal::Assignment;
use super::cases;
use super::directed::DirectedSearch;
use super::distill::Distiller;
use super::enumeration::Enumeration;
use super::evidence::Evidence;
use super::exact::{self, Exact, ExactSteps, QUICK, THOROUGH};
use super::opinions::{Opinions, Refuted, claim_words, unasked};
use super::pairs::{PairKey, Pairs};
use super::range_proofs;
use super::reals::{Asking, RealSteps};
use super::request::Request;
use super::sampled::Sampled;
use super::search::{ExceptionJudge, ExceptionSearch, FRUITLESS_ROUNDS, NEIGHBOURS};
use super::work::Work;
use crate::inputs::domain::Domain;
use crate::inputs::origin::Origin;
use crate::observation::observer::Observer;
use crate::run::clock::{Clock, Stop};
use crate::search::{Search, SearchSettings};
use crate::target::unit::{Unit, parameters};
use crate::{AnalysisError, Progress, TracingChoice};

/// Of the inputs that may be run, the hundredths for the first search, and for it and solvers' candidates together.
const FIRST_SEARCH_INPUTS: u64 = 50;
/// See [`FIRST_SEARCH_INPUTS`].
const SOLVERS_INPUTS: u64 = 80;
/// Inputs drawn before anything is solved.
const SEED_INPUTS: usize = 2048;
/// Of a function's time, the hundredths by which a small search domain must have been run whole.
const ENUMERATION_ENDS: u32 = 25;
/// See [`ENUMERATION_ENDS`]. What its inputs raise must have been traced.
const SETTLING_ENDS: u32 = 60;
/// Of a function's time, the hundredths by which each stage ends.
const FIRST_SEARCH_ENDS: u32 = 12;
/// See [`FIRST_SEARCH_ENDS`].
const RANGES_END: u32 = 40;
/// See [`FIRST_SEARCH_ENDS`]. Where a function is asked for what others were seen to raise, calls come first.
const APPROACH_ENDS: u32 = 40;
/// See [`FIRST_SEARCH_ENDS`].
const CALLER_RANGES_END: u32 = 55;
/// See [`FIRST_SEARCH_ENDS`]. Inputs that contradict value ranges are looked for until then.
const DOUBTS_END: u32 = 57;
/// Of the inputs that may be run, one in so many is for doubting proofs.
const SAMPLED_PART: u64 = 16;
/// Of what is then left until [`EXACT_ENDS`], the hundredths for exploring paths; of what is left after that, those for quick
/// proofs; and again those for candidates over the reals.
const EXPLORING_SHARE: u32 = 35;
/// See [`EXPLORING_SHARE`].
const QUICK_SHARE: u32 = 40;
/// See [`EXPLORING_SHARE`].
const REALS_SHARE: u32 = 40;
/// See [`FIRST_SEARCH_ENDS`].
const EXACT_ENDS: u32 = 76;
/// See [`FIRST_SEARCH_ENDS`]. Confirming comes next.
const SEARCH_ENDS: u32 = 82;
/// See [`FIRST_SEARCH_ENDS`]. Second opinions have a tenth of the time at most.
const OPINIONS_END: u32 = 92;
/// See [`FIRST_SEARCH_ENDS`].
const IMPROVING_ENDS: u32 = 96;
/// So many calls must fit into a function's time, though none ends before [`SHORTEST_CALL`].
const CALLS: u32 = 500;
/// Processor time that any call may take.
const SHORTEST_CALL: Duration = Duration::from_millis(20);
/// The longest that one traced call may take.
const TRACED_CALL: Duration = Duration::from_secs(2);
/// Events of one call that are traced: what a loop raises again and again teaches nothing.
const TRACED_EVENTS: usize = 256;
/// How far libm's functions may be from the correctly rounded value where the user does not say.
const DEFAULT_LIBM_ULPS: u32 = 4;
/// The longest that exploring may take where the user sets no limit.
const EXPLORATION_LIMIT: Duration = Duration::from_secs(60);

/// The longest that value ranges may take where the user sets no limit.
const RANGES_LIMIT: Duration = Duration::from_secs(60);

/// What one function came to: what a library run keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionResult {
    /// Its line in the list of functions.
    pub summary: FunctionSummary,
    /// Each site and operator-possible exception with its verdict.
    pub sites: Vec<SiteRecord>,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
    /// Remarks.
    pub notes: Vec<String>,
    /// Proofs that somebody contradicted.
    #[serde(default)]
    pub contradictions: Vec<Contradiction>,
    /// What was done.
    pub work: Work,
}

/// Analyses one function.
///
/// # Errors
///
/// Where its worker cannot be started, or an assumption does not fit it.
pub fn analyse(
    request: &Request,
    unit: &Unit,
    assignment: &Assignment,
    driver: &Driver,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<FunctionResult, AnalysisError> {
    let domain = Domain::new(&request.run.domain(), &unit.signature)?;
    let mut observer = start(request, unit, driver)?;
    let mut notes = unit.remarks.clone();
    let mut work = Work::default();
    let pairs = list_pairs(request, unit, assignment);

    let settings = SearchSettings {
        space: &domain.space,
        inputs: &domain.inputs,
        call_limit: call_limit(clock),
        seed: request.run.seed,
        max_inputs: request.run.max_work,
        fruitless_rounds: FRUITLESS_ROUNDS,
        neighbours: NEIGHBOURS,
        progress,
    };
    let judge = ExceptionJudge::new(pairs, &mut observer, &domain.outputs, request.run.watched);
    let mut search = Search::new(settings, judge);
    let mut all_paths = false;
    let mut contradictions = Vec::new();
    let stop = if request.run.given.is_empty() {
        let mut run = Run {
            request,
            unit,
            assignment,
            domain: &domain,
            clock,
            progress,
            notes: &mut notes,
            work: &mut work,
            contradictions: &mut contradictions,
        };
        let (stop, followed) = run.everything(&mut search)?;
        all_paths = followed;
        stop
    } else {
        search.submit(domain.given(&request.run.given)?, Origin::Given, clock)?
    };

    progress.phase("confirming and shrinking");
    let improving = clock.share(IMPROVING_ENDS);
    let distiller = Distiller {
        unit,
        domain: &domain,
        watched: request.run.watched,
        keeps_inputs: !request.run.given.is_empty(),
        improving: &improving,
        clock,
        progress,
    };
    let found = distiller.findings(&mut search)?;
    if found.unstable > 0 {
        let are_not = if found.unstable == 1 { "observation is no finding" } else { "observations are no findings" };
        notes.push(format!(
            "{} {are_not}, not the same on every run: what the function does depends on earlier calls, unused vector lanes or uninitialised memory",
            found.unstable
        ));
    }
    notes.extend(found.leftovers.note("witnesses"));
    if found.unconfirmed > 0 {
        notes.push(format!("the time limit left {} observations unconfirmed: they are not listed", found.unconfirmed));
    }
    if search.abnormal > 0 {
        notes.push(format!(
            "{} of {} inputs did not return: a crash, a time-out or an exit",
            search.abnormal,
            search.inputs + work.enumerated
        ));
    }
    work.inputs = search.inputs + work.enumerated;
    work.witnessed_inputs = search.judge.pairs.iter().map(|(_, pair)| pair.count).sum();
    work.seconds = clock.elapsed().as_secs_f64();
    let limited = matches!(stop, Some(Stop::Time | Stop::Interrupted)) || found.unconfirmed > 0;
    let mut result = result(unit, &search.judge.pairs, found.findings, limited, all_paths, notes, work);
    result.contradictions.extend(contradictions);
    Ok(result)
}

/// How long a call of the search may take: a small part of the function's time.
fn call_limit(clock: &Clock) -> Duration {
    let time = clock.limit().map(|limit| limit.saturating_duration_since(Instant::now()));
    time.map_or(Duration::MAX, |time| (time / CALLS).max(SHORTEST_CALL))
}

/// Starts the function's worker.
///
/// # Errors
///
/// Where it does not start or the library cannot be loaded.
pub fn start(request: &Request, unit: &Unit, driver: &Driver) -> Result<Observer, AnalysisError> {
    let way = request.run.tracing.resolved();
    let observer = Observer::start(WorkerConfig {
        command: request.run.worker.clone(),
        library: unit.library.clone(),
        signature: unit.signature.clone(),
        driver: driver.clone(),
        startup: Startup::Loaded,
        filling: Filling::Zeros,
        tracing: if way == TracingChoice::Step { Tracing::Step } else { Tracing::TrapThenStep },
        limits: WorkerLimits {
            call: request.run.call_timeout,
            traced_call: TRACED_CALL,
            events: TRACED_EVENTS,
            ..WorkerLimits::default()
        },
        init: unit.init.clone(),
        binds_lazily: unit.address.is_some(),
        address: unit.address,
    });
    let otherwise = match (&request.run.database, unit.address) {
        (Some(_), None) => format!(", --entry {} without a file takes all sources of -p", unit.name),
        _ => String::new(),
    };
    let observer = observer.map_err(|error| error.of_library("build", &otherwise))?;
    Ok(match way {
        TracingChoice::Interpreter => observer.interpreting(unit.analysed.as_ref().ok().cloned()),
        _ => observer.looking_again(),
    })
}

fn list_pairs(request: &Request, unit: &Unit, assignment: &Assignment) -> Pairs {
    match &unit.analysed {
        Ok(analysed) => {
            let sites = static_sites(&analysed.program, analysed.function);
            let mut pairs = Pairs::new(&analysed.program, &sites, (*unit.names).clone(), request.run.watched);
            pairs.rest_on(&unit.assumptions);
            pairs.focus_on(assignment.focus.clone());
            pairs
        }
        Err(_) => Pairs::of_observations((*unit.names).clone(), request.run.watched),
    }
}

/// The stages between listing the pairs and distilling findings.
struct Run<'a> {
    request: &'a Request,
    unit: &'a Unit,
    assignment: &'a Assignment,
    domain: &'a Domain,
    clock: &'a Clock,
    progress: &'a dyn Progress,
    notes: &'a mut Vec<String>,
    work: &'a mut Work,
    contradictions: &'a mut Vec<Contradiction>,
}

impl Run<'_> {
    /// Runs all stages; why they ended early, and whether every path was followed to its end.
    fn everything(&mut self, search: &mut ExceptionSearch<'_>) -> Result<(Option<Stop>, bool), AnalysisError> {
        let time = self.clock.share(ENUMERATION_ENDS);
        let enumerated = self.enumeration(&time).run(search)?;
        self.work.enumerated = enumerated.inputs;
        self.notes.extend(enumerated.note);

        self.progress.phase("searching");
        let seeds = self.domain.seeds(self.request.run.seed, SEED_INPUTS)?;
        let first = self.clock.share(FIRST_SEARCH_ENDS);
        search.allow(FIRST_SEARCH_INPUTS);
        search.submit(self.assignment.goal.known.clone(), Origin::Guided, &first)?;
        search.submit(seeds, Origin::Random, &first)?;
        search.guided(0, &first)?;

        self.approach(search)?;
        self.progress.phase("bounding values");
        let ranges_end = if self.assignment.goal.calls.is_empty() { RANGES_END } else { CALLER_RANGES_END };
        let deadline = self.clock.share(ranges_end).deadline(RANGES_LIMIT);
        let before = search.judge.pairs.unproved();
        let said = range_proofs::prove(self.request, self.unit, self.domain, &mut search.judge.pairs, Some(deadline));
        self.notes.extend(said);
        let after: FxHashSet<PairKey> = search.judge.pairs.unproved().into_iter().collect();
        let proved: Vec<PairKey> = before.into_iter().filter(|pair| !after.contains(pair)).collect();
        self.work.proved_by_ranges = proved.len() as u64;
        self.doubt(search, &proved)?;

        if let Some(calls) = enumerated.calls {
            let time = self.clock.share(SETTLING_ENDS);
            self.enumeration(&time).settle(search, calls)?;
        }

        let mut all_paths = false;
        let mut refuted: Option<Refuted> = None;
        search.allow(SOLVERS_INPUTS);
        if search.judge.pairs.open_exceptions().is_empty() || self.unit.analysed.is_err() {
            all_paths = self.unit.analysed.is_ok();
        } else {
            self.progress.phase("following paths");
            let mut store = Store::new();
            let exploration = self.explore(&mut store, search);
            all_paths |= exploration.as_ref().is_some_and(Exploration::is_complete);
            if let Some(exploration) = exploration {
                let evidence = self.solve(&mut store, &exploration, search)?;
                refuted = Some(Refuted { store, calls: exact::calls(&exploration), evidence });
            }
        }

        self.progress.phase("searching");
        let last = self.clock.share(SEARCH_ENDS);
        search.allow(100);
        let stop = search.guided(1, &last)?;
        if let Some(refuted) = refuted {
            self.second_opinions(refuted, search)?;
        }
        Ok((stop.filter(|stop| *stop == Stop::Interrupted || self.clock.is_over()), all_paths))
    }

    fn enumeration<'r>(&'r self, clock: &'r Clock) -> Enumeration<'r> {
        Enumeration {
            unit: self.unit,
            domain: self.domain,
            watched: self.request.run.watched,
            most: self.request.whole_space,
            clock,
            progress: self.progress,
        }
    }

    /// Looks for inputs that contradict proofs by value ranges; what they show is entered.
    fn doubt(&mut self, search: &mut ExceptionSearch<'_>, proved: &[PairKey]) -> Result<(), AnalysisError> {
        if proved.is_empty() || search.is_over() || !self.request.run.second_opinion.sampling {
            return Ok(());
        }
        self.progress.phase("doubting proofs");
        let sampled = Sampled {
            domain: self.domain,
            watched: self.request.run.watched,
            seed: self.request.run.seed,
            most: self.request.run.max_work / SAMPLED_PART,
            clock: &self.clock.share(DOUBTS_END),
            progress: self.progress,
        };
        let inputs = sampled.doubt(search, proved)?;
        let said = Opinion::alone(format!("inputs of the search domain were run and none raised it, {inputs} of them"));
        proved.iter().for_each(|key| search.judge.pairs.second(key, said.clone()));
        Ok(())
    }

    /// Looks for inputs that lead to the calls which the caller's goal wants.
    fn approach(&mut self, search: &mut ExceptionSearch<'_>) -> Result<(), AnalysisError> {
        if self.assignment.goal.calls.is_empty() {
            return Ok(());
        }
        self.progress.phase("following paths to calls");
        search.allow(SOLVERS_INPUTS);
        let clock = self.clock.share(APPROACH_ENDS);
        let exact = Exact { request: self.request, domain: self.domain, clock: &clock, progress: self.progress };
        let (steps, _) = DirectedSearch { exact: &exact, unit: self.unit, goal: &self.assignment.goal }.run(search)?;
        self.work.add_float_steps(&steps);
        Ok(())
    }

    fn explore(&mut self, store: &mut Store, search: &ExceptionSearch<'_>) -> Option<Exploration> {
        let analysed = self.unit.analysed.as_ref().ok()?;
        let init = self.unit.init.as_deref().and_then(|symbol| analysed.program.function(symbol));
        let time = self.clock.share(EXACT_ENDS).part_left(EXPLORING_SHARE);
        let options = Options {
            loop_bound: self.request.run.loop_bound,
            max_paths: self.request.run.max_paths as usize,
            deadline: Some(time.deadline(EXPLORATION_LIMIT)),
            init,
            wanted: Some(Arc::new(OpenSites::new(search.judge.pairs.open_sites()))),
            ..Options::default()
        };
        // The oracle takes libm to be as good as glibc says; who asks for proofs about a worse one gets no pruning.
        let mut oracle: Box<dyn Feasibility> = match self.request.libm_ulps <= DEFAULT_LIBM_ULPS {
            true => Box::new(range_proofs::oracle(self.domain, store)),
            false => Box::new(EveryPath),
        };
        let exploration = explore(
            &analysed.program,
            analysed.function,
            &analysed.binding,
            &self.unit.signature,
            store,
            &options,
            &mut *oracle,
        );
        self.work.paths = exploration.paths.len() as u64;
        for (why, count) in exploration.stops() {
            if why != StopReason::Returned && why != StopReason::NothingOpen {
                let paths = if count == 1 { "path ends" } else { "paths end" };
                self.notes.push(format!("{count} {paths} early: {why}"));
            }
        }
        for cut in &exploration.loop_cuts {
            let location = cut.location.and_then(|id| analysed.program.locations.get(id.index()));
            let line =
                location.filter(|location| location.line > 0).map(|location| format!(" at line {}", location.line));
            let function = self.unit.names.get(&cut.function).unwrap_or(&cut.function);
            self.notes.push(format!(
                "the loop{} of {function} was followed for {} rounds and then cut, on {} paths",
                line.unwrap_or_default(),
                self.request.run.loop_bound,
                cut.paths
            ));
        }
        Some(exploration)
    }

    fn solve(
        &mut self,
        store: &mut Store,
        exploration: &Exploration,
        search: &mut ExceptionSearch<'_>,
    ) -> Result<Evidence, AnalysisError> {
        let (request, domain, progress) = (self.request, self.domain, self.progress);
        let end = self.clock.share(EXACT_ENDS);
        let mut cases = cases::collect(request, domain, store, exploration, &search.judge.pairs, &end);
        cases.settle(&mut search.judge.pairs, request, !exploration.library_calls.is_empty());

        progress.phase("solving over the floats");
        let quick = end.part_left(QUICK_SHARE);
        let exact = Exact { request, domain, clock: &quick, progress };
        let (mut float_steps, _): (ExactSteps, _) = exact.run(&QUICK, store, exploration, &mut cases, search)?;

        progress.phase("solving over the reals");
        let time = end.part_left(REALS_SHARE);
        let asking = Asking { request, domain, clock: &time, progress };
        let (steps, _): (RealSteps, _) = asking.run(store, exploration, &cases, search, self.notes)?;
        steps.write_to(self.work);

        progress.phase("solving over the floats");
        let exact = Exact { request, domain, clock: &end, progress };
        let (steps, stop) = exact.run(&THOROUGH, store, exploration, &mut cases, search)?;
        float_steps += steps;
        self.work.add_float_steps(&float_steps);
        if stop.is_some() {
            for pair in search.judge.pairs.open() {
                search.judge.pairs.leave_unexplained(&pair, "the time limit of the solvers");
            }
        }
        Ok(cases.evidence)
    }

    /// Asks others about what the solver proved.
    fn second_opinions(&mut self, refuted: Refuted, search: &mut ExceptionSearch<'_>) -> Result<(), AnalysisError> {
        self.progress.phase("asking for second opinions");
        let clock = self.clock.share(OPINIONS_END);
        let begun = clock.elapsed();
        let exact = Exact { request: self.request, domain: self.domain, clock: &clock, progress: self.progress };
        let opinions = Opinions { exact: &exact, questions: self.work.float_queries }.ask(refuted, search)?;
        self.notes.extend(opinions.notes);
        self.contradictions.extend(opinions.contradictions);
        self.work.opinion_seconds = (clock.elapsed() - begun).as_secs_f64();
        Ok(())
    }
}

fn result(
    unit: &Unit,
    pairs: &Pairs,
    found: Vec<(Finding, Vec<u8>)>,
    limited: bool,
    all_paths: bool,
    notes: Vec<String>,
    work: Work,
) -> FunctionResult {
    let mut findings: Vec<Finding> = found.into_iter().map(|(finding, _)| finding).collect();
    labrys_report::assign_ids(&unit.name, &mut findings);
    let sites: Vec<SiteRecord> = pairs
        .iter()
        .map(|((site, exception), pair)| SiteRecord {
            site: site.clone(),
            exception: *exception,
            verdict: verdict(site, *exception, pair, &findings),
        })
        .collect();
    findings.sort_by_cached_key(Finding::rank);
    let summary = FunctionSummary {
        function: unit.name.clone(),
        file: unit.file.clone().map(crate::run::record::from_here),
        line: unit.line,
        is_public: unit.is_public,
        parameters: parameters(&unit.signature),
        status: if limited { Status::Limit } else { Status::Complete },
        all_paths,
        failure: None,
        sites: VerdictCounts::of(&sites),
        findings: findings.iter().map(|finding| finding.id.clone()).collect(),
    };
    let contradictions = contradicted(pairs, &findings);
    FunctionResult { summary, sites, findings, notes, contradictions, work }
}

/// The proofs of pairs that were then observed, and confirmed.
fn contradicted(pairs: &Pairs, findings: &[Finding]) -> Vec<Contradiction> {
    let of = |(key, pair): (&PairKey, &super::pairs::Pair)| {
        let (proof, (site, exception)) = (pair.refuted.as_ref()?, key);
        let shows = |finding: &&Finding| {
            finding.exception.as_ref().is_some_and(|details| details.site == *site && details.exception == *exception)
        };
        let inputs = findings.iter().find(shows)?.inputs.clone();
        Some(Contradiction::observed(claim_words(key), proof.engine, inputs))
    };
    pairs.iter().filter_map(of).collect()
}

fn verdict(
    site: &labrys_report::SiteKey,
    exception: labrys_float::Flags,
    pair: &super::pairs::Pair,
    findings: &[Finding],
) -> Verdict {
    let of_pair = |finding: &&Finding| {
        finding.exception.as_ref().is_some_and(|details| details.site == *site && details.exception == exception)
    };
    if let Some(finding) = findings.iter().find(of_pair) {
        return Verdict::Reachable { finding: finding.id.clone() };
    }
    match &pair.proof {
        Some(proof) => {
            let (engine, scope) = (proof.engine.to_owned(), proof.scope.to_string());
            let assumptions = proof.assumptions.clone();
            let opinion = pair.opinion.clone().or_else(|| unasked(proof.engine));
            match proof.loop_bound {
                None => Verdict::Unreachable { engine, scope, assumptions, opinion },
                Some(loop_bound) => Verdict::UnreachableWithinBound { engine, scope, assumptions, opinion, loop_bound },
            }
        }
        None => Verdict::Unknown {
            why: pair.why.clone().unwrap_or_else(|| "no input found, and no proof tried".to_owned()),
        },
    }
}
