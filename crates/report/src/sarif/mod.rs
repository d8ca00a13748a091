//! The report as SARIF 2.1.0 (Static Analysis Results Interchange Format, OASIS), for editors and code-scanning services.
//!
//! Rules are the severities of divergences, or the exceptions, whose effects are the results' levels. Each finding is a
//! result with its sites as locations, a code flow with a thread flow for each build's trace, and its id as fingerprint;
//! where there is a baseline, with whether that has it. Timing is left out, so that equal runs give equal bytes.

mod rules;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::json;
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Invocation, Location, LogicalLocation, Message, Notification, PhysicalLocation,
    PropertyBag, Region, Result as SarifResult, ResultKind, Run, Sarif, ThreadFlow, ThreadFlowLocation, Tool,
    ToolComponent,
};

use crate::exceptions::listed;
use crate::{
    AccuracyDetails, Details, ErrorCause, ExceptionDetails, Finding, FunctionSummary, ObservationRecord, Report,
    ReportError, TraceEvent, Value,
};

/// Where the schema is published.
const SCHEMA_URL: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name of the fingerprint that a finding's id is, with the version of the way ids are made.
const FINGERPRINT: &str = "labrys/v1";

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> Result<String, ReportError> {
    let driver = ToolComponent::builder()
        .name("labrys")
        .version(report.version.clone())
        .semantic_version(report.version.clone())
        .rules(rules::rules(report))
        .build();
    let units = report.functions.iter().flat_map(|unit| unit.findings.iter().map(move |id| (id.as_str(), unit)));
    let units: HashMap<&str, &FunctionSummary> = units.collect();
    let known: Option<HashSet<&str>> = report.known.as_ref().map(|known| known.iter().map(String::as_str).collect());
    let results: Vec<SarifResult> = report
        .findings
        .iter()
        .map(|finding| {
            let subject = Subject::of(report, units.get(finding.id.as_str()).copied());
            let mut result = result(&subject, finding);
            result.baseline_state = known.as_ref().map(|known| {
                let is_known = known.contains(finding.id.as_str());
                json!(if is_known { "unchanged" } else { "new" })
            });
            result
        })
        .collect();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation(report)])
        .column_kind(json!("unicodeCodePoints"))
        .results(results)
        .build();
    let log = Sarif::builder().schema(SCHEMA_URL).version(json!("2.1.0")).runs(vec![run]).build();
    let mut text = serde_json::to_string_pretty(&log).map_err(ReportError::Serialise)?;
    text.push('\n');
    Ok(text)
}

/// Text of a message: braces would be placeholders.
fn message(text: &str) -> Message {
    Message::builder().text(text.replace('{', "{{").replace('}', "}}")).build()
}

fn invocation(report: &Report) -> Invocation {
    let notifications: Vec<Notification> = report
        .notes
        .iter()
        .map(|note| Notification::builder().message(message(note)).level(json!("note")).build())
        .collect();
    let arguments: Vec<String> = report.command.iter().skip(1).cloned().collect();
    Invocation::builder()
        .execution_successful(true)
        .exit_code(i64::from(report.exit_code()))
        .command_line(report.command.join(" "))
        .arguments(arguments)
        .tool_execution_notifications(notifications)
        .build()
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

/// The function that a finding is of.
struct Subject<'a> {
    file: &'a str,
    function: &'a str,
    line: Option<u32>,
}

impl<'a> Subject<'a> {
    /// A function of a library, or the report's target.
    fn of(report: &'a Report, unit: Option<&'a FunctionSummary>) -> Subject<'a> {
        let target = &report.target;
        match unit {
            Some(unit) => Subject {
                file: unit.file.as_deref().unwrap_or(&target.file),
                function: &unit.function,
                line: unit.line,
            },
            None => Subject { file: &target.file, function: &target.function, line: None },
        }
    }
}

