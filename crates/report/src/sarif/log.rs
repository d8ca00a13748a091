//! The log: a run of labrys, with what it told and its results.

use std::collections::HashSet;

use serde_json::json;
use serde_sarif::sarif::{Invocation, Notification, Result as SarifResult, Run, Sarif, Tool, ToolComponent};

use super::location::message;
use super::result::result;
use super::rules;
use super::shared::Shared;
use crate::identity::Fingerprints;
use crate::subject::Subjects;
use crate::{Report, ReportError};

/// Where the schema is published.
const SCHEMA_URL: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> Result<String, ReportError> {
    let driver = ToolComponent::builder()
        .name("labrys")
        .version(report.version.clone())
        .semantic_version(report.version.clone())
        .rules(rules::rules(report))
        .build();
    let subjects = Subjects::new(report);
    let fingerprints = Fingerprints::of(report);
    let known: Option<HashSet<&str>> = report.known.as_ref().map(|known| known.iter().map(String::as_str).collect());
    let mut shared = report.is_of_library().then(Shared::default);
    let mut results: Vec<SarifResult> = Vec::with_capacity(report.findings.len());
    for finding in &report.findings {
        let mut result = result(&subjects.of(finding), finding, fingerprints.get(finding));
        result.baseline_state = known.as_ref().map(|known| {
            let is_known = known.contains(finding.id.as_str());
            json!(if is_known { "unchanged" } else { "new" })
        });
        if let Some(shared) = &mut shared {
            shared.refer(&mut result)?;
        }
        results.push(result);
    }
    let mut run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation(report)])
        .column_kind(json!("unicodeCodePoints"))
        .results(results)
        .build();
    let write = if shared.is_none() { serde_json::to_string_pretty } else { serde_json::to_string };
    if let Some(shared) = shared {
        shared.enter(&mut run);
    }
    let log = Sarif::builder().schema(SCHEMA_URL).version(json!("2.1.0")).runs(vec![run]).build();
    let mut text = write(&log).map_err(ReportError::Serialise)?;
    text.push('\n');
    Ok(text)
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
