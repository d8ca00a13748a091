//! What the page's script works on.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::exceptions::CLASSES;
use crate::{Finding, FunctionSummary, Report, ReportError, Severity, SiteKey, SiteRecord, Sources, Status, Target};

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

/// The report as the page needs it.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    command: &'a [String],
    version: &'a str,
    seed: u64,
    analysis: &'a str,
    status: Status,
    notes: &'a [String],
    target: &'a Target,
    inputs_tested: u64,
    processor: Option<&'a str>,
    severities: Vec<SeverityText>,
    exceptions: Vec<&'static str>,
    known: Option<&'a [String]>,
    functions: &'a [FunctionSummary],
    sites: &'a [SiteRecord],
    findings: Vec<serde_json::Value>,
    /// Lines by file and number: those around sites and events.
    sources: BTreeMap<&'a str, BTreeMap<u32, String>>,
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Introduced | Severity::Lost => "bad",
        Severity::Masked | Severity::Inaccurate => "warn",
        Severity::Underflow | Severity::Unclassified => "info",
        Severity::Ulps | Severity::Trace | Severity::Honest | Severity::Harmless => "calm",
    }
}

/// A finding with the beginnings of its traces.
fn finding(finding: &Finding) -> Result<serde_json::Value, ReportError> {
    let mut value = serde_json::to_value(finding).map_err(ReportError::Serialise)?;
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
fn excerpts<'a>(report: &'a Report, sources: &Sources) -> BTreeMap<&'a str, BTreeMap<u32, String>> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut want = |file: &'a Option<String>, line: Option<u32>| {
        if let (Some(file), Some(line)) = (file, line) {
            wanted.entry(file).or_default().extend(line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND));
        }
    };
    for observation in report.findings.iter().flat_map(|finding| &finding.observations) {
        observation.trace.iter().take(EVENTS).for_each(|event| want(&event.file, event.line));
    }
    let details = report.findings.iter().filter_map(|finding| finding.exception.as_ref());
    let sites = report.sites.iter().map(|record| &record.site).chain(details.map(|details| &details.site));
    sites.for_each(|site: &SiteKey| want(&site.file, site.line));
    let line = |file: &str, number: u32| {
        sources.line(file, number).map(|bytes| (number, String::from_utf8_lossy(bytes).into_owned()))
    };
    let texts = wanted.into_iter().map(|(file, numbers)| {
        let lines: BTreeMap<u32, String> = numbers.into_iter().filter_map(|number| line(file, number)).collect();
        (file, lines)
    });
    texts.filter(|(_, lines)| !lines.is_empty()).collect()
}

impl<'a> Data<'a> {
    /// That of a report.
    pub(super) fn of(report: &'a Report, sources: &Sources) -> Result<Data<'a>, ReportError> {
        let severities = if report.analysis == "exceptions" { Severity::EFFECTS } else { Severity::DIVERGENCES };
        let text = |of: Severity| SeverityText { name: of.name(), meaning: of.meaning(), level: level(of) };
        let mut ranked: Vec<&Finding> = report.findings.iter().collect();
        ranked.sort_by_cached_key(|finding| finding.rank());
        Ok(Data {
            command: &report.command,
            version: &report.version,
            seed: report.seed,
            analysis: &report.analysis,
            status: report.status,
            notes: &report.notes,
            target: &report.target,
            inputs_tested: report.counts.inputs_tested,
            processor: report.processor.as_deref(),
            severities: severities.into_iter().map(text).collect(),
            exceptions: CLASSES.iter().filter_map(|class| class.names().first().copied()).collect(),
            known: report.known.as_deref(),
            functions: &report.functions,
            sites: &report.sites,
            findings: ranked.into_iter().map(finding).collect::<Result<_, _>>()?,
            sources: excerpts(report, sources),
        })
    }
}
