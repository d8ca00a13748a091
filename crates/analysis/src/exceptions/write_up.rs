//! The report of a run.

use std::collections::BTreeMap;

use labrys_report::{Counts, Finding, Route, Status, input_record};

use super::function::FunctionResult;
use super::merge::Merged;
use super::request::Request;
use super::work::Work;
use crate::library::one_build::{BuiltLibrary, OneBuild};
use crate::run::clock::Clock;
use crate::run::done::Done;
use crate::run::repeat::{finding_command, replay_file};
use crate::solving::second_opinion;
use crate::target::reproduce;
use crate::target::unit::Built;

/// The report of one function.
pub fn of_function(request: &Request, built: &Built, result: FunctionResult, clock: &Clock) -> Done {
    let mut report = request.empty_report(clock);
    report.notes.extend(request.run.tracing.note());
    report.status = result.summary.status;
    report.notes.extend(built.notes.iter().chain(&result.notes).cloned());
    report.notes.dedup();
    report.target = built.target();
    report.counts = counts(&result.work);
    report.timing.more = timing(&result.work);
    report.sites = result.sites;
    report.findings = result.findings;
    report.contradictions = result.contradictions;
    let inputs = built.unit.signature.input_layout();
    for finding in &mut report.findings {
        if built.unit.is_public {
            let routes = own_route(&built.unit.name, finding);
            if let Some(details) = finding.exception_mut() {
                details.reachable_from = routes;
            }
        }
        let record = input_record(&inputs, &finding.inputs).ok();
        finding.command = Some(finding_command(&request.run, &finding.id, &inputs, record.as_deref()));
    }
    let mut artifacts = second_opinion::artifacts(&report.contradictions);
    if request.run.output.is_some() {
        artifacts.extend(reproduce::of_source(&request.run, built, &report));
    }
    Done { report, artifacts }
}

/// A public function is where its own exceptions are reached from.
fn own_route(entry: &str, finding: &Finding) -> Vec<Route> {
    let site = finding.exception().map(|details| details.site.function.clone());
    let mut chain = vec![entry.to_owned()];
    chain.extend(site.filter(|site| site != entry));
    vec![Route { entry: entry.to_owned(), chain, inputs: finding.inputs.clone() }]
}

/// The report of a library.
pub fn of_library(request: &Request, built: &BuiltLibrary<'_>, merged: Merged) -> Done {
    let BuiltLibrary { wanted, library, schedule, .. } = built;
    let mut report = request.empty_report(schedule.clock);
    report.notes.extend(request.run.tracing.note());
    report.notes.extend(library.build.own_flags_in_words());
    report.notes.extend(library.build.notes.iter().chain(&merged.notes).cloned());
    if merged.functions.iter().any(|function| function.status == Status::Limit) {
        report.status = Status::Limit;
    }
    report.target = library.target(*wanted);
    report.counts = counts(&merged.work);
    report.timing.more = timing(&merged.work);
    report.sites = merged.sites;
    report.functions = merged.functions;
    report.findings = merged.findings;
    report.contradictions = merged.contradictions;
    let mut artifacts = second_opinion::artifacts(&report.contradictions);
    let Some(folder) = &request.run.output else { return Done { report, artifacts } };
    for finding in &mut report.findings {
        finding.command = Some(replay_file(folder, &finding.id));
    }
    artifacts.extend(reproduce::of_library(&request.run, request.build.init.as_deref(), &library.build, &report));
    Done { report, artifacts }
}

/// What was done, as the counts of a report.
pub fn counts(work: &Work) -> Counts {
    Counts {
        conditions: work.real_queries,
        conditions_baseline: work.real_queries,
        sat: work.real_sat,
        unsat: work.real_unsat,
        unknown: work.real_unknown,
        sat_clean: work.real_clean,
        solved_by_method: work.solved_by_method,
        solved_univariate: work.solved_univariate,
        solved_concretised: work.solved_concretised,
        solved_sampled: work.solved_sampled,
        moved_by_method: work.moved_by_method,
        inputs_tested: work.inputs,
        exact: work.float_queries,
        exact_sat: work.float_sat,
        exact_unsat: work.float_unsat,
        ..Counts::default()
    }
}

fn timing(work: &Work) -> BTreeMap<String, f64> {
    let mut more = BTreeMap::new();
    if work.opinion_seconds > 0.0 {
        more.insert("second_opinions_s".to_owned(), work.opinion_seconds);
    }
    if work.seconds > 0.0 {
        more.insert("inputs_per_s".to_owned(), work.inputs as f64 / work.seconds);
    }
    more
}
