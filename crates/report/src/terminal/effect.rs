//! What one exception means: its effect on the result, and from where it can be reached.

use super::observed::observed;
use super::summary::plural;
use super::table::Row;
use crate::{ExceptionDetails, Finding, NotSeen, Report, Route, Value, Verdict};

/// More public functions than these are counted only.
const ROUTES_SHOWN: usize = 3;

/// An error in ulps: `3`, `0.7`, `2.1e16`.
pub(crate) fn ulps(error: f64) -> String {
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

/// A route in words: `a → b → c with x = 1, y = 2`.
fn route_words(route: &Route) -> String {
    let named = |value: &&Value| value.name.is_some() && value.decimal.is_some();
    let inputs: Vec<String> = route
        .inputs
        .iter()
        .flat_map(Value::scalars)
        .filter(named)
        .map(|value| {
            let [name, decimal] = [&value.name, &value.decimal].map(|part| part.as_deref().unwrap_or_default());
            format!("{name} = {decimal}")
        })
        .collect();
    let with = if inputs.is_empty() { String::new() } else { format!(" with {}", inputs.join(", ")) };
    let chain = if route.chain.is_empty() { route.entry.clone() } else { route.chain.join(" → ") };
    format!("{chain}{with}")
}

/// What is known of public functions from which it was not observed.
fn elsewhere(report: &Report, finding: &Finding, details: &ExceptionDetails) -> Vec<String> {
    if let Some(Verdict::Unreachable { engine, .. }) = &details.only_direct {
        return vec![format!("only if called directly: proved of every public function that leads to it ({engine})")];
    }
    let of = |not_seen: &NotSeen| {
        let chain = not_seen.chain.join(" → ");
        match &not_seen.verdict {
            Verdict::Unreachable { engine, .. } => format!("proved impossible from {chain} ({engine})"),
            Verdict::UnreachableWithinBound { loop_bound, .. } => {
                format!("not seen from {chain}: proved impossible within the loop bound of {loop_bound} only")
            }
            Verdict::Unknown { why } => format!("not seen from {chain}: {why}"),
            Verdict::Reachable { .. } => format!("reachable from {chain}"),
        }
    };
    // Where it is reached from is shown: who does not matters less.
    let shown = if details.reachable_from.is_empty() { ROUTES_SHOWN } else { 0 };
    let mut remarks: Vec<String> = details.not_seen_from.iter().take(shown).map(of).collect();
    let more = details.not_seen_from.len().saturating_sub(shown);
    if more > 0 {
        let others = plural(more as u64, "other public function", "other public functions");
        remarks.push(format!("not seen from {others} that call it"));
    }
    let unit = report.functions.iter().find(|of| of.findings.contains(&finding.id));
    let is_static = unit.is_some_and(|unit| !unit.is_public);
    if details.reachable_from.is_empty() && details.not_seen_from.is_empty() && is_static {
        remarks.push("no public function is known to lead to it: seen only when called directly".to_owned());
    }
    remarks
}

/// Remarks on an exception.
pub(super) fn remarks(report: &Report, finding: &Finding, details: &ExceptionDetails) -> Vec<String> {
    let name = details.exception.names().first().copied().unwrap_or_default();
    let mut remarks = vec![finding.severity.meaning().to_owned()];
    let output = output(details);
    match details.avoidable {
        Some(true) => {
            remarks.push(format!("avoidable: the true {output} is a normal number, the {name} is not its doing"))
        }
        Some(false) => remarks.push(format!("the true {output} is no normal number: the {name} is not avoidable")),
        None => {}
    }
    for route in details.reachable_from.iter().take(ROUTES_SHOWN) {
        remarks.push(format!("reachable from {}", route_words(route)));
    }
    if details.reachable_from.len() > ROUTES_SHOWN {
        let more = details.reachable_from.len() - ROUTES_SHOWN;
        remarks.push(format!(
            "reachable from {} too",
            plural(more as u64, "other public function", "other public functions")
        ));
    }
    remarks.extend(elsewhere(report, finding, details));
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
        let shown: Vec<String> = [1.0, 0.5, 12.0, 99.125, 12345.6, 4.5e15, f64::INFINITY].map(ulps).to_vec();
        assert_eq!(shown, ["1 ulp", "0.50 ulps", "12 ulps", "99.12 ulps", "12346 ulps", "4.5e15 ulps", "inf ulps"]);
    }
}
