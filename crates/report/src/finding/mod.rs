//! One distinct finding.

mod accuracy;
mod details;
mod difference;
mod exception;
mod found_by;
mod reach;
mod severity;
mod violation;
mod written;

pub use accuracy::{
    AccuracyDetails, CurvePoint, ErrorCause, ErrorCurve, ErrorMeasures, JointBackwardError, ReferenceDetails, Remedy,
    WorstError,
};
pub use details::Details;
pub use difference::{Blame, Cause, CauseKind, Change, DifferenceDetails, OutputTruth, WorstDifference};
pub use exception::ExceptionDetails;
pub use found_by::FoundBy;
pub use reach::{NotSeen, Reach, Route};
pub use severity::Severity;
pub use violation::{ObjectRecord, PathStep, StackEntry, ViolationClass, ViolationDetails};

use crate::{ObservationRecord, SourcePlace, Value};

/// What an analysis found, with a witness and what was observed on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Stable over runs of the same program and builds; see [`crate::stable_id`]. A file name.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// Who found the first input.
    pub found_by: FoundBy,
    /// How many inputs of the run show it.
    pub count: u64,
    /// One sentence.
    pub summary: String,
    /// The witness in call order.
    pub inputs: Vec<Value>,
    /// What each build did on the witness.
    pub observations: Vec<ObservationRecord>,
    /// The one command that replays it, for a shell.
    pub command: Option<String>,
    /// What only its analysis can say.
    pub details: Details,
    /// Where the place that it is about is in code of others (a language's own library, a dependency, the system's headers): the user's
    /// lines from which its witness comes there, in the order of the execution. Empty where that place is the user's own, or they are not known.
    pub called_at: Vec<StackEntry>,
    /// Remarks: rarely needed.
    pub notes: Vec<String>,
}

impl Finding {
    /// The observation of a role.
    pub fn observation(&self, role: &str) -> Option<&ObservationRecord> {
        self.observations.iter().find(|observation| observation.role == role)
    }

    /// The place that users look at first: where their code calls the code of others that it is about, otherwise the place that it is about.
    pub fn place(&self) -> Option<&SourcePlace> {
        self.called_at.first().map(|called| &called.place).or(self.details.place())
    }

    /// Both.
    pub(crate) fn places(&self) -> impl Iterator<Item = &SourcePlace> {
        self.called_at.iter().map(|called| &called.place).chain(self.details.place())
    }

    /// The observations that it is about, in their order: of a divergence those of the builds that differ, without the control's.
    pub fn compared(&self) -> Vec<&ObservationRecord> {
        match &self.details {
            Details::Difference(details) => details.between.iter().filter_map(|role| self.observation(role)).collect(),
            Details::Exception(_) | Details::Accuracy(_) | Details::Violation(_) => self.observations.iter().collect(),
        }
    }

    /// Its details, where `diff` found it.
    pub fn difference(&self) -> Option<&DifferenceDetails> {
        match &self.details {
            Details::Difference(details) => Some(details),
            Details::Exception(_) | Details::Accuracy(_) | Details::Violation(_) => None,
        }
    }

    /// As [`Finding::difference`], to be changed.
    pub fn difference_mut(&mut self) -> Option<&mut DifferenceDetails> {
        match &mut self.details {
            Details::Difference(details) => Some(details),
            Details::Exception(_) | Details::Accuracy(_) | Details::Violation(_) => None,
        }
    }

    /// Its details, where `exceptions` found it.
    pub fn exception(&self) -> Option<&ExceptionDetails> {
        match &self.details {
            Details::Exception(details) => Some(details),
            Details::Difference(_) | Details::Accuracy(_) | Details::Violation(_) => None,
        }
    }

    /// As [`Finding::exception`], to be changed.
    pub fn exception_mut(&mut self) -> Option<&mut ExceptionDetails> {
        match &mut self.details {
            Details::Exception(details) => Some(details),
            Details::Difference(_) | Details::Accuracy(_) | Details::Violation(_) => None,
        }
    }

    /// Its details, where `accuracy` found it.
    pub fn accuracy(&self) -> Option<&AccuracyDetails> {
        match &self.details {
            Details::Accuracy(details) => Some(details),
            Details::Difference(_) | Details::Exception(_) | Details::Violation(_) => None,
        }
    }

    /// Its details, where `verify` found it.
    pub fn violation(&self) -> Option<&ViolationDetails> {
        match &self.details {
            Details::Violation(details) => Some(details),
            Details::Difference(_) | Details::Exception(_) | Details::Accuracy(_) => None,
        }
    }

    /// The key that findings are ordered by. Divergences: those outside fast-math's contract last, then worst severity
    /// first, then those that the control shows too, then by variant and id. Exceptions: worst effect first, then those
    /// that public functions reach, then invalid, division by zero, overflow, underflow, inexact, then by site and id. Errors: by what they come from,
    /// the greatest excess first.
    pub fn rank(&self) -> impl Ord + use<> {
        (self.details.rank(self.severity), self.id.clone())
    }
}
