//! The report of a run.

use std::collections::BTreeMap;

use labrys_report::{Analysis, BuildInfo, Counts, Finding, Report, Startup, Status, assign_ids, grouped};

use super::builds::Prepared;
use super::compared::{Compared, Facts, Times};
use super::exact;
use super::findings::{Findings, Tally};
use super::reproduce;
use super::request::{Request, Subject};
use crate::observation::leftovers::REASONS;
use crate::observation::undefined;
use crate::run::clock::{Clock, Stop};
use crate::run::done::{self, Done};
use crate::run::repeat::finding_command;
use crate::solving::second_opinion;
use crate::target::unit::parameters;

/// What a function's comparison came to, for the report or to be kept.
pub fn compared(
    request: &Request,
    prepared: &Prepared,
    startup: Vec<Startup>,
    found: Findings,
    facts: &Facts<'_>,
    times: Times,
) -> Compared {
    let mut distilled = found.findings;
    distilled.sort_by_cached_key(|distilled| (distilled.finding.rank(), distilled.record.clone()));
    let limited = matches!(facts.stop, Some(Stop::Time | Stop::Interrupted))
        || facts.solved.interrupted
        || found.tally.unconfirmed > 0;
    let mut findings: Vec<Finding> = distilled.iter().map(|distilled| distilled.finding.clone()).collect();
    assign_ids(&prepared.signature.name, &mut findings);
    let mut notes = notes(request, prepared, facts, &findings, &found.tally);
    if limited && findings.is_empty() {
        notes.push(where_time_went(&times));
    }
    let proofs = match findings.is_empty() {
        true => exact::notes(&facts.solved.proofs, &findings),
        false => Vec::new(),
    };
    let inputs = prepared.signature.input_layout();
    for (finding, distilled) in findings.iter_mut().zip(&distilled) {
        finding.command = Some(finding_command(&request.run, &finding.id, &inputs, Some(&distilled.record)));
    }
    Compared {
        status: match limited {
            true => Status::Limit,
            false if findings.is_empty() && facts.abnormal > 0 && facts.abnormal == facts.inputs => Status::Failed,
            false => Status::Complete,
        },
        findings,
        notes,
        proofs,
        contradictions: facts.solved.contradictions.clone(),
        counts: counts(facts),
        startup,
        times,
    }
}

/// The report of one function.
pub fn report(request: &Request, prepared: &Prepared, compared: Compared, clock: &Clock) -> Done {
    let mut report = empty_report(request, clock);
    report.status = compared.status;
    report.target.function.clone_from(&prepared.signature.name);
    report.target.parameters = parameters(&prepared.signature);
    report.target.builds = builds(request, prepared, &compared.startup);
    report.timing.more = timing(&compared, clock);
    report.counts = compared.counts;
    report.findings = compared.findings;
    report.contradictions = compared.contradictions;
    report.notes = compared.notes;
    let mut artifacts = second_opinion::artifacts(&report.contradictions);
    if request.run.output.is_some() {
        artifacts.extend(reproduce::artifacts(request, prepared, &report));
    }
    Done { report, artifacts }
}

/// The report as long as nothing is found.
pub fn empty_report(request: &Request, clock: &Clock) -> Report {
    let (Subject::Source(file)
    | Subject::Pair(file, _)
    | Subject::Libraries { baseline: file, .. }
    | Subject::Project { database: file, .. }) = &request.subject;
    done::empty_report(&request.run, Analysis::Diff, file.display().to_string(), clock)
}

/// What a run that had too little time needed it for.
fn where_time_went(times: &Times) -> String {
    let Times { built, solving, searching, confirming } = times;
    let [built, solving, searching, confirming] =
        [built, solving, searching, confirming].map(|time| format!("{:.1} s", time.as_secs_f64()));
    format!("building took {built}, searching {searching} with {solving} of solving beside it, confirming {confirming}")
}

