//! What a finding says that only its analysis can say.

use std::cmp::Reverse;

use crate::{
    AccuracyDetails, DifferenceDetails, ExceptionDetails, Severity, SiteKey, SourcePlace, ViolationDetails, exceptions,
};

/// What a finding says beyond its witness and observations, by the analysis that found it. Whoever writes findings matches on it, so
/// that the compiler names each place at which a further analysis has to be told of.
#[derive(Clone, Debug, PartialEq)]
pub enum Details {
    /// Of `diff`: which builds differ, in what, and why.
    Difference(DifferenceDetails),
    /// Of `exceptions`: which exception, where, and what it means.
    Exception(ExceptionDetails),
    /// Of `accuracy`: how large an error is, whose fault, and what makes it.
    Accuracy(AccuracyDetails),
    /// Of `verify`: what goes wrong, where, and on which inputs.
    Violation(ViolationDetails),
}

/// What findings are ordered by, but for the id: whether it is outside fast-math's contract; its severity; whether the control shows it
/// too; of an exception whether no public function reaches it, its class and site; of a divergence its builds; of an error its excess.
pub(super) type Rank = (bool, Severity, bool, Option<(bool, usize, SiteKey)>, Vec<String>, Reverse<u64>);

impl Details {
    /// The key that findings of this severity are ordered by.
    pub(super) fn rank(&self, severity: Severity) -> Rank {
        match self {
            Details::Difference(of) => {
                (!of.baseline_clean, severity, of.in_control, None, of.between.clone(), Reverse(0))
            }
            Details::Exception(of) => {
                let place = (of.reachable_from.is_empty(), exceptions::class(of.exception), of.site.clone());
                (false, severity, false, Some(place), Vec::new(), Reverse(0))
            }
            // Positive numbers are in the order of their encodings.
            Details::Accuracy(of) => {
                let size = of.excess.or(of.error.bits).unwrap_or(f64::INFINITY);
                (false, severity, false, None, Vec::new(), Reverse(size.to_bits()))
            }
            Details::Violation(of) => {
                let line = of.place.line.map(|line| format!("{line:010}")).unwrap_or_default();
                let place = vec![of.place.file.clone().unwrap_or_default(), line, of.kind.name().to_owned()];
                (false, severity, false, None, place, Reverse(0))
            }
        }
    }

    /// The place that the finding is about.
    pub(crate) fn place(&self) -> Option<&SourcePlace> {
        match self {
            Details::Difference(difference) => difference.cause.as_ref().map(|cause| &cause.place),
            Details::Exception(exception) => Some(&exception.site.place),
            Details::Accuracy(error) => error.causes.first().map(|cause| &cause.place),
            Details::Violation(violation) => Some(&violation.place),
        }
    }
}
