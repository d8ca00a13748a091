//! The JSON document, written and read. A library's has no line breaks: indented it is twice as long, and nobody reads a hundred megabytes.

use std::path::Path;

use crate::compression::read_compressed;
use crate::{Report, ReportError, SCHEMA};

/// The report as a JSON document that ends with a newline. Equal reports give equal bytes.
pub fn write_json(report: &Report) -> Result<String, ReportError> {
    let write = if report.functions.len() < 2 { serde_json::to_string_pretty } else { serde_json::to_string };
    let mut text = write(report).map_err(ReportError::Serialise)?;
    text.push('\n');
    Ok(text)
}

/// Reads a report or a finding's file. The schema is checked before anything else is looked at.
pub fn read_report(text: &str) -> Result<Report, ReportError> {
    let document: serde_json::Value = serde_json::from_str(text).map_err(ReportError::NotJson)?;
    match document.get("schema").and_then(serde_json::Value::as_str) {
        Some(SCHEMA) => {}
        Some(found) if found.starts_with("labrys-report/") => {
            return Err(ReportError::Version { found: found.to_owned(), expected: SCHEMA });
        }
        _ => return Err(ReportError::NotAReport),
    }
    // From the text and not from `document`, so that a message has line and column.
    serde_json::from_str(text).map_err(ReportError::Shape)
}

/// Reads a report's file, compressed or not.
pub fn read_report_file(path: &Path) -> Result<Report, ReportError> {
    let text = read_compressed(path)?;
    read_report(&String::from_utf8_lossy(&text))
}
