//! The report of a run.

use labrys_report::{
    AccuracyDetails, Counts, ErrorMeasures, Finding, Report, Severity, Status, Target, Timing, WorstError, input_values,
};

use super::causes::causes;
use super::confirmed::ConfirmedError;
use super::function::Accuracy;
use super::request::{Request, Subject};
use crate::run::clock::Clock;
use crate::run::recipe::Artifact;
use crate::run::repeat::processor;
use crate::target::unit::{Built, parameters};

/// A finished run.
pub struct Done {
    /// The report.
    pub report: Report,
    /// Reproducers and whatever they need, for the output folder.
    pub artifacts: Vec<Artifact>,
}

/// For now.
pub fn of_function(request: &Request, built: &Built, result: Accuracy, clock: &Clock) -> Done {
    let mut report = Report::default();
    report.timing = Timing { wall_s: clock.elapsed().as_secs_f64(), ..Timing::default() };
    for (group, errors) in &result.confirmed.by_group {
        for error in errors.iter() {
            report.notes.push(format!(
                "{group:?} {:?} {:?} {:?} {:?}",
                error.severity,
                error.error,
                error.fault,
                input_values(&built.unit.signature, &error.record)
                    .iter()
                    .map(|v| format!("{v:?}").chars().take(150).collect::<String>())
                    .collect::<Vec<_>>()
            ));
        }
    }
    report.notes.push(format!(
        "{} inputs {} unresolved {:?} {} uncertified {:?}",
        result.inputs, result.unresolved, result.why_unresolved, result.confirmed.unresolved, result.confirmed.why
    ));
    Done { report, artifacts: Vec::new() }
}
