//! Errors of results: how large, whose fault, which operations made them; and what the run came to.

use super::exceptions::{failures, reasons};
use super::observed::observed;
use super::style::Style;
use super::summary::{grouped, notes, plural, seconds};
use super::table::Row;
use crate::{AccuracyDetails, ErrorCause, Finding, JointBackwardError, ReferenceDetails, Report, Severity, Status};

/// More operations than these are counted only; the files have more.
const CAUSES_SHOWN: usize = 4;

/// What was observed, the truth beside it, and the error.
pub(super) fn rows(finding: &Finding, details: &AccuracyDetails) -> Vec<Row> {
    let mut rows = observed(&finding.compared());
    let plain = |name: &str, cell: String| Row { name: name.to_owned(), cells: vec![cell], marked: false };
    fn of_reference<T>(details: &AccuracyDetails, part: impl Fn(&ReferenceDetails) -> Option<T>) -> Option<T> {
        details.reference.as_deref().and_then(part)
    }
    let own = [
        Some(plain(&format!("true {}", details.output), details.truth.clone())),
        details.reference.as_ref().map(|reference| plain("by", reference.name.clone())),
        Some(plain("error", details.error.words())),
        of_reference(details, |of| of.formulas.clone()).map(|formulas| plain("without rounding", formulas)),
        of_reference(details, |of| of.truncation_error).map(|error| plain("of that, method", number(error))),
        of_reference(details, |of| of.rounding_error).map(|error| plain("and rounding", number(error))),
        details.excess.map(|excess| plain("excess", format!("{} times what half an ulp brings about", number(excess)))),
        details.condition.map(|condition| plain("condition", number(condition))),
        details.backward_error.map(|error| plain("backward error", number(error))),
        details.joint_backward_error.map(|of| plain(&format!("of {} outputs", of.outputs), joint(of))),
    ];
    let at = rows.iter().position(|row| row.name == "trace").unwrap_or(rows.len());
    rows.splice(at..at, own.into_iter().flatten());
    rows
}

/// A backward error of several outputs in words.
fn joint(of: JointBackwardError) -> String {
    of.change.map_or_else(|| "infinite: no change of the inputs makes all exact".to_owned(), number)
}

/// What made the error, and where it is largest.
pub(super) fn remarks(details: &AccuracyDetails) -> Vec<String> {
    let mut remarks: Vec<String> =
        details.fault_unknown.iter().map(|why| format!("whose fault it is is not known: {why}")).collect();
    remarks.extend(details.causes.iter().take(CAUSES_SHOWN).map(|cause| of_cause(details, cause)));
    if details.causes.len() > CAUSES_SHOWN {
        let more = details.causes.len() - CAUSES_SHOWN;
        remarks.push(plural(more as u64, "other operation has a part in it", "other operations have a part in it"));
    }
    if let Some(remedy) = &details.remedy {
        let left = left_in_words(remedy.left, details.error.absolute).unwrap_or_default();
        remarks.push(format!("remedy: {} leaves {left}", remedy.words()));
    }
    remarks.extend(details.fpcore.as_ref().map(|text| format!("for Herbie: {}", on_a_line(text))));
    if let Some(worst) = &details.worst {
        let scalars = worst.inputs.iter().flat_map(crate::Value::scalars);
        let words: Vec<String> = scalars
            .filter_map(|value| Some(format!("{} = {}", value.name.as_deref()?, value.decimal.as_deref()?)))
            .take(8)
            .collect();
        remarks.push(format!("the error is largest, {}, with {}", worst.error.words(), words.join(", ")));
    }
    remarks
}

/// FPCore as remarks are wrapped: white space means nothing in it, but for the ends of comments.
fn on_a_line(text: &str) -> String {
    let words = text.lines().filter(|line| !line.starts_with(';')).flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

fn of_cause(details: &AccuracyDetails, cause: &ErrorCause) -> String {
    let mut words = format!("{:.0} % of it: {}", 100.0 * cause.share, cause.words());
    if cause.absorbed > 0 {
        words.push_str(&format!(", {} lost whole", plural(cause.absorbed, "operand", "operands")));
    }
    if cause.cancelled_bits > 1 {
        words.push_str(&format!(", cancels {} bits", cause.cancelled_bits));
    }
    if let Some(left) = cause.left.and_then(|left| left_in_words(left, details.error.absolute)) {
        words.push_str(&format!("; computed exactly, it leaves {left}"));
    }
    words
}

/// What is left of an error, where that is less than half of it.
fn left_in_words(left: f64, error: Option<f64>) -> Option<String> {
    let factor = error.map_or(f64::INFINITY, |error| error / left);
    match factor {
        _ if left == 0.0 => Some("no error".to_owned()),
        factor if factor.is_infinite() => Some(format!("an error of {left:.2e}")),
        factor if factor >= 2.0 => Some(format!("an error {} times smaller", number(factor))),
        _ => None,
    }
}

/// Three digits or so.
fn number(value: f64) -> String {
    if (0.01..1e5).contains(&value) { format!("{value:.3}") } else { format!("{value:.2e}") }
}

/// How many errors of which kind, what was run, the remarks.
pub(super) fn summary(report: &Report, style: &Style) -> String {
    let mut text = String::new();
    for severity in Severity::ERRORS {
        let of: Vec<&Finding> = report.findings.iter().filter(|finding| finding.severity == severity).collect();
        if !of.is_empty() {
            let largest = of.iter().filter_map(|finding| finding.accuracy()?.error.bits).fold(0f64, f64::max);
            let bits = if largest > 0.0 { format!(", up to {largest:.1} bits") } else { String::new() };
            text.push_str(&format!("  {:<16} {:>4}{bits}\n", severity.name(), of.len()));
        }
    }
    for bound in &report.bounds {
        let words = match bound.function == report.target.function {
            true => bound.words(),
            false => format!("{}, {}", bound.function, bound.words()),
        };
        text.push_str(&format!("  {words}\n"));
    }
    if let Some(of) = report.operations.as_ref().filter(|of| !of.worst.is_empty()) {
        let errors = plural(of.errors, "error that is certain", "errors that are certain");
        text.push_str(&format!("  most of {errors} was made by\n"));
        of.words().iter().for_each(|line| text.push_str(&format!("    {line}\n")));
        if of.others > 0 {
            let others = plural(of.others, "other error", "other errors");
            text.push_str(&format!("    and in {others} no operation's rounding alone has a part\n"));
        }
    }
    text.push_str(&reasons("not analysed because", failures(report), style));
    let found = plural(report.findings.len() as u64, "error", "errors");
    let limit = if report.status == Status::Limit { "; cut short by a limit or an interrupt" } else { "" };
    let inputs = grouped(report.counts.inputs_tested);
    let line = format!("{found} on {inputs} inputs in {}{limit}", seconds(report));
    text.push_str(&format!("{}\n", style.bold(&line)));
    text.push_str(&notes(report, style));
    text
}
