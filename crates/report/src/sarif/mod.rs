//! The report as SARIF 2.1.0 (Static Analysis Results Interchange Format, OASIS), for editors and code-scanning services.
//!
//! Rules are the severities; each finding is a result with its sites as locations, a code flow with a thread flow for each
//! build's trace, and its id as fingerprint. Timing is left out, so that equal runs give equal bytes.

use std::collections::BTreeMap;

use serde_json::json;
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Invocation, Location, LogicalLocation, Message, MultiformatMessageString, Notification,
    PhysicalLocation, PropertyBag, Region, ReportingDescriptor, Result as SarifResult, ResultKind, ResultLevel, Run,
    Sarif, ThreadFlow, ThreadFlowLocation, Tool, ToolComponent,
};

use crate::exceptions::listed;
use crate::{Finding, ObservationRecord, Report, ReportError, Severity, TraceEvent, Value};

/// Where the schema is published.
const SCHEMA_URL: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name of the fingerprint that a finding's id is, with the version of the way ids are made.
const FINGERPRINT: &str = "labrys/v1";

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> Result<String, ReportError> {
    let rules: Vec<ReportingDescriptor> = Severity::DIVERGENCES.into_iter().map(rule).collect();
    let driver = ToolComponent::builder()
        .name("labrys")
        .version(report.version.clone())
        .semantic_version(report.version.clone())
        .rules(rules)
        .build();
    let results: Vec<SarifResult> = report.findings.iter().map(|finding| result(report, finding)).collect();
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

fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Introduced | Severity::Lost => ResultLevel::Error,
        Severity::Masked | Severity::Inaccurate => ResultLevel::Warning,
        _ => ResultLevel::Note,
    }
}

fn rule(severity: Severity) -> ReportingDescriptor {
    ReportingDescriptor::builder()
        .id(severity.name())
        .short_description(MultiformatMessageString::builder().text(severity.meaning()).build())
        .build()
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

/// The function under test as a whole.
fn target_location(report: &Report, text: Option<&str>) -> Location {
    let mut location = Location::builder()
        .physical_location(PhysicalLocation::builder().artifact_location(artifact(&report.target.file)).build())
        .logical_locations(logical(&report.target.function))
        .build();
    location.message = text.map(message);
    location
}

/// An event's place; one without debug information is placed in the function under test.
fn event_location(report: &Report, event: &TraceEvent, text: &str) -> Location {
    let Some(file) = &event.file else { return target_location(report, Some(text)) };
    let mut region = Region::builder().build();
    region.start_line = event.line.filter(|line| *line > 0).map(i64::from);
    region.start_column = region.start_line.and(event.column).filter(|column| *column > 0).map(i64::from);
    let mut physical = PhysicalLocation::builder().artifact_location(artifact(file)).build();
    physical.region = region.start_line.is_some().then_some(region);
    let mut location = Location::builder().physical_location(physical).message(message(text)).build();
    location.logical_locations = event.function.as_deref().map(logical);
    location
}

/// What an event says: `overflow in fmul (variant)`.
fn event_text(event: &TraceEvent, role: &str) -> String {
    let library = event.library.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    format!("{} in {}{library} ({role})", listed(event.exceptions), event.operator)
}

/// Sites of the builds that differ, the variant's first, each once; the function itself where there are none.
fn locations(report: &Report, finding: &Finding) -> Vec<Location> {
    let mut seen: Vec<&TraceEvent> = Vec::new();
    let mut locations = Vec::new();
    for observation in finding.between.iter().rev().filter_map(|role| finding.observation(role)) {
        for event in &observation.trace {
            if !seen.contains(&event) {
                seen.push(event);
                locations.push(event_location(report, event, &event_text(event, &observation.role)));
            }
        }
    }
    if locations.is_empty() {
        locations.push(target_location(report, None));
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
fn thread_flow(report: &Report, finding: &Finding, observation: &ObservationRecord) -> ThreadFlow {
    let step = |location: Location| ThreadFlowLocation::builder().location(location).build();
    let called = format!("{}: {}({})", observation.role, report.target.function, inputs(finding));
    let mut steps = vec![step(target_location(report, Some(&called)))];
    steps.extend(
        observation
            .trace
            .iter()
            .map(|event| step(event_location(report, event, &event_text(event, &observation.role)))),
    );
    steps.push(step(target_location(report, Some(&format!("{}: {}", observation.role, ending(observation))))));
    ThreadFlow::builder().id(observation.role.clone()).locations(steps).build()
}

fn result(report: &Report, finding: &Finding) -> SarifResult {
    let rule_index = Severity::DIVERGENCES.iter().position(|severity| *severity == finding.severity);
    let flows: Vec<ThreadFlow> =
        finding.observations.iter().map(|observation| thread_flow(report, finding, observation)).collect();
    let mut properties = BTreeMap::from([
        ("baseline_clean".to_owned(), json!(finding.baseline_clean)),
        ("in_control".to_owned(), json!(finding.in_control)),
        ("found_by".to_owned(), json!(finding.found_by.name())),
        ("between".to_owned(), json!(finding.between)),
        ("inputs".to_owned(), json!(finding.inputs)),
    ]);
    if let Some(command) = &finding.command {
        properties.insert("replay".to_owned(), json!(command));
    }
    // A difference outside fast-math's contract is worth knowing, not worth failing a check.
    let level = if finding.baseline_clean { level(finding.severity) } else { ResultLevel::Note };
    let text = format!("{}: {} on {}", finding.severity.name(), finding.summary, inputs(finding));
    let mut result = SarifResult::builder()
        .rule_id(finding.severity.name())
        .kind(ResultKind::Fail)
        .level(level)
        .message(message(&text))
        .locations(locations(report, finding))
        .fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), finding.id.clone())]))
        .occurrence_count(i64::try_from(finding.count.max(1)).unwrap_or(i64::MAX))
        .properties(PropertyBag::builder().additional_properties(properties).build())
        .build();
    result.rule_index = rule_index.and_then(|index| i64::try_from(index).ok());
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
