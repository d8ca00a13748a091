//! How bad a finding is.

use serde::{Deserialize, Serialize};

/// How bad a finding is; for each analysis the order is worst first. The first five are divergences; the others are what an
/// exception does to the result, or what an error comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The variant raises invalid, division by zero or overflow, or returns NaN or infinity, where the baseline is clean.
    Introduced,
    /// The baseline raises one, the variant does not, or the result's class differs.
    Masked,
    /// Of the exceptions, only underflow differs; results may be further apart than allowed, too.
    Underflow,
    /// Results of one class are further apart than allowed.
    Ulps,
    /// The same exceptions from other sites, or in another order.
    Trace,
    /// The result is NaN, infinity or zero where the true value is representable.
    Lost,
    /// The result is further than 4 ulps from a reference, and further than the problem itself brings about, most of it without any rounding.
    #[serde(rename = "wrong-algorithm")]
    WrongAlgorithm,
    /// The result is further than 4 ulps from the true value, and further than the problem itself brings about.
    Unstable,
    /// The program takes another branch than it would without rounding, and the result is off by more than the problem brings about.
    Branch,
    /// The result is further than 4 ulps from the true value.
    Inaccurate,
    /// The true value is not known.
    Unclassified,
    /// The result is further than 4 ulps from the true value, and so is that of inputs half an ulp away.
    #[serde(rename = "ill-conditioned")]
    IllConditioned,
    /// The true result does overflow or underflow, or is undefined.
    Honest,
    /// The result is within 4 ulps of the true value.
    Harmless,
    /// The error is that of a few roundings.
    Benign,
    /// Something goes wrong that a program must not let happen.
    Violated,
}

impl Severity {
    /// Those of divergences, worst first.
    pub const DIVERGENCES: [Severity; 5] =
        [Severity::Introduced, Severity::Masked, Severity::Underflow, Severity::Ulps, Severity::Trace];

    /// What exceptions do to results, worst first.
    pub const EFFECTS: [Severity; 5] =
        [Severity::Lost, Severity::Inaccurate, Severity::Unclassified, Severity::Honest, Severity::Harmless];

    /// What errors are, worst first.
    pub const ERRORS: [Severity; 7] = [
        Severity::Lost,
        Severity::WrongAlgorithm,
        Severity::Unstable,
        Severity::Branch,
        Severity::Unclassified,
        Severity::IllConditioned,
        Severity::Benign,
    ];

    /// Those of violations: there is one.
    pub const VIOLATIONS: [Severity; 1] = [Severity::Violated];

    /// Whether it is worth a look before all others of its analysis: not an exception that the true result explains, or
    /// that the result does not show.
    pub fn matters(self) -> bool {
        !matches!(self, Severity::Honest | Severity::Harmless | Severity::IllConditioned | Severity::Benign)
    }

    /// Whether such findings count for a run's exit code: errors of a few roundings don't.
    pub fn counts(self) -> bool {
        self != Severity::Benign
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Introduced => "introduced",
            Severity::Masked => "masked",
            Severity::Underflow => "underflow",
            Severity::Ulps => "ulps",
            Severity::Trace => "trace",
            Severity::Lost => "lost",
            Severity::Unstable => "unstable",
            Severity::WrongAlgorithm => "wrong-algorithm",
            Severity::Branch => "branch",
            Severity::Inaccurate => "inaccurate",
            Severity::Unclassified => "unclassified",
            Severity::Honest => "honest",
            Severity::IllConditioned => "ill-conditioned",
            Severity::Harmless => "harmless",
            Severity::Benign => "benign",
            Severity::Violated => "violated",
        }
    }

    /// What it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Severity::Introduced => {
                "The variant raises invalid, division by zero or overflow, or returns NaN or infinity, where the baseline is clean."
            }
            Severity::Masked => {
                "The baseline raises an exception that the variant does not, or the class of the result differs."
            }
            Severity::Underflow => {
                "Of the exceptions, only underflow differs; results of the same class may be apart, too."
            }
            Severity::Ulps => "Results of the same class are further apart than the allowed number of ulps.",
            Severity::Trace => "The builds raise the same exceptions at other places or in another order.",
            Severity::Lost => "The result is NaN, infinity or zero where the true value is representable.",
            Severity::Unstable => {
                "The result is further from the true value than the problem itself brings about: another algorithm does better."
            }
            Severity::WrongAlgorithm => {
                "The program's own formulas are off without any rounding: more careful arithmetic does not mend it."
            }
            Severity::Branch => "The program takes another branch than it would without rounding.",
            Severity::IllConditioned => {
                "The result is far from the true value, and so are results of inputs half an ulp away: no algorithm does much better."
            }
            Severity::Benign => "The error is that of a few roundings.",
            Severity::Violated => "Something goes wrong that a program must not let happen.",
            Severity::Inaccurate => "The result is further than 4 ulps from the true value.",
            Severity::Unclassified => "Either the true value of the result is not known, or whose fault the error is.",
            Severity::Honest => "The true result does overflow or underflow, or is undefined.",
            Severity::Harmless => {
                "The result is within 4 ulps of the true value, or rounding alone makes it what it is."
            }
        }
    }
}