/// The function under test as a whole.
fn target_location(subject: &Subject<'_>, text: Option<&str>) -> Location {
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

/// An event's place; one without debug information is placed in the function under test.
fn event_location(subject: &Subject<'_>, event: &TraceEvent, text: &str) -> Location {
    let Some(file) = &event.file else { return target_location(subject, Some(text)) };
    let place = physical(file, event.line, event.column);
    let mut location = Location::builder().physical_location(place).message(message(text)).build();
    location.logical_locations = event.function.as_deref().map(logical);
    location
}

/// The place of an exception.
fn site_location(subject: &Subject<'_>, details: &ExceptionDetails) -> Location {
    let site = &details.site;
    let text = format!("{} in {}", listed(details.exception), site.operator);
    let Some(file) = &site.file else { return target_location(subject, Some(&text)) };
    Location::builder()
        .physical_location(physical(file, site.line, site.column))
        .message(message(&text))
        .logical_locations(logical(&site.function))
        .build()
}

/// What an event says: `overflow in fmul (variant)`.
fn event_text(event: &TraceEvent, role: &str) -> String {
    let library = event.library.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    format!("{} in {}{library} ({role})", listed(event.exceptions), event.operator)
}

/// An exception's site; of a divergence the sites of the builds that differ, the variant's first, each once, or the
/// function itself where there are none.
fn locations(subject: &Subject<'_>, finding: &Finding) -> Vec<Location> {
    match &finding.details {
        Details::Exception(details) => vec![site_location(subject, details)],
        Details::Difference(_) => traced_locations(subject, finding),
        Details::Accuracy(details) => error_locations(subject, finding, details),
    }
}

/// The operations that made an error, the worst first.
fn error_locations(subject: &Subject<'_>, finding: &Finding, details: &AccuracyDetails) -> Vec<Location> {
    let of = |cause: &ErrorCause| {
        let text = cause.words();
        let Some(file) = &cause.file else { return target_location(subject, Some(&text)) };
        Location::builder()
            .physical_location(physical(file, cause.line, cause.column))
            .message(message(&text))
            .logical_locations(logical(subject.function))
            .build()
    };
    let locations: Vec<Location> = details.causes.iter().filter(|cause| cause.line.is_some()).map(of).collect();
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

fn inputs(finding: &Finding) -> String {
    let scalars = finding.inputs.iter().flat_map(Value::scalars);
    let shown = scalars.map(|value| {
        format!("{} = {}", value.name.as_deref().unwrap_or_default(), value.decimal.as_deref().unwrap_or_default())
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// How a call ended: `returns inf, raises overflow`.
fn ending(observation: &ObservationRecord) -> String {
    let outcome = match (observation.outcome_words(), &observation.result) {
        (Some(words), _) => format!("ends with {words}"),
        (None, Some(result)) => match &result.decimal {
            Some(decimal) => format!("returns {decimal}"),
            None => "returns".to_owned(),
        },
        (None, None) => "returns".to_owned(),
    };
    format!("{outcome}, raises {}", listed(observation.flags))
}

/// One build's trace between call and return.
fn thread_flow(subject: &Subject<'_>, finding: &Finding, observation: &ObservationRecord) -> ThreadFlow {
    let step = |location: Location| ThreadFlowLocation::builder().location(location).build();
    let called = format!("{}: {}({})", observation.role, subject.function, inputs(finding));
    let mut steps = vec![step(target_location(subject, Some(&called)))];
    steps.extend(
        observation
            .trace
            .iter()
            .map(|event| step(event_location(subject, event, &event_text(event, &observation.role)))),
    );
    steps.push(step(target_location(subject, Some(&format!("{}: {}", observation.role, ending(observation))))));
    ThreadFlow::builder().id(observation.role.clone()).locations(steps).build()
}

/// What an exception means, as properties.
fn meaning(details: &ExceptionDetails) -> Vec<(String, serde_json::Value)> {
    let mut properties = vec![
        ("operator".to_owned(), json!(details.site.operator)),
        ("reachable_from".to_owned(), json!(details.reachable_from)),
        ("not_seen_from".to_owned(), json!(details.not_seen_from)),
        ("only_direct".to_owned(), json!(details.only_direct)),
    ];
    properties.extend(details.avoidable.map(|avoidable| ("avoidable".to_owned(), json!(avoidable))));
    properties.extend(details.output.as_ref().map(|output| ("output".to_owned(), json!(output))));
    properties.extend(details.error_ulps.map(|ulps| ("error_ulps".to_owned(), json!(ulps))));
    properties.extend(details.true_result.as_ref().map(|result| ("true_result".to_owned(), json!(result))));
    properties
}

fn result(subject: &Subject<'_>, finding: &Finding) -> SarifResult {
    let (rule_id, rule_index) = rules::rule_of(finding);
    let flows: Vec<ThreadFlow> =
        finding.observations.iter().map(|observation| thread_flow(subject, finding, observation)).collect();
    let mut properties = BTreeMap::from([
        ("found_by".to_owned(), json!(finding.found_by.name())),
        ("inputs".to_owned(), json!(finding.inputs)),
    ]);
    match &finding.details {
        Details::Accuracy(details) => {
            properties.insert("accuracy".to_owned(), json!(details));
        }
        Details::Exception(details) => {
            properties.insert("effect".to_owned(), json!(finding.severity.name()));
            properties.insert("function".to_owned(), json!(subject.function));
            properties.extend(meaning(details));
        }
        Details::Difference(details) => {
            properties.insert("baseline_clean".to_owned(), json!(details.baseline_clean));
            properties.insert("in_control".to_owned(), json!(details.in_control));
            properties.insert("between".to_owned(), json!(details.between));
        }
    }
    if let Some(command) = &finding.command {
        properties.insert("replay".to_owned(), json!(command));
    }
    let text = format!("{}: {} on {}", finding.severity.name(), finding.summary, inputs(finding));
    let mut result = SarifResult::builder()
        .rule_id(rule_id)
        .kind(ResultKind::Fail)
        .level(rules::level(finding))
        .message(message(&text))
        .locations(locations(subject, finding))
        .fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), finding.id.clone())]))
        .occurrence_count(i64::try_from(finding.count.max(1)).unwrap_or(i64::MAX))
        .properties(PropertyBag::builder().additional_properties(properties).build())
        .build();
    result.rule_index = rule_index;
    result.code_flows = (!flows.is_empty()).then(|| vec![CodeFlow::builder().thread_flows(flows).build()]);
    result
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
