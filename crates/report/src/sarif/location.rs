//! Where something is: places of files and functions.

use serde_sarif::sarif::{ArtifactLocation, Location, LogicalLocation, Message, PhysicalLocation, Region};

use crate::exceptions::listed;
use crate::subject::Subject;
use crate::{
    AccuracyDetails, Cause, Details, ErrorCause, ExceptionDetails, Finding, SourcePlace, StackEntry, TraceEvent,
    ViolationDetails,
};

/// Text of a message: braces would be placeholders.
pub(super) fn message(text: &str) -> Message {
    Message::builder().text(text.replace('{', "{{").replace('}', "}}")).build()
}

/// A path as a URI reference: relative ones stay so, bytes that URIs don't allow are percent-encoded.
fn uri(path: &str) -> String {
    let mut text = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    // A colon in the first segment would read as a scheme.
    let first_segment = path.split('/').next().map_or(0, str::len);
    for (index, byte) in path.bytes().enumerate() {
        match byte {
            b':' if index < first_segment => text.push_str("%3A"),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => text.push(byte as char),
            b'/' | b'-' | b'.' | b'_' | b'~' | b'+' | b'@' | b':' | b',' | b'=' => text.push(byte as char),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

fn artifact(path: &str) -> ArtifactLocation {
    ArtifactLocation::builder().uri(uri(path)).build()
}

fn logical(function: &str) -> Vec<LogicalLocation> {
    vec![LogicalLocation::builder().name(function).kind("function").build()]
}

/// The function under test as a whole.
pub(super) fn target_location(subject: &Subject<'_>, text: Option<&str>) -> Location {
    let mut location = Location::builder()
        .physical_location(physical(subject.file, subject.line, None))
        .logical_locations(logical(subject.function))
        .build();
    location.message = text.map(message);
    location
}

/// A place in a file: a line and a column of zero are none.
fn physical(file: &str, line: Option<u32>, column: Option<u32>) -> PhysicalLocation {
    let mut region = Region::builder().build();
    region.start_line = line.filter(|line| *line > 0).map(i64::from);
    region.start_column = region.start_line.and(column).filter(|column| *column > 0).map(i64::from);
    let mut physical = PhysicalLocation::builder().artifact_location(artifact(file)).build();
    physical.region = region.start_line.is_some().then_some(region);
    physical
}

/// A place with what happens there. What has no place, or one outside of the project (a language's own library, a dependency),
/// stands at the function under test, where services can show it, and is said in words.
fn location(subject: &Subject<'_>, place: &SourcePlace, text: &str, function: Option<&str>) -> Location {
    let Some(file) = subject.file_in_project(place) else {
        // Some texts say the place already.
        return match place.words().filter(|words| !text.ends_with(words.as_str())) {
            Some(words) => target_location(subject, Some(&format!("{text} at {words}"))),
            None => target_location(subject, Some(text)),
        };
    };
    let physical = physical(file, place.line, place.column);
    let mut location = Location::builder().physical_location(physical).message(message(text)).build();
    location.logical_locations = function.map(logical);
    location
}

/// An event's place.
pub(super) fn event_location(subject: &Subject<'_>, event: &TraceEvent, text: &str) -> Location {
    location(subject, &event.place, text, event.function.as_deref())
}

/// The place of an exception.
fn site_location(subject: &Subject<'_>, details: &ExceptionDetails) -> Location {
    let site = &details.site;
    let text = format!("{} in {}", listed(details.exception), site.operator);
    location(subject, &site.place, &text, Some(&site.function))
}

/// Where something goes wrong.
fn violation_location(subject: &Subject<'_>, details: &ViolationDetails) -> Location {
    let function = details.stack.first().map_or(subject.function, |entry| &entry.function);
    location(subject, &details.place, &details.observed, Some(function))
}

/// What an event says: `overflow in fmul (variant)`.
pub(super) fn event_text(event: &TraceEvent, role: &str) -> String {
    let library = event.library.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    format!("{} in {}{library} ({role})", listed(event.exceptions), event.operator)
}

/// An exception's site; of a divergence the sites of the builds that differ, the variant's first, each once, or the
/// function itself where there are none.
pub(super) fn locations(subject: &Subject<'_>, finding: &Finding) -> Vec<Location> {
    let called = call_locations(subject, finding);
    let isolated = |own: Location| if called.is_empty() { vec![own] } else { called.clone() };
    match &finding.details {
        Details::Exception(details) => isolated(site_location(subject, details)),
        Details::Difference(details) => {
            // What a build raises in code of others has no line to show where nothing calls it from the project's.
            let is_elsewhere = |event: &TraceEvent| subject.file_in_project(&event.place).is_none();
            let mut raised = finding.compared().into_iter().rev().flat_map(|of| &of.trace);
            let cause = details.cause.as_ref().filter(|_| called.is_empty() && raised.next().is_some_and(is_elsewhere));
            let cause = cause.filter(|of| of.place.line.is_some() && subject.file_in_project(&of.place).is_some());
            let cause = cause.map(|of| location(subject, &of.place, &of.words(), None));
            called.into_iter().chain(cause).chain(traced_locations(subject, finding)).collect()
        }
        Details::Accuracy(details) => {
            let others = error_locations(subject, finding, details).into_iter().skip(usize::from(!called.is_empty()));
            called.into_iter().chain(others).collect()
        }
        Details::Violation(details) => vec![violation_location(subject, details)],
    }
}

/// The user's lines from which the witness comes to the code of others that the finding is about.
fn call_locations(subject: &Subject<'_>, finding: &Finding) -> Vec<Location> {
    let there = finding.details.place().map(SourcePlace::words_or_unknown).unwrap_or_default();
    let text = match &finding.details {
        Details::Exception(of) => format!("{} in {} at {there}", listed(of.exception), of.site.operator),
        Details::Difference(of) => of.cause.as_ref().map(Cause::words).unwrap_or_default(),
        Details::Accuracy(of) => of.causes.first().map(ErrorCause::words).unwrap_or_default(),
        Details::Violation(of) => of.observed.clone(),
    };
    let of = |called: &StackEntry| location(subject, &called.place, &text, Some(&called.function));
    finding.called_at.iter().map(of).collect()
}

/// The operations that made an error, the worst first.
fn error_locations(subject: &Subject<'_>, finding: &Finding, details: &AccuracyDetails) -> Vec<Location> {
    let of = |cause: &ErrorCause| location(subject, &cause.place, &cause.words(), Some(subject.function));
    let locations: Vec<Location> = details.causes.iter().filter(|cause| cause.place.line.is_some()).map(of).collect();
    if locations.is_empty() { traced_locations(subject, finding) } else { locations }
}

fn traced_locations(subject: &Subject<'_>, finding: &Finding) -> Vec<Location> {
    let mut seen: Vec<&TraceEvent> = Vec::new();
    let mut locations = Vec::new();
    for observation in finding.compared().into_iter().rev() {
        for event in &observation.trace {
            if !seen.contains(&event) {
                seen.push(event);
                locations.push(event_location(subject, event, &event_text(event, &observation.role)));
            }
        }
    }
    if locations.is_empty() {
        locations.push(target_location(subject, None));
    }
    locations
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri("sub/f.c"), "sub/f.c");
        assert_eq!(uri("/home/a b/é.c"), "file:///home/a%20b/%C3%A9.c");
        assert_eq!(uri("c:d/e:f#1.c"), "c%3Ad/e:f%231.c");
        assert_eq!(uri("../x%20.c"), "../x%2520.c");
    }
}
