//! The report of a run.

use labrys_report::{Counts, ErrorBound, ErrorOperations, Finding, Status, input_record};

use super::function::FunctionResult;
use super::reference::ReferenceRequest;
use super::request::Request;
use crate::library::one_build::{BuiltLibrary, OneBuild};
use crate::run::clock::Clock;
use crate::run::done::Done;
use crate::run::recipe::Artifact;
use crate::run::repeat::{finding_command, replay_file};
use crate::target::reproduce;
use crate::target::unit::Built;

/// The report of one function.
pub fn of_function(request: &Request, built: &Built, result: FunctionResult, clock: &Clock) -> Done {
    let mut report = request.empty_report(clock);
    report.status = result.summary.status;
    report.notes.extend(built.notes.iter().chain(&result.notes).cloned());
    report.notes.dedup();
    report.target = built.target();
    report.counts = counts(&result);
    report.timing.more.insert("inputs_per_s".to_owned(), result.inputs as f64 / result.seconds.max(1e-9));
    report.timing.more.extend(result.first_large.map(|seconds| ("large_error_s".to_owned(), seconds)));
    report.reference = named(&request.references);
    report.operations = told(result.operations);
    report.findings = result.findings;
    let inputs = built.unit.signature.input_layout();
    for finding in &mut report.findings {
        let record = input_record(&inputs, &finding.inputs).ok();
        finding.command = Some(finding_command(&request.run, &finding.id, &inputs, record.as_deref()));
    }
    let mut artifacts = Vec::new();
    report.contradictions = result.contradictions;
    report.bounds = kept(request, result.bounds, result.certificates, &mut artifacts);
    if request.run.output.is_some() {
        artifacts.extend(reproduce::of_source(&request.run, built, &report));
        artifacts.extend(report.findings.iter().filter_map(fpcore));
    }
    Done { report, artifacts }
}

/// The report of a library.
pub fn of_library(request: &Request, built: &BuiltLibrary<'_>, results: Vec<FunctionResult>) -> Done {
    let BuiltLibrary { wanted, library, schedule, .. } = built;
    let mut report = request.empty_report(schedule.clock);
    report.notes.extend(library.build.own_flags_in_words());
    report.notes.extend(library.build.notes.iter().cloned());
    if results.iter().any(|result| result.summary.status == Status::Limit) {
        report.status = Status::Limit;
    }
    report.target = library.target(*wanted);
    let mut artifacts = Vec::new();
    let mut operations = ErrorOperations::default();
    for result in results {
        report.counts.add(&counts(&result));
        operations.merge(result.operations);
        report.bounds.extend(kept(request, result.bounds, result.certificates, &mut artifacts));
        report.contradictions.extend(result.contradictions);
        let of_function = |seconds| (format!("large_error_s {}", result.summary.function), seconds);
        report.timing.more.extend(result.first_large.map(of_function));
        report.notes.extend(result.notes.into_iter().map(|note| format!("{}: {note}", result.summary.function)));
        report.findings.extend(result.findings);
        report.functions.push(result.summary);
    }
    report.operations = told(operations);
    report.sort_findings();
    if let Some(folder) = &request.run.output {
        for finding in &mut report.findings {
            finding.command = Some(replay_file(folder, &finding.id));
        }
        let init = request.build.init.as_deref();
        artifacts.extend(reproduce::of_library(&request.run, init, &library.build, &report));
        artifacts.extend(report.findings.iter().filter_map(fpcore));
    }
    Done { report, artifacts }
}

/// The worst operations, where there are any.
fn told(operations: ErrorOperations) -> Option<ErrorOperations> {
    (!operations.worst.is_empty()).then(|| operations.ranked(ErrorOperations::TOLD))
}

/// What was run.
fn counts(result: &FunctionResult) -> Counts {
    Counts { inputs_tested: result.inputs, random_inputs_tested: result.random_inputs, ..Counts::default() }
}

/// The file with a finding's formula.
fn fpcore(finding: &Finding) -> Option<Artifact> {
    let text = finding.accuracy()?.fpcore.as_ref()?;
    Some(Artifact { name: format!("{}.fpcore", finding.id), contents: text.clone().into() })
}

/// Bounds with the names of their certificates' files, where there is a folder for these.
fn kept(
    request: &Request,
    bounds: Vec<ErrorBound>,
    certificates: Vec<Vec<String>>,
    artifacts: &mut Vec<Artifact>,
) -> Vec<ErrorBound> {
    let with_files = |(mut bound, texts): (ErrorBound, Vec<String>)| {
        for (number, contents) in texts.into_iter().enumerate().filter(|_| request.run.output.is_some()) {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let plain = |name: &str| name.replace(|c| !is_plain(c), "-");
            let name = format!("bound-{}-{}-{number}.txt", plain(&bound.function), plain(&bound.output));
            artifacts.push(Artifact { name: name.clone(), contents: contents.into() });
            bound.certificates.push(name);
        }
        bound
    };
    bounds.into_iter().zip(certificates).map(with_files).collect()
}

/// What results were compared with, in the user's words.
fn named(references: &[ReferenceRequest]) -> Option<String> {
    let words = |of: &ReferenceRequest| match &of.of {
        Some(function) => format!("{function}={}", of.name),
        None => of.name.clone(),
    };
    (!references.is_empty()).then(|| references.iter().map(words).collect::<Vec<_>>().join(" "))
}