fn notes(
    request: &Request,
    prepared: &Prepared,
    facts: &Facts<'_>,
    findings: &[Finding],
    tally: &Tally,
) -> Vec<String> {
    let mut notes = prepared.notes.clone();
    notes.extend(facts.solved.notes.iter().cloned());
    notes.extend(exact::notes(&facts.solved.proofs, findings));
    match facts.stop {
        Some(Stop::Time) => notes.push("the time limit ended the search before its work was done".to_owned()),
        Some(Stop::Interrupted) => notes.push("the search was interrupted".to_owned()),
        Some(Stop::Work) | None => {}
    }
    if facts.abnormal > 0 {
        let (abnormal, inputs) = (facts.abnormal, facts.inputs);
        notes.push(format!(
            "{abnormal} of {inputs} inputs did not return in the baseline: a crash, a time-out or an exit"
        ));
    }
    let divergences = |count: usize| format!("{count} divergence{}", if count == 1 { "" } else { "s" });
    if facts.unsteady > 0 {
        notes.push(format!(
            "{} left out that builds differ on: their results are not the same on every run: {REASONS} decide",
            if facts.unsteady == 1 { "1 input".to_owned() } else { format!("{} inputs", grouped(facts.unsteady)) }
        ));
    }
    notes.extend(undefined::note(facts.undefined, "builds differ on", "the baseline"));
    if tally.unconfirmed > 0 {
        let unconfirmed = divergences(tally.unconfirmed);
        let limit = facts.stop.filter(|stop| *stop == Stop::Interrupted).unwrap_or(Stop::Time).words();
        notes.push(format!("{limit} left {unconfirmed} unconfirmed: they are not listed"));
    }
    if tally.unstable > 0 {
        let unstable = divergences(tally.unstable);
        notes.push(format!("{unstable} left out, not the same on every run: {REASONS} decide"));
    }
    if tally.reduced > 0 {
        let reduced = divergences(tally.reduced);
        notes.push(format!(
            "{reduced} told without the exceptions that depend on unused vector lanes or uninitialised memory"
        ));
    }
    notes.extend(tally.leftovers.note("divergences"));
    notes.extend(request.run.tracing.note());
    notes
}

fn builds(request: &Request, prepared: &Prepared, startup: &[Startup]) -> Vec<BuildInfo> {
    let info = prepared.builds.iter().enumerate().map(|(index, made)| BuildInfo {
        role: made.build.role.clone(),
        source: made.build.source.display().to_string(),
        compiler: if made.executable.is_empty() { String::new() } else { made.build.compiler.clone() },
        flags: made.build.flags.clone(),
        startup: startup[index],
        executable: (!made.executable.is_empty()).then(|| made.compiler_to_call.clone()),
        link: request.run.link.iter().map(|path| path.display().to_string()).collect(),
    });
    info.collect()
}

fn counts(facts: &Facts<'_>) -> Counts {
    let solved = facts.solved;
    let random = facts.random.as_ref();
    Counts {
        conditions: solved.conditions as u64,
        conditions_baseline: solved.conditions_baseline as u64,
        conditions_variant: solved.conditions_variant as u64,
        sat: (solved.sat_by_solver + solved.sat_by_known) as u64,
        sat_known: solved.sat_by_known as u64,
        unsat: solved.unsat as u64,
        unknown: solved.unknown as u64,
        unique_inputs: solved.inputs.len() as u64,
        diverging_inputs: facts.ledger.diverging_inputs() as u64,
        inputs_tested: facts.inputs,
        exact: solved.exact as u64,
        exact_sat: solved.exact_sat as u64,
        exact_unsat: solved.exact_unsat as u64,
        differential: solved.differential as u64,
        differential_sat: solved.differential_sat as u64,
        differential_unsat: solved.differential_unsat as u64,
        differential_unknown: solved.differential_unknown as u64,
        solver_inputs_diverging: facts.nearby.candidates as u64,
        solver_neighbourhoods_diverging: facts.nearby.neighbourhoods as u64,
        solver_diverging_inputs: facts.nearby.diverging_inputs as u64,
        random_inputs_tested: random.map(|(_, inputs)| *inputs),
        random_divergences: random.map(|(ledger, _)| ledger.groups().len() as u64),
        random_diverging_inputs: random.map(|(ledger, _)| ledger.diverging_inputs() as u64),
        ..Counts::default()
    }
}

fn timing(compared: &Compared, clock: &Clock) -> BTreeMap<String, f64> {
    let Times { built, solving, searching, confirming } = compared.times;
    let search = searching.as_secs_f64();
    let mut more = BTreeMap::new();
    more.insert("build_s".to_owned(), built.as_secs_f64());
    more.insert("solve_s".to_owned(), solving.as_secs_f64());
    more.insert("search_s".to_owned(), search);
    more.insert("confirm_s".to_owned(), confirming.as_secs_f64());
    more.insert("waited_for_processors_s".to_owned(), clock.lost().as_secs_f64());
    if search > 0.0 {
        more.insert("inputs_per_s".to_owned(), compared.counts.inputs_tested as f64 / search);
    }
    more
}
