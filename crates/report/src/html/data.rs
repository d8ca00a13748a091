//! What the page's script works on.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::control::control_remark;
use crate::exceptions::CLASSES;
use crate::{
    Analysis, Contradiction, Coverage, ErrorBound, ErrorOperations, Finding, Report, ReportError, Severity,
    SourcePlace, Sources, Status, Target,
};

use super::packed::Graph;
use super::verdicts::by_site;

/// Lines before and after the one that a finding or a site is about.
const AROUND: u32 = 3;
/// More events of one trace than these are only counted.
const EVENTS: usize = 60;

/// A severity as the page explains and colours it.
#[derive(Serialize)]
struct SeverityText {
    name: &'static str,
    meaning: &'static str,
    level: &'static str,
}

/// Consecutive lines of a file.
#[derive(Serialize)]
struct Lines {
    first: u32,
    texts: Vec<String>,
}

/// What the page says of the run as a whole.
#[derive(Serialize)]
struct Run<'a> {
    command: &'a [String],
    version: &'a str,
    seed: u64,
    analysis: Analysis,
    status: Status,
    /// Proved bounds of errors, a line each.
    bounds: Vec<String>,
    /// What made most of all errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<&'a ErrorOperations>,
    /// Contradicted proofs first.
    notes: Vec<String>,
    target: &'a Target,
    inputs_tested: u64,
    processor: Option<&'a str>,
    severities: Vec<SeverityText>,
    exceptions: Vec<&'static str>,
    known: Option<&'a [String]>,
    /// Of tests: what they cover.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<&'a Coverage>,
    /// Of a verification.
    verdict: Option<&'static str>,
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Introduced | Severity::Lost | Severity::WrongAlgorithm | Severity::Unstable | Severity::Violated => {
            "bad"
        }
        Severity::Masked | Severity::Inaccurate | Severity::Branch => "warn",
        Severity::Underflow | Severity::Unclassified | Severity::IllConditioned => "info",
        Severity::Ulps | Severity::Trace | Severity::Honest | Severity::Harmless | Severity::Benign => "calm",
    }
}

/// A finding with the beginnings of its traces, and what its control says.
fn finding(report: &Report, finding: &Finding) -> Result<serde_json::Value, ReportError> {
    let mut value = serde_json::to_value(finding).map_err(ReportError::Serialise)?;
    let control =
        finding.difference().and_then(|of| control_remark(report, finding, of, |build| build.flags.join(" ")));
    if let (Some(remark), Some(members)) = (control, value.as_object_mut()) {
        members.insert("control_remark".to_owned(), remark.into());
    }
    let observations = value.get_mut("observations").and_then(|list| list.as_array_mut());
    for observation in observations.into_iter().flatten() {
        let Some(trace) = observation.get_mut("trace").and_then(|trace| trace.as_array_mut()) else { continue };
        let cut = trace.len().saturating_sub(EVENTS);
        trace.truncate(EVENTS);
        if cut > 0
            && let Some(members) = observation.as_object_mut()
        {
            members.insert("events_cut".to_owned(), cut.into());
        }
    }
    Ok(value)
}

/// The lines that the page may show.
fn excerpts<'a>(report: &'a Report, sources: &Sources) -> BTreeMap<&'a str, Vec<Lines>> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut want = |place: &'a SourcePlace| {
        if let (Some(file), Some(line)) = (&place.file, place.line) {
            wanted.entry(file).or_default().extend(line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND));
        }
    };
    for observation in report.findings.iter().flat_map(|finding| &finding.observations) {
        observation.trace.iter().take(EVENTS).for_each(|event| want(&event.place));
    }
    report.findings.iter().flat_map(Finding::places).for_each(&mut want);
    for violation in report.findings.iter().filter_map(Finding::violation) {
        violation.stack.iter().for_each(|entry| want(&entry.place));
        violation.decisions.iter().for_each(|step| want(&step.place));
    }
    report.sites.iter().for_each(|record| want(&record.site.place));
    report.operations.iter().flat_map(|of| &of.worst).for_each(|operation| want(&operation.place));
    // Of what is to be covered all lines are shown.
    for file in report.coverage.iter().flat_map(|coverage| &coverage.files) {
        if let (Some(first), Some(last)) = (file.lines.first(), file.lines.last()) {
            wanted.entry(&file.file).or_default().extend(first.line..=last.line);
        }
    }
    let texts = wanted.into_iter().map(|(file, numbers)| (file, runs(file, numbers, sources)));
    texts.filter(|(_, lines)| !lines.is_empty()).collect()
}

/// Those of a file's lines that there are, what is consecutive together.
fn runs(file: &str, numbers: BTreeSet<u32>, sources: &Sources) -> Vec<Lines> {
    let mut runs: Vec<Lines> = Vec::new();
    for number in numbers {
        let Some(bytes) = sources.line(file, number) else { continue };
        let text = String::from_utf8_lossy(bytes).into_owned();
        match runs.last_mut() {
            Some(run) if u64::from(run.first) + run.texts.len() as u64 == u64::from(number) => run.texts.push(text),
            _ => runs.push(Lines { first: number, texts: vec![text] }),
        }
    }
    runs
}

fn run(report: &Report) -> Run<'_> {
    let text = |of: &Severity| SeverityText { name: of.name(), meaning: of.meaning(), level: level(*of) };
    Run {
        command: &report.command,
        version: &report.version,
        seed: report.seed,
        analysis: report.analysis,
        status: report.status,
        bounds: report.bounds.iter().map(ErrorBound::words).collect(),
        operations: report.operations.as_ref().filter(|of| !of.worst.is_empty()),
        notes: report.contradictions.iter().map(Contradiction::words).chain(report.notes.iter().cloned()).collect(),
        target: &report.target,
        inputs_tested: report.counts.inputs_tested,
        processor: report.processor.as_deref(),
        coverage: report.coverage.as_ref(),
        verdict: report.verification.as_ref().map(|of| of.verdict.name()),
        severities: report.analysis.severities().iter().map(text).collect(),
        exceptions: CLASSES.iter().filter_map(|class| class.names().first().copied()).collect(),
        known: report.known.as_deref(),
    }
}

/// A report as the page's script reads it: the run, functions, sites, findings, and by file those lines that are around sites
/// and events.
pub(super) fn data(report: &Report, sources: &Sources) -> Result<Graph, ReportError> {
    let mut ranked: Vec<&Finding> = report.findings.iter().collect();
    ranked.sort_by_cached_key(|finding| finding.rank());
    let mut graph = Graph::default();
    let members = [
        ("run", graph.add(&run(report))?),
        ("functions", graph.list(report.functions.iter().map(Ok))?),
        ("sites", graph.list(by_site(&report.sites).into_iter().map(Ok))?),
        ("findings", graph.list(ranked.into_iter().map(|of| finding(report, of)))?),
        ("sources", graph.add(&excerpts(report, sources))?),
    ];
    graph.object(&members);
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_in_runs() {
        let mut sources = Sources::default();
        sources.insert("f.c", b"one\ntwo\nthree\nfour\nfive".to_vec());
        let runs = runs("f.c", [1, 2, 4, 5, 6, 900].into(), &sources);
        let shown: Vec<_> = runs.iter().map(|run| (run.first, run.texts.join(" "))).collect();
        assert_eq!(shown, [(1, "one two".to_owned()), (4, "four five".to_owned())]);
    }
}
