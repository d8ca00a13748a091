//! The analysis of one function, from its pairs to findings and verdicts.
//!
//! 1. Every site and exception of the function and of what it calls (`pairs`).
//!
//! Between that and the findings (`stages`):
//!
//! 2. A search domain of few inputs is run whole (`enumeration`), which decides nearly all; of others a first search on native
//!    code (`search`): most of what can be seen is seen in a second.
//! 3. What abstract interpretation rules out for all inputs (`range_proofs`), which is then doubted (`sampled`).
//! 4. Symbolic execution; what is left of each open pair, intervals asked first (`cases`).
//! 5. Quick proofs over the floats (`exact`); conditions over the reals, solved, their candidates run (`reals`); what is still
//!    open, over the floats again, with more time.
//! 6. The rest of the search; second opinions on the solver's proofs (`opinions`); then shrinking, classifying, confirming (`distill`).

use std::sync::Arc;

use labrys_float::Flags;
use labrys_native::Driver;
use labrys_program::CallGraph;
use labrys_report::{
    Contradiction, Finding, FoundBy, FunctionSummary, SiteRecord, SourcePlace, Status, Verdict, VerdictCounts,
};
use labrys_symex::{static_sites, taken_as_silent};
use serde::{Deserialize, Serialize};
use tracing::debug;

use super::caller_goal::Assignment;
use super::distill::Distiller;
use super::opinions::{claim_words, unasked};
use super::pairs::{PairKey, Pairs};
use super::reason::Reason;
use super::request::Request;
use super::search::{ExceptionJudge, PERSISTENCE};
use super::stages::Stages;
use super::work::Work;
use crate::inputs::domain::Domain;
use crate::observation::interpreted::Interpreted;
use crate::observation::leftovers::REASONS;
use crate::observation::start::start;
use crate::observation::undefined::{self, Defined};
use crate::run::LOG;
use crate::run::clock::{Clock, Stop};
use crate::run::record::from_here;
use crate::run::stage_times::StageTimes;
use crate::search::{Search, SearchSettings};
use crate::target::analysed::Analysed;
use crate::target::unit::Unit;
use crate::target::{addresses, weak};
use crate::{AnalysisError, Progress};

/// Of a function's time, the hundredths by which witnesses must have been made simpler: confirming them comes last.
const IMPROVING_ENDS: u32 = 96;

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
    let progress: &dyn Progress = &StageTimes::new(&unit.name, progress);
    let mut domain = Domain::new(&request.run.domain(), &unit.signature)?;
    domain.know_literals(unit.analysed.iter().map(|analysed| &**analysed));
    let mut observer = start(&request.run, unit, driver)?;
    let mut notes = [&unit.remarks[..], &unit.never_null()].concat();
    notes.extend(unit.analysed.as_ref().ok().and_then(|analysed| silent_by_assumption(analysed)));
    let mut work = Work::default();
    let pairs = list_pairs(request, unit, assignment);

    let settings = SearchSettings::new(&request.run, &domain, PERSISTENCE, clock, progress);
    let startup = observer.startup();
    let judge = ExceptionJudge::new(pairs, &mut observer, &domain.outputs, request.run.watched);
    let analysed = unit.analysed.as_deref().ok();
    let init = analysed.zip(unit.init.as_deref()).and_then(|(analysed, init)| analysed.program.function(init));
    let judge = judge.of_code(Defined { analysed, signature: &unit.signature, init });
    let interpreted = Interpreted::new(unit.analysed.as_ref().ok().cloned(), unit.signature.clone(), startup);
    let judge = judge.of_ir(interpreted.after(unit.init.clone()));
    let judge = judge.of_state(unit.uses_state).of_work(request.run.max_work);
    let mut search = Search::new(settings, judge);
    let mut all_paths = false;
    let mut contradictions = Vec::new();
    let stop = if request.run.given.is_empty() {
        let mut stages = Stages {
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
        let (stop, followed) = stages.run(&mut search)?;
        all_paths = followed;
        stop
    } else {
        search.submit(domain.given(&request.run.given)?, FoundBy::Given, clock)?
    };

    progress.phase("confirming and shrinking");
    let improving = clock.share(IMPROVING_ENDS);
    let distiller = Distiller {
        unit,
        of_crate: request.run.of_crate.as_deref(),
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
        notes.push(format!("{} {are_not}, not the same on every run: {REASONS} decide", found.unstable));
    }
    notes.extend(undefined::note(search.judge.undefined() as u64, "raise something", "the function"));
    notes.extend(found.leftovers.note("witnesses"));
    if found.unconfirmed > 0 {
        let limit = stop.filter(|stop| *stop == Stop::Interrupted).unwrap_or(Stop::Time).words();
        notes.push(format!("{limit} left {} observations unconfirmed: they are not listed", found.unconfirmed));
    }
    let (inputs, crashed) = (search.inputs + work.enumerated, search.abnormal - search.panicked);
    if crashed > 0 {
        notes.push(format!("{crashed} of {inputs} inputs did not return: a crash, a time-out or an exit"));
    }
    if search.panicked > 0 {
        notes.push(format!("{} of {inputs} inputs panicked", search.panicked));
    }
    work.inputs = search.inputs + work.enumerated;
    work.witnessed_inputs = search.judge.pairs.iter().map(|(_, pair)| pair.count).sum();
    work.seconds = clock.elapsed().as_secs_f64();
    let limited = matches!(stop, Some(Stop::Time | Stop::Interrupted))
        || found.unconfirmed > 0
        || search.judge.pairs.is_cut_short();
    let mut result = result(unit, &search.judge.pairs, found.findings, limited, all_paths, notes, work);
    result.contradictions.extend(contradictions);
    Ok(result)
}

