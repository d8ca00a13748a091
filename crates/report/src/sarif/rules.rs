//! The rules that results refer to: severities of divergences, and exceptions.

use serde_sarif::sarif::{MultiformatMessageString, ReportingDescriptor, ResultLevel};

use crate::exceptions::{CLASSES, class};
use crate::{Finding, Report, Severity};

/// What raising an exception means, by [`CLASSES`].
const MEANINGS: [&str; CLASSES.len()] = [
    "A floating-point operation raises invalid: it has no defined result.",
    "A floating-point operation raises division by zero: an exact infinite result of finite operands.",
    "A floating-point operation raises overflow: its result is beyond the largest finite number.",
    "A floating-point operation raises underflow: its result is tiny and not exact.",
    "A floating-point operation raises inexact: its result is rounded.",
];

fn rule(id: &str, meaning: &str) -> ReportingDescriptor {
    ReportingDescriptor::builder()
        .id(id)
        .short_description(MultiformatMessageString::builder().text(meaning).build())
        .build()
}

/// The rules of a report's analysis.
pub(super) fn rules(report: &Report) -> Vec<ReportingDescriptor> {
    if report.analysis != "exceptions" {
        return Severity::DIVERGENCES.into_iter().map(|severity| rule(severity.name(), severity.meaning())).collect();
    }
    let name = |class: usize| CLASSES[class].names().first().copied().unwrap_or_default();
    MEANINGS.iter().enumerate().map(|(class, meaning)| rule(name(class), meaning)).collect()
}

/// The rule of a finding: its id and its place among [`rules`].
pub(super) fn rule_of(finding: &Finding) -> (&'static str, Option<i64>) {
    let (id, index) = match &finding.exception {
        Some(details) => {
            let class = class(details.exception);
            (
                details.exception.names().first().copied().unwrap_or_default(),
                Some(class).filter(|of| *of < CLASSES.len()),
            )
        }
        None => {
            let severity = finding.severity;
            (severity.name(), Severity::DIVERGENCES.iter().position(|of| *of == severity))
        }
    };
    (id, index.and_then(|index| i64::try_from(index).ok()))
}

/// How loudly a finding is said.
pub(super) fn level(finding: &Finding) -> ResultLevel {
    // A difference outside fast-math's contract is worth knowing, not worth failing a check.
    if finding.exception.is_none() && !finding.baseline_clean {
        return ResultLevel::Note;
    }
    match finding.severity {
        Severity::Introduced | Severity::Lost => ResultLevel::Error,
        Severity::Masked | Severity::Inaccurate => ResultLevel::Warning,
        _ => ResultLevel::Note,
    }
}
