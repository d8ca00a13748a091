//! The rules that results refer to: severities of divergences, and exceptions.

use serde_sarif::sarif::{MultiformatMessageString, ReportingDescriptor, ResultLevel};

use crate::exceptions::{CLASSES, class};
use crate::{Analysis, Details, Finding, Report, Severity, ViolationClass};

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
    match report.analysis {
        Analysis::Diff => {
            Severity::DIVERGENCES.into_iter().map(|severity| rule(severity.name(), severity.meaning())).collect()
        }
        Analysis::Accuracy => {
            Severity::ERRORS.into_iter().map(|severity| rule(severity.name(), severity.meaning())).collect()
        }
        Analysis::Verify => ViolationClass::ALL.iter().map(|(_, name, meaning)| rule(name, meaning)).collect(),
        // Tests are no results.
        Analysis::Cover => Vec::new(),
        Analysis::Exceptions => {
            let name = |class: usize| CLASSES[class].names().first().copied().unwrap_or_default();
            MEANINGS.iter().enumerate().map(|(class, meaning)| rule(name(class), meaning)).collect()
        }
    }
}

/// The rule of a finding: its id and its place among [`rules`].
pub(crate) fn rule_of(finding: &Finding) -> (&'static str, Option<i64>) {
    let (id, index) = match &finding.details {
        Details::Exception(details) => {
            let class = class(details.exception);
            (
                details.exception.names().first().copied().unwrap_or_default(),
                Some(class).filter(|of| *of < CLASSES.len()),
            )
        }
        Details::Violation(details) => (details.kind.name(), Some(details.kind.index())),
        Details::Accuracy(_) => {
            let severity = finding.severity;
            (severity.name(), Severity::ERRORS.iter().position(|of| *of == severity))
        }
        Details::Difference(_) => {
            let severity = finding.severity;
            (severity.name(), Severity::DIVERGENCES.iter().position(|of| *of == severity))
        }
    };
    (id, index.and_then(|index| i64::try_from(index).ok()))
}

/// How loudly a finding is said.
pub(crate) fn level(finding: &Finding) -> ResultLevel {
    let is_expected = match &finding.details {
        Details::Difference(details) => !details.baseline_clean,
        Details::Exception(_) | Details::Accuracy(_) | Details::Violation(_) => false,
    };
    match finding.severity {
        // A difference outside fast-math's contract is worth knowing, not worth failing a check.
        _ if is_expected => ResultLevel::Note,
        Severity::Introduced | Severity::Lost | Severity::WrongAlgorithm | Severity::Unstable | Severity::Violated => {
            ResultLevel::Error
        }
        Severity::Masked | Severity::Inaccurate | Severity::Branch => ResultLevel::Warning,
        _ => ResultLevel::Note,
    }
}
