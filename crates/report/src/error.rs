//! What can go wrong with reports and their files.

use std::path::PathBuf;

/// An error of reading, writing or using a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file could not be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file or folder could not be written.
    #[error("cannot write {path}: {source}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A report that could not be written as XML.
    #[error("cannot write XML: {0}")]
    Xml(std::io::Error),
    /// Text that is no JSON.
    #[error("this is no JSON: {0}")]
    NotJson(serde_json::Error),
    /// JSON without a `schema` member that names a labrys report.
    #[error("this is no labrys report: it has no \"schema\":\"labrys-report/2\"")]
    NotAReport,
    /// JSON that is neither a baseline nor a report.
    #[error("this is no baseline of labrys: it has no \"schema\":\"labrys-baseline/1\"")]
    NotABaseline,
    /// A baseline that cannot be used.
    #[error("{path}: {source}", path = path.display())]
    Baseline {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<ReportError>,
    },
    /// A report of another version of the schema.
    #[error("this file has schema {found}; this version of labrys reads {expected}")]
    Version {
        /// The report's schema.
        found: String,
        /// What can be read.
        expected: &'static str,
    },
    /// A report of the right version with a missing or wrong member.
    #[error("this report is damaged: {0}")]
    Shape(serde_json::Error),
    /// A report whose tables do not have what it refers to.
    #[error("this report is damaged: {0}")]
    Table(String),
    /// A report that does not serialise; there is no such report (no maps with keys other than strings).
    #[error("the report does not serialise: {0}")]
    Serialise(serde_json::Error),
    /// A page's template that does not render; there is no report for which it does not.
    #[error("the page does not render: {0}")]
    Template(minijinja::Error),
    /// A report without the one finding that was asked for.
    #[error("the report has no finding {0}")]
    NoSuchFinding(String),
    /// A value that does not fit its parameter.
    #[error("input `{name}`: {why}")]
    Value {
        /// The input.
        name: String,
        /// What is wrong with it.
        why: String,
    },
}
