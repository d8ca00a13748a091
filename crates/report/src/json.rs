//! The JSON document, written and read. A library's has no line breaks, and what it says many times stands in tables: see `tables`.

use std::path::Path;

use crate::compression::read_compressed;
use crate::{Report, ReportError, SCHEMA, tables};

/// The report as a JSON document that ends with a newline. Equal reports give equal bytes.
pub fn write_json(report: &Report) -> Result<String, ReportError> {
    let mut text = match report.is_of_library() {
        true => tables::write(report)?,
        false => serde_json::to_string_pretty(report).map_err(ReportError::Serialise)?,
    };
    text.push('\n');
    Ok(text)
}

/// Reads a report or a finding's file. The schema is checked before anything else is looked at.
pub fn read_report(text: &str) -> Result<Report, ReportError> {
    let document: serde_json::Value = serde_json::from_str(text).map_err(ReportError::NotJson)?;
    match document.get("schema").and_then(serde_json::Value::as_str) {
        // The earlier one has no tables.
        Some(SCHEMA | "labrys-report/1") => {}
        Some(found) if found.starts_with("labrys-report/") => {
            return Err(ReportError::Version { found: found.to_owned(), expected: SCHEMA });
        }
        _ => return Err(ReportError::NotAReport),
    }
    let report = match document {
        serde_json::Value::Object(members) if members.contains_key("tables") => tables::read(members),
        // From the text and not from the document, so that a message has line and column.
        _ => serde_json::from_str(text).map_err(ReportError::Shape),
    };
    report.map(|report| Report { schema: SCHEMA.to_owned(), ..report })
}

/// Reads a report's file, compressed or not.
pub fn read_report_file(path: &Path) -> Result<Report, ReportError> {
    let text = read_compressed(path)?;
    read_report(&String::from_utf8_lossy(&text))
}
