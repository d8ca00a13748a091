//! What one exception means: its effect on the result.

use labrys_float::Flags;

use super::callers::CallerWords;
use super::observed::observed;
use super::table::Row;
use crate::{ExceptionDetails, Finding, Report};

/// Of a result that is so many ulps off no digit is right, whatever its format: the longest significand has 113 bits.
const NO_DIGIT_LEFT: f64 = 1e36;

/// An error in ulps: `3`, `0.7`, `2.1e16`.
pub(crate) fn ulps(error: f64) -> String {
    if error >= NO_DIGIT_LEFT {
        return "all its digits".to_owned();
    }
    let text = if error >= 1e6 {
        format!("{error:.1e}")
    } else if error.fract() == 0.0 || error >= 100.0 {
        format!("{error:.0}")
    } else {
        format!("{error:.2}")
    };
    format!("{text} {}", if text == "1" { "ulp" } else { "ulps" })
}

/// What was observed, and the true result beside it.
pub(super) fn rows(finding: &Finding, details: &ExceptionDetails) -> Vec<Row> {
    let mut rows = observed(&finding.compared());
    if let Some(truth) = &details.true_result {
        let subject = details.output.as_deref().unwrap_or("the result");
        let error = details.error_ulps.map(|error| format!(" ({subject} is off by {})", ulps(error)));
        let cell = format!("{truth}{}", error.unwrap_or_default());
        let row = Row { name: format!("true {}", output(details)), cells: vec![cell], marked: false };
        let trace = rows.iter().position(|row| row.name == "trace").unwrap_or(rows.len());
        rows.insert(trace, row);
    }
    rows
}

/// The output that the effect is told of, by its name where there are others.
fn output(details: &ExceptionDetails) -> &str {
    details.output.as_deref().unwrap_or("result")
}

/// Remarks on an exception.
pub(super) fn remarks(report: &Report, finding: &Finding, details: &ExceptionDetails) -> Vec<String> {
    let name = details.exception.names().first().copied().unwrap_or_default();
    let mut remarks = vec![finding.severity.meaning().to_owned()];
    let output = output(details);
    let kind = if details.exception == Flags::OVERFLOW { "finite" } else { "normal" };
    match details.avoidable {
        Some(true) => {
            remarks.push(format!("avoidable: the true {output} is a {kind} number, the {name} is not its doing"))
        }
        Some(false) => remarks.push(format!("the true {output} is no {kind} number: the {name} is not avoidable")),
        None => {}
    }
    let callers = CallerWords {
        reachable_from: &details.reachable_from,
        not_seen_from: &details.not_seen_from,
        only_direct: details.only_direct.as_ref(),
        proved: None,
    };
    remarks.extend(callers.remarks(report, finding));
    if report.is_known(&finding.id) {
        remarks.push("known: the baseline has it".to_owned());
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::ulps;

    #[test]
    fn errors_have_few_digits() {
        let shown: Vec<String> = [1.0, 0.5, 12.0, 99.125, 12345.6, 4.5e15, 1e308].map(ulps).to_vec();
        assert_eq!(
            shown,
            ["1 ulp", "0.50 ulps", "12 ulps", "99.12 ulps", "12346 ulps", "4.5e15 ulps", "all its digits"]
        );
    }
}