/// What an operation on a signaling NaN raises hangs on which NaN it is.
const SIGNALING: &str = "a signaling NaN stands in the code, and which NaN is which is not followed";

/// Which functions are taken to raise nothing though nobody knows them.
fn silent_by_assumption(analysed: &Analysed) -> Option<String> {
    let Analysed { program, function, .. } = analysed;
    let reached = CallGraph::new(program).reachable(*function);
    let names = taken_as_silent(program, &reached).into_iter().collect::<Vec<_>>();
    (!names.is_empty())
        .then(|| format!("taken to raise nothing, being neither known nor given floats: {}", names.join(", ")))
}

/// The pairs of a function, of which nothing is known yet.
pub(super) fn list_pairs(request: &Request, unit: &Unit, assignment: &Assignment) -> Pairs {
    match &unit.analysed {
        Ok(analysed) => {
            let sites = static_sites(&analysed.program, analysed.function);
            let mut pairs = Pairs::new(&analysed.program, &sites, Arc::clone(&unit.names), request.run.watched);
            pairs.rest_on(&unit.assumptions);
            pairs.rest_on(&unit.never_null());
            let reached = CallGraph::new(&analysed.program).reachable(analysed.function);
            if addresses::are_computed_with(&analysed.program, &reached) {
                pairs.rest_on(&[addresses::ADDRESSES.to_owned()]);
            }
            pairs.rest_on(weak::assumption(&analysed.program, &reached).as_slice());
            if analysed.holds_signaling_nan() {
                pairs.refuse_proofs(Flags::INVALID, SIGNALING);
            }
            pairs.focus_on(assignment.focus.clone());
            pairs
        }
        Err(why) => {
            let file = unit.file.clone().map(from_here);
            let place = SourcePlace { file, line: unit.line, ..SourcePlace::default() };
            let whole = (unit.signature.name.clone(), place);
            let mut pairs = Pairs::without_ir(Arc::clone(&unit.names), request.run.watched, whole, why);
            pairs.focus_on(assignment.focus.clone());
            pairs
        }
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
        status: if limited { Status::Limit } else { Status::Complete },
        all_paths,
        sites: VerdictCounts::of(&sites),
        findings: findings.iter().map(|finding| finding.id.clone()).collect(),
        ..unit.summary()
    };
    let contradictions = contradicted(pairs, &findings);
    tell_unknowns(&summary.function, &sites);
    FunctionResult { summary, sites, findings, notes, contradictions, work }
}

/// Tells the log what is not known, and why.
fn tell_unknowns(function: &str, sites: &[SiteRecord]) {
    for SiteRecord { site, exception, verdict } in sites {
        if let Verdict::Unknown { why } = verdict {
            debug!(target: LOG, function, "not known: {}: {why}", claim_words(&(site.clone(), *exception)));
        }
    }
}

/// The proofs of pairs that were then observed, and confirmed.
fn contradicted(pairs: &Pairs, findings: &[Finding]) -> Vec<Contradiction> {
    let of = |(key, pair): (&PairKey, &super::pairs::Pair)| {
        let (proof, (site, exception)) = (pair.contradicted()?, key);
        let shows = |finding: &&Finding| {
            finding.exception().is_some_and(|details| details.site == *site && details.exception == *exception)
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
        finding.exception().is_some_and(|details| details.site == *site && details.exception == exception)
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
            why: pair.why.as_ref().map_or_else(|| "no input found, and no proof tried".to_owned(), Reason::to_string),
        },
    }
}
