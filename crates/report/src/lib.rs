//! The finding's data model and everything it is written as: JSON, SARIF, a terminal's text, reproducers in C.
//!
//! A [`Report`] is one run of one analysis. It serialises as the JSON document with schema `labrys-report/2`, and is
//! read back by `replay`. The other renderings are functions of the report alone, and of source texts where those exist.
//!
//! ```
//! use labrys_float::{Float, Flags};
//! use labrys_report::{Finding, Severity, Value};
//!
//! let witness = Value::float("v", &Float::from_f64(1.0));
//! assert_eq!(witness.hex.as_deref(), Some("0x1p+0"));
//! assert!(Severity::Introduced < Severity::Ulps, "worst first");
//! ```

mod analysis;
mod baseline;
mod compression;
mod control;
mod counts;
mod coverage;
mod error;
mod error_bound;
mod exceptions;
mod file;
mod finding;
mod html;
mod identity;
mod json;
mod licence;
mod observation;
mod operations;
mod opinion;
mod place;
mod record;
mod regression;
mod report;
mod reproducer;
mod safe_flags;
mod sarif;
mod services;
mod site;
mod status;
mod subject;
mod tables;
mod terminal;
mod value;
mod verification;
mod visible;

pub use analysis::Analysis;
pub use baseline::Baseline;
pub use compression::compressed;
pub use counts::Counts;
pub use coverage::{Coverage, CoverageGoal, Criterion, FileCounts, GoalCounts, GoalStatus, LineCount, TestRecord};
pub use error::ReportError;
pub use error_bound::ErrorBound;
pub use file::{probe_folder, write_whole};
pub use finding::{
    AccuracyDetails, Blame, Cause, CauseKind, Change, CurvePoint, Details, DifferenceDetails, ErrorCause, ErrorCurve,
    ErrorMeasures, ExceptionDetails, Finding, FoundBy, JointBackwardError, NotSeen, ObjectRecord, OutputTruth,
    PathStep, Reach, ReferenceDetails, Remedy, Route, Severity, StackEntry, ViolationClass, ViolationDetails,
    WorstDifference, WorstError,
};
pub use html::html;
pub use identity::{assign_ids, stable_id};
pub use json::{read_report, read_report_file, write_json};
pub use licence::{finite_math_word, has_finite_math};
pub use observation::{ObservationRecord, OutcomeKind, TraceEvent};
pub use operations::{ErrorOperations, OperationErrors};
pub use opinion::{Contradiction, Opinion};
pub use place::SourcePlace;
pub use record::{input_record, input_values, output_values, parameter_type, variable_value};
pub use regression::{
    CallSuite, CallTest, CodeUnderTest, Expectation, NoTest, Refused, TestKind, TestLanguage, expectations,
};
pub use report::{BuildInfo, ParameterInfo, Report, SCHEMA, Startup, Target, Timing};
pub use reproducer::{Claim, Library, Reproducer, ReproducerBuild, absolute_flags, shell_word};
pub use safe_flags::{SafeFlags, SafeSet, SetVerdict, SnippetCompiler, cargo_snippet, cmake_snippet};
pub use sarif::sarif;
pub use services::{code_quality, junit};
pub use site::{FunctionSummary, ProofCounts, SiteKey, SiteRecord, Verdict, VerdictCounts};
pub use status::Status;
pub use tables::{Grounds, Tables};
pub use terminal::{Sources, Style, because, grouped, terminal};
pub use value::Value;
pub use verification::{PathNumbers, ProgramVerdict, Verification};
pub use visible::{visible, visible_lines};
