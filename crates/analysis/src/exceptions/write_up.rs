//! The report of a run.

use std::collections::BTreeMap;
use std::path::Path;

use labrys_program::Signature;
use labrys_report::{Analysis, Counts, Finding, Report, Route, Status, Target, Timing, input_record};

use super::function::FunctionResult;
use super::merge::Merged;
use super::reproduce;
use super::request::{Request, Subject};
use super::work::Work;
use crate::library::build::{Library, LibraryRequest};
use crate::run::clock::Clock;
use crate::run::recipe::Artifact;
use crate::run::repeat::{processor, quoted, repeated};
use crate::solving::second_opinion;
use crate::target::unit::{Built, ROLE, parameters};

/// A finished run.
pub struct Done {
    /// The report.
    pub report: Report,
    /// Reproducers and whatever they need, for the output folder.
    pub artifacts: Vec<Artifact>,
}

/// The report of one function.
pub fn of_function(request: &Request, built: &Built, result: FunctionResult, clock: &Clock) -> Done {
    let mut report = empty(request, clock);
    report.status = result.summary.status;
    report.notes.extend(built.notes.iter().chain(&result.notes).cloned());
    report.notes.dedup();
    report.target = Target {
        file: built.build.source.clone(),
        function: built.unit.name.clone(),
        parameters: parameters(&built.unit.signature),
        builds: vec![built.build.clone()],
    };
    report.counts = counts(&result.work);
    report.timing.more = timing(&result.work);
    report.sites = result.sites;
    report.findings = result.findings;
    report.contradictions = result.contradictions;
    for finding in &mut report.findings {
        if built.unit.is_public {
            let routes = own_route(&built.unit.name, finding);
            if let Some(details) = finding.exception_mut() {
                details.reachable_from = routes;
            }
        }
        finding.command = Some(replay_command(request, &built.unit.signature, finding));
    }
    let mut artifacts = second_opinion::artifacts(&report.contradictions);
    if request.run.output.is_some() {
        artifacts.extend(reproduce::of_source(request, built, &report));
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
pub fn of_library(
    request: &Request,
    wanted: LibraryRequest<'_>,
    library: &Library,
    merged: Merged,
    clock: &Clock,
) -> Done {
    let mut report = empty(request, clock);
    report.notes = library.build.notes.iter().chain(&merged.notes).cloned().collect();
    if merged.functions.iter().any(|function| function.status == Status::Limit) {
        report.status = Status::Limit;
    }
    report.target = Target {
        file: wanted.database.display().to_string(),
        function: String::new(),
        parameters: Vec::new(),
        builds: vec![library.info(wanted, ROLE)],
    };
    report.counts = counts(&merged.work);
    report.timing.more = timing(&merged.work);
    report.sites = merged.sites;
    report.functions = merged.functions;
    report.findings = merged.findings;
    report.contradictions = merged.contradictions;
    let mut artifacts = second_opinion::artifacts(&report.contradictions);
    let Some(folder) = &request.run.output else { return Done { report, artifacts } };
    for finding in &mut report.findings {
        finding.command = Some(replay_file(folder, finding));
    }
    artifacts.extend(reproduce::of_library(request, &library.build, &report));
    Done { report, artifacts }
}

/// The report of a run whose time was over before anything could be run.
pub fn cut_short(request: &Request, clock: &Clock) -> Done {
    let mut report = empty(request, clock);
    report.status = Status::Limit;
    report.notes.push("the time limit ended the run while the build was made".to_owned());
    Done { report, artifacts: Vec::new() }
}

fn empty(request: &Request, clock: &Clock) -> Report {
    let file = match &request.subject {
        Subject::Source(path) | Subject::Library { database: path, .. } => path.display().to_string(),
    };
    Report {
        command: request.run.command.clone(),
        seed: request.run.seed,
        analysis: Analysis::Exceptions,
        target: Target {
            file,
            function: request.run.function.clone().unwrap_or_default(),
            parameters: Vec::new(),
            builds: Vec::new(),
        },
        processor: processor(),
        notes: request.run.tracing.note().into_iter().collect(),
        timing: Timing { wall_s: clock.elapsed().as_secs_f64(), more: BTreeMap::new() },
        ..Report::default()
    }
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

/// The command that replays a finding's file.
fn replay_file(folder: &Path, finding: &Finding) -> String {
    let path = folder.join(format!("{}.json", finding.id));
    format!("labrys replay {}", quoted(&path.display().to_string()))
}

/// The command that runs a finding's witness again.
fn replay_command(request: &Request, signature: &Signature, finding: &Finding) -> String {
    if let Some(folder) = &request.run.output {
        return replay_file(folder, finding);
    }
    let layout = signature.input_layout();
    match input_record(&layout, &finding.inputs) {
        Ok(record) => repeated(&request.run.command, &layout, &record),
        Err(_) => request.run.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}
