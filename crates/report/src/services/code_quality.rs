//! GitLab's code quality report: an array of issues, the part of Code Climate's format that GitLab reads.

use serde_json::{Value, json};
use serde_sarif::sarif::ResultLevel;

use crate::identity::Fingerprints;
use crate::sarif::{level, rule_of};
use crate::subject::Subjects;
use crate::{Finding, Report, ReportError};

/// The report as an array of issues. Those that a baseline has are in it, for GitLab compares reports itself, by fingerprint.
///
/// # Errors
///
/// Where it cannot be serialised.
pub fn code_quality(report: &Report) -> Result<String, ReportError> {
    let subjects = Subjects::new(report);
    let fingerprints = Fingerprints::of(report);
    let issue = |finding: &Finding| issue(report, finding, &subjects, &fingerprints);
    let issues: Vec<Value> = report.findings.iter().map(issue).collect();
    let mut text = serde_json::to_string_pretty(&issues).map_err(ReportError::Serialise)?;
    text.push('\n');
    Ok(text)
}

fn issue(report: &Report, finding: &Finding, subjects: &Subjects<'_>, fingerprints: &Fingerprints) -> Value {
    let subject = subjects.of(finding);
    let place = finding.place();
    let in_project = place.and_then(|place| Some((subject.file_in_project(place)?, place.line)));
    let (file, line) = in_project.unwrap_or((subject.file, subject.line));
    let line = line.or(subject.line).unwrap_or(1);
    let (rule, _) = rule_of(finding);
    json!({
        "description": format!("{}: {} (labrys {})", subject.function, finding.summary, finding.id),
        "check_name": format!("labrys/{}/{rule}", report.analysis.name()),
        "fingerprint": fingerprints.get(finding),
        "severity": severity(finding),
        "location": { "path": file, "lines": { "begin": line } },
    })
}

/// How bad GitLab shows it: *blocker* is for people to say.
fn severity(finding: &Finding) -> &'static str {
    match level(finding) {
        ResultLevel::Error => "critical",
        ResultLevel::Warning => "major",
        _ if finding.severity.matters() => "minor",
        _ => "info",
    }
}
