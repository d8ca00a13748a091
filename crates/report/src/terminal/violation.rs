//! Violations: how control came there, what a native run showed; and what a verification came to.

use super::style::Style;
use super::summary::{grouped, listed, notes, plural, seconds};
use super::table::Row;
use crate::{ProgramVerdict, Report, SourcePlace, ViolationDetails};

/// More activations than these are counted only.
const STACK_SHOWN: usize = 8;

/// The call stack and what was observed.
pub(super) fn rows(details: &ViolationDetails) -> Vec<Row> {
    let row = |name: &str, cell: String| Row { name: name.to_owned(), cells: vec![cell], marked: false };
    let mut lines: Vec<String> = Vec::new();
    for entry in details.stack.iter().take(STACK_SHOWN) {
        let place = entry.place.words().map(|words| format!(" at {words}")).unwrap_or_default();
        lines.push(format!("{}{place}", entry.function));
    }
    if details.stack.len() > STACK_SHOWN {
        lines.push(format!("and {} more", details.stack.len() - STACK_SHOWN));
    }
    let mut rows = Vec::new();
    if !lines.is_empty() {
        rows.push(row("stack", lines.join("\n")));
    }
    if !details.arguments.is_empty() {
        let words: Vec<String> = details.arguments.iter().map(|hex| argument(hex)).collect();
        rows.push(row("arguments", words.join(" ")));
    }
    rows.push(row("observed", details.observed.clone()));
    rows
}

/// An argument of the command line as people read it.
fn argument(hex: &str) -> String {
    let digits: Vec<u8> = hex.bytes().collect();
    let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|text| u8::from_str_radix(text, 16).ok());
    let bytes: Vec<u8> = digits.chunks(2).filter_map(byte).collect();
    format!("{:?}", String::from_utf8_lossy(&bytes))
}

/// The verdict, with what it rests on.
pub(super) fn summary(report: &Report, style: &Style) -> String {
    let Some(of) = &report.verification else { return notes(report, style) };
    let mut text = String::new();
    let mut list = |head: &str, items: &[String]| text.push_str(&listed(head, items, style));
    match of.verdict {
        ProgramVerdict::Violated => {}
        ProgramVerdict::Holds => list("assuming", &of.assumptions),
        ProgramVerdict::HoldsWithinBounds => {
            list("bounds that were reached", &of.reasons);
            list("assuming", &of.assumptions);
        }
        ProgramVerdict::Unknown => list("not known because", &of.reasons),
    }
    let words = match (of.verdict, &of.vacuous) {
        (ProgramVerdict::Holds, Some(why)) => format!("holds vacuously: {why}"),
        (ProgramVerdict::HoldsWithinBounds, Some(why)) => format!("holds vacuously within bounds: {why}"),
        (ProgramVerdict::Violated, _) => {
            format!("violated: {}", plural(report.findings.len() as u64, "error", "errors"))
        }
        (ProgramVerdict::Holds, None) if of.is_by_ranges => "holds on every path, by value ranges".to_owned(),
        (ProgramVerdict::Holds, None) if !of.by_induction.is_empty() => {
            let places: Vec<String> = of.by_induction.iter().filter_map(SourcePlace::words).collect();
            match places.as_slice() {
                [] => "holds on every path, by induction".to_owned(),
                [one] => format!("holds on every path, by induction over the loop at {one}"),
                _ => format!("holds on every path, by induction over the loops at {}", places.join(", ")),
            }
        }
        (ProgramVerdict::Holds, None) => "holds on every path".to_owned(),
        (ProgramVerdict::HoldsWithinBounds, None) => "holds within bounds".to_owned(),
        (ProgramVerdict::Unknown, _) => "unknown".to_owned(),
    };
    let paths = of.paths;
    let mut parts = vec![match (of.is_by_ranges, paths.completed) {
        (true, 0) => "no path had to be followed".to_owned(),
        (_, completed) => plural(completed, "path completed", "paths completed"),
    }];
    // A violation is one that a native run showed.
    let violated = if of.verdict == ProgramVerdict::Violated { "violated" } else { "ended by an error" };
    let further = [(paths.violated, violated), (paths.given_up, "given up"), (paths.waiting, "waiting")];
    parts.extend(
        further.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{} {word}", grouped(*count))),
    );
    let line = format!("{}: {}", style.bold(&words), parts.join(", "));
    text.push_str(&format!(
        "{line}; {} instructions in {}\n  checked: {}\n",
        grouped(of.instructions),
        seconds(report),
        of.properties.join(", ")
    ));
    text.push_str(&notes(report, style));
    text
}

/// What the place of a violation is labelled with.
pub(super) fn label(details: &ViolationDetails) -> (&SourcePlace, &'static str) {
    (&details.place, "here")
}
