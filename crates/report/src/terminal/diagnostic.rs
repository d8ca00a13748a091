//! One finding as a compiler-style diagnostic.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::build::build_words;
use super::effect;
use super::observed::{SCALARS_SHOWN, observed};
use super::sites::{Place, places};
use super::sources::Sources;
use super::style::Style;
use super::summary::{grouped, plural};
use super::table::{Row, columns, wrap};
use crate::exceptions::listed;
use crate::{Finding, ObservationRecord, Report, Severity, Value};

/// More places than these are counted only; the table of traces, the JSON and SARIF files have more.
const PLACES_SHOWN: usize = 8;

/// The diagnostic, with an empty line at its end.
pub(super) fn render(report: &Report, finding: &Finding, style: &Style, sources: &Sources) -> String {
    let mut text = head(report, finding, style, sources);
    text.push('\n');
    text.push_str(&witness(report, finding, style));
    text.push('\n');
    let marked = |text: &str| style.marked(text);
    text.push_str(&match &finding.exception {
        // One column needs no head.
        Some(details) => columns(&effect::rows(finding, details), style.columns(), str::to_owned, marked),
        None => columns(&side_by_side(report, finding), style.columns(), |text| style.faint(text), marked),
    });
    text.push('\n');
    let inputs =
        if finding.count == 1 { "1 input shows".to_owned() } else { format!("{} inputs show", grouped(finding.count)) };
    text.push_str(&format!("  {inputs} this; found by {}\n", found_by(finding)));
    if let Some(command) = &finding.command {
        text.push_str(&format!("  replay: {}\n", style.bold(command)));
    }
    text
}

fn found_by(finding: &Finding) -> &'static str {
    match finding.found_by {
        crate::FoundBy::Solver => "the solver",
        crate::FoundBy::Neighbourhood => "search around a solver's input",
        crate::FoundBy::Guided => "guided search",
        crate::FoundBy::Random => "random sampling",
        crate::FoundBy::Enumeration => "running all inputs",
        crate::FoundBy::Given => "you: it was given",
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Introduced | Severity::Lost | Severity::Unstable => Level::ERROR,
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
    let mut remarks = Vec::new();
    if let Some(cause) = finding.difference.as_ref().and_then(|details| details.cause.as_ref()) {
        remarks.push(format!("because: {}", cause.words()));
    }
    if let Some(details) = &finding.exception {
        remarks.extend(effect::remarks(report, finding, details));
    } else if !finding.baseline_clean {
        remarks.push(format!("outside fast-math's contract: {}", why_unclean(finding)));
    }
    if finding.in_control {
        let roles = finding.observations.iter().map(|seen| seen.role.as_str());
        let control = roles.filter(|role| role.starts_with("control")).find_map(|role| report.target.build(role));
        let control = control.map(|build| format!(" ({})", build_words(build))).unwrap_or_default();
        remarks.push(format!("the strict control{control} differs too: the optimiser's doing, not fast-math's"));
    }
    for observation in finding.between.iter().filter_map(|role| finding.observation(role)) {
        if !observation.trace_complete {
            remarks.push(format!("the trace of {} is not complete", observation.role));
        }
    }
    if let Some(details) = &finding.difference {
        if details.divergences > 1 {
            let others = plural(details.divergences - 1, "other divergence has", "other divergences have");
            remarks.push(format!("{others} this cause; --all tells each"));
        }
        if let Some(worst) = &details.worst {
            let inputs = worst.inputs.iter().flat_map(Value::scalars).take(SCALARS_SHOWN);
            let named = |value: &Value| {
                Some(format!("{} = {}", value.name.as_deref()?, value.decimal.as_deref().unwrap_or("?")))
            };
            let inputs: Vec<String> = inputs.filter_map(named).collect();
            remarks.push(format!("furthest apart, {} ulps, at {}", ulps(worst.ulps), inputs.join(", ")));
        }
    }
    if places > PLACES_SHOWN {
        remarks.push(format!("{} more places are not shown", places - PLACES_SHOWN));
    }
    remarks.extend(finding.notes.iter().cloned());
    remarks
}

/// A number of ulps: whole, or its magnitude where it is large.
fn ulps(ulps: f64) -> String {
    if ulps < 1e7 { grouped(ulps as u64) } else { format!("{ulps:.1e}") }
}

/// What takes an input out of the contract.
fn why_unclean(finding: &Finding) -> String {
    let is_finite = |value: &&Value| !matches!(value.class().as_str(), "nan" | "inf" | "-inf");
    let names: Vec<&str> = finding
        .inputs
        .iter()
        .flat_map(Value::scalars)
        .filter(|value| !is_finite(value))
        .filter_map(|value| value.name.as_deref())
        .collect();
    if !names.is_empty() {
        return format!(
            "{} not finite",
            if names.len() == 1 { format!("{} is", names[0]) } else { format!("{} are", names.join(", ")) }
        );
    }
    let Some(baseline) = finding.between.first().and_then(|role| finding.observation(role)) else {
        return "the baseline is not clean".to_owned();
    };
    let severe = baseline.flags & labrys_float::Flags::SEVERE;
    if let Some(outcome) = baseline.outcome_words() {
        format!("the baseline ends with {outcome}")
    } else if severe.is_empty() {
        "the baseline's result is not finite".to_owned()
    } else {
        format!("the baseline raises {}", listed(severe))
    }
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

/// Whether a scalar is the simplest there is: +0.
fn is_plain_zero(value: &Value) -> bool {
    value.to_bits() == Some(0)
}

/// The witness in three notations, aligned.
fn witness(report: &Report, finding: &Finding, style: &Style) -> String {
    let scalars: Vec<&Value> = finding.inputs.iter().flat_map(Value::scalars).collect();
    let (shown, zeros): (Vec<&Value>, Vec<&Value>) =
        scalars.iter().partition(|value| scalars.len() <= SCALARS_SHOWN || !is_plain_zero(value));
    let cells: Vec<[&str; 4]> = shown
        .iter()
        .map(|value| {
            [&value.name, &value.decimal, &value.hex, &value.bits].map(|part| part.as_deref().unwrap_or_default())
        })
        .collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    // In a library each finding has its own function.
    let unit = report.functions.iter().find(|of| of.findings.contains(&finding.id));
    let of = unit.map(|unit| format!(" for {}", unit.function)).unwrap_or_default();
    let mut text = match scalars.is_empty() {
        true => format!("  no inputs{of}\n"),
        false => format!("  {}\n", style.bold(&format!("witness{of}"))),
    };
    for [name, decimal, hex, bits] in cells {
        let padding = " ".repeat(widths[1].saturating_sub(decimal.chars().count()));
        let line =
            format!("    {name:<0$} = {1}{padding}  {hex:<2$}  {bits}", widths[0], style.bold(decimal), widths[2]);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if !zeros.is_empty() {
        text.push_str(&format!("    and {} more that are 0\n", zeros.len()));
    }
    text
}

/// Exceptions, results and traces of the builds that differ, side by side.
fn side_by_side(report: &Report, finding: &Finding) -> Vec<Row> {
    let observations: Vec<&ObservationRecord> =
        finding.between.iter().filter_map(|role| finding.observation(role)).collect();
    let heads = observations.iter().map(|seen| match report.target.build(&seen.role) {
        Some(build) => format!("{}: {}", seen.role, build_words(build)),
        None => seen.role.clone(),
    });
    let mut rows = vec![Row { cells: heads.collect(), ..Row::default() }];
    rows.extend(observed(&observations));
    rows
}
