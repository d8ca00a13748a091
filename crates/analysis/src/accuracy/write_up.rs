//! The report of a run.

use std::path::Path;

use labrys_program::Signature;
use labrys_report::{Analysis, Counts, ErrorBound, Finding, Report, Status, Target, Timing, input_record};

use super::function::FunctionResult;
use super::request::{Request, Subject};
use crate::library::build::{Library, LibraryRequest};
use crate::run::clock::Clock;
use crate::run::recipe::Artifact;
use crate::run::repeat::{processor, quoted, repeated};
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
    report.counts = Counts { inputs_tested: result.inputs, ..Counts::default() };
    report.timing.more.insert("inputs_per_s".to_owned(), result.inputs as f64 / result.seconds.max(1e-9));
    report.findings = result.findings;
    for finding in &mut report.findings {
        finding.command = Some(replay_command(request, &built.unit.signature, finding));
    }
    let mut artifacts = Vec::new();
    report.contradictions = result.contradictions;
    report.bounds = kept(request, result.bounds, result.certificates, &mut artifacts);
    Done { report, artifacts }
}

/// The report of a library.
pub fn of_library(
    request: &Request,
    wanted: LibraryRequest<'_>,
    library: &Library,
    results: Vec<FunctionResult>,
    clock: &Clock,
) -> Done {
    let mut report = empty(request, clock);
    report.notes.clone_from(&library.build.notes);
    if results.iter().any(|result| result.summary.status == Status::Limit) {
        report.status = Status::Limit;
    }
    report.target = Target {
        file: wanted.database.display().to_string(),
        function: String::new(),
        parameters: Vec::new(),
        builds: vec![library.info(wanted, ROLE)],
    };
    let mut artifacts = Vec::new();
    for result in results {
        report.bounds.extend(kept(request, result.bounds, result.certificates, &mut artifacts));
        report.contradictions.extend(result.contradictions);
        report.counts.inputs_tested += result.inputs;
        report.notes.extend(result.notes.into_iter().map(|note| format!("{}: {note}", result.summary.function)));
        report.findings.extend(result.findings);
        report.functions.push(result.summary);
    }
    report.sort_findings();
    if let Some(folder) = &request.run.output {
        for finding in &mut report.findings {
            finding.command = Some(replay_file(folder, finding));
        }
    }
    Done { report, artifacts }
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
        analysis: Analysis::Accuracy,
        target: Target {
            file,
            function: request.run.function.clone().unwrap_or_default(),
            parameters: Vec::new(),
            builds: Vec::new(),
        },
        processor: processor(),
        timing: Timing { wall_s: clock.elapsed().as_secs_f64(), ..Timing::default() },
        ..Report::default()
    }
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
