//! One finding as a compiler-style diagnostic.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::sites::{Place, places};
use super::sources::Sources;
use super::style::Style;
use super::summary::grouped;
use super::table::{columns, wrap};
use super::witness::witness;
use super::{accuracy, callers, divergence, effect, violation};
use crate::{Details, Finding, Report, Severity};

/// More places than these are counted only; the table of traces, the JSON and SARIF files have more.
const PLACES_SHOWN: usize = 8;

/// The diagnostic, with an empty line at its end.
pub(super) fn render(report: &Report, finding: &Finding, style: &Style, sources: &Sources) -> String {
    let mut text = head(report, finding, style, sources);
    text.push('\n');
    text.push_str(&witness(report, finding, style));
    text.push('\n');
    let marked = |text: &str| style.marked(text);
    text.push_str(&match &finding.details {
        Details::Difference(_) => {
            columns(&divergence::rows(report, finding), style.columns(), |text| style.faint(text), marked)
        }
        Details::Accuracy(details) => {
            columns(&accuracy::rows(finding, details), style.columns(), str::to_owned, marked)
        }
        Details::Violation(details) => columns(&violation::rows(details), style.columns(), str::to_owned, marked),
        // One column needs no head.
        Details::Exception(details) => columns(&effect::rows(finding, details), style.columns(), str::to_owned, marked),
    });
    text.push('\n');
    if let Details::Violation(_) = &finding.details {
        text.push_str(&replay_line(finding, style));
        return text;
    }
    let inputs =
        if finding.count == 1 { "1 input shows".to_owned() } else { format!("{} inputs show", grouped(finding.count)) };
    text.push_str(&format!("  {inputs} this; found by {}\n", found_by(finding)));
    text.push_str(&replay_line(finding, style));
    text
}

/// The command that shows the finding again.
fn replay_line(finding: &Finding, style: &Style) -> String {
    finding.command.as_ref().map(|command| format!("  replay: {}\n", style.bold(command))).unwrap_or_default()
}

fn found_by(finding: &Finding) -> &'static str {
    match finding.found_by {
        crate::FoundBy::Solver => "the solver",
        crate::FoundBy::Cancellation => "the solver, from the condition that a sum loses bits and a later one cancels",
        crate::FoundBy::Amplification => "the solver, from the condition that an operation amplifies what was rounded",
        crate::FoundBy::Neighbourhood => "search around a solver's input",
        crate::FoundBy::Guided => "guided search",
        crate::FoundBy::Random => "random sampling",
        crate::FoundBy::Enumeration => "running all inputs",
        crate::FoundBy::Given => "you: it was given",
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Introduced | Severity::Lost | Severity::WrongAlgorithm | Severity::Unstable | Severity::Violated => {
            Level::ERROR
        }
        Severity::Masked | Severity::Inaccurate | Severity::Branch => Level::WARNING,
        Severity::Underflow | Severity::Unclassified | Severity::IllConditioned => Level::INFO,
        Severity::Ulps | Severity::Trace | Severity::Honest | Severity::Harmless | Severity::Benign => Level::NOTE,
    }
}

/// Title, source lines and remarks.
fn head(report: &Report, finding: &Finding, style: &Style, sources: &Sources) -> String {
    let title = level(finding.severity).with_name(finding.severity.name()).primary_title(finding.summary.as_str());
    let mut group = Group::with_title(title.id(finding.id.as_str()));
    let places = places(finding);
    for element in snippets(&places, sources) {
        group = group.element(element);
    }
    if places.is_empty() {
        group = group.element(Origin::path(report.target.file.as_str()));
    }
    for remark in remarks(report, finding, places.len()) {
        group = group.element(Level::NOTE.message(wrap(&remark, style.columns() - 12).join("\n")));
    }
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.term_width(style.columns()).render(&[group]);
    text.push('\n');
    text
}

/// Remarks on a finding.
fn remarks(report: &Report, finding: &Finding, places: usize) -> Vec<String> {
    let (mut remarks, last) = match &finding.details {
        Details::Difference(details) => {
            let mut remarks = divergence::remarks(report, finding, details);
            remarks.extend(callers::remarks(report, finding, details.callers.as_deref()));
            (remarks, divergence::extent(details))
        }
        Details::Exception(details) => (effect::remarks(report, finding, details), Vec::new()),
        Details::Accuracy(details) => {
            (accuracy::remarks(details), callers::remarks(report, finding, details.callers.as_deref()))
        }
        Details::Violation(_) => (Vec::new(), Vec::new()),
    };
    for observation in finding.compared() {
        if !observation.trace_complete {
            remarks.push(format!("the trace of {} is not complete", observation.role));
        }
    }
    remarks.extend(last);
    if places > PLACES_SHOWN {
        remarks.push(format!("{} more places are not shown", places - PLACES_SHOWN));
    }
    remarks.extend(finding.notes.iter().cloned());
    remarks
}

/// A place's line as text, and where in it the place is.
fn locate(line: &[u8], column: Option<u32>) -> (String, std::ops::Range<usize>) {
    let text = String::from_utf8_lossy(line).into_owned();
    let trimmed = text.trim_end().len();
    let Some(column) = column.filter(|column| *column > 0) else {
        let start = text.len() - text.trim_start().len();
        return (text, start.min(trimmed)..trimmed);
    };
    // Columns count bytes of the file; each invalid byte became a character of three.
    let before = line.get(..column as usize - 1).unwrap_or(line);
    let mut start = String::from_utf8_lossy(before).len().min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let width = text[start..].chars().next().map_or(0, char::len_utf8);
    (text, start..start + width)
}

/// Source lines with labels, a snippet for each file; a location alone where there is no source.
fn snippets(places: &[Place], sources: &Sources) -> Vec<Element<'static>> {
    let mut elements: Vec<Element<'static>> = Vec::new();
    let shown = &places[..places.len().min(PLACES_SHOWN)];
    let any_primary = shown.iter().any(Place::is_primary);
    let mut files: Vec<&str> = Vec::new();
    for place in shown {
        if !files.contains(&place.file.as_str()) {
            files.push(&place.file);
        }
    }
    for file in files {
        let mut here: Vec<&Place> = shown.iter().filter(|place| place.file == file).collect();
        here.sort_by_key(|place| (place.line, place.column));
        let first = here[0].line;
        let last = here[here.len() - 1].line;
        let readable = here.iter().all(|place| sources.line(file, place.line).is_some());
        if !readable {
            elements.extend(here.iter().map(|place| Element::from(origin(place))));
            continue;
        }
        let mut text = String::new();
        let mut annotations = Vec::new();
        for line in first..=last {
            let bytes = sources.line(file, line).unwrap_or_default();
            let start = text.len();
            for place in here.iter().filter(|place| place.line == line) {
                let span = locate(bytes, place.column).1;
                let kind =
                    if place.is_primary() || !any_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                annotations.push(kind.span(start + span.start..start + span.end).label(place.label()));
            }
            text.push_str(&String::from_utf8_lossy(bytes));
            text.push('\n');
        }
        let snippet = Snippet::source(Cow::<'static, str>::Owned(text))
            .line_start(first as usize)
            .path(file.to_owned())
            .annotations(annotations);
        elements.push(snippet.into());
    }
    elements
}

fn origin(place: &Place) -> Origin<'static> {
    let origin = Origin::path(place.file.clone()).line(place.line as usize);
    match place.column {
        Some(column) => origin.char_column(column as usize),
        None => origin,
    }
}
