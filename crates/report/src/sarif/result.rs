//! A finding as a result: its rule, its locations, the builds' traces, what is known of it.

use std::collections::BTreeMap;

use serde_json::json;
use serde_sarif::sarif::{
    CodeFlow, Location, PropertyBag, Result as SarifResult, ResultKind, ThreadFlow, ThreadFlowLocation,
};

use super::location::{event_location, event_text, locations, message, target_location};
use super::rules;
use crate::subject::Subject;
use crate::{Details, ExceptionDetails, Finding, ObservationRecord, Value};

/// The name of the fingerprint, with the version of the way it is made.
const FINGERPRINT: &str = "labrys/v2";
/// The one that GitHub's code scanning reads, of all partial ones.
const PARTIAL_FINGERPRINT: &str = "primaryLocationLineHash";

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
    format!("{outcome}, raises {}", observation.exceptions_words())
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
    ];
    if !details.not_seen_from.is_empty() {
        properties.push(("not_seen_from".to_owned(), json!(details.not_seen_from)));
    }
    properties.extend(details.only_direct.as_ref().map(|proof| ("only_direct".to_owned(), json!(proof))));
    properties.extend(details.avoidable.map(|avoidable| ("avoidable".to_owned(), json!(avoidable))));
    properties.extend(details.output.as_ref().map(|output| ("output".to_owned(), json!(output))));
    properties.extend(details.error_ulps.map(|ulps| ("error_ulps".to_owned(), json!(ulps))));
    properties.extend(details.true_result.as_ref().map(|result| ("true_result".to_owned(), json!(result))));
    properties
}

/// The result of a finding.
pub(super) fn result(subject: &Subject<'_>, finding: &Finding, fingerprint: &str) -> SarifResult {
    let (rule_id, rule_index) = rules::rule_of(finding);
    let flows: Vec<ThreadFlow> =
        finding.observations.iter().map(|observation| thread_flow(subject, finding, observation)).collect();
    let mut properties = BTreeMap::from([
        // What people are shown; fingerprints are for services.
        ("finding".to_owned(), json!(finding.id)),
        ("found_by".to_owned(), json!(finding.found_by.name())),
        ("inputs".to_owned(), json!(finding.inputs)),
    ]);
    match &finding.details {
        Details::Accuracy(details) => {
            properties.insert("accuracy".to_owned(), json!(details));
        }
        Details::Violation(details) => {
            properties.insert("violation".to_owned(), json!(details));
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
            properties.extend(details.callers.as_ref().map(|callers| ("callers".to_owned(), json!(callers))));
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
        .fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), fingerprint.to_owned())]))
        // By this one GitHub matches results over commits, whatever lines they have moved to.
        .partial_fingerprints(BTreeMap::from([(PARTIAL_FINGERPRINT.to_owned(), fingerprint.to_owned())]))
        .occurrence_count(i64::try_from(finding.count.max(1)).unwrap_or(i64::MAX))
        .properties(PropertyBag::builder().additional_properties(properties).build())
        .build();
    result.rule_index = rule_index;
    result.code_flows = (!flows.is_empty()).then(|| vec![CodeFlow::builder().thread_flows(flows).build()]);
    result
}
