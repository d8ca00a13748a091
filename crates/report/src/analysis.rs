//! Which analysis a report is of.

use serde::{Deserialize, Serialize};

use crate::Severity;

/// The analysis that a report is of: its severities and its renderings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Analysis {
    /// Differences between builds.
    #[default]
    Diff,
    /// Exceptions that operations of one build can raise.
    Exceptions,
    /// Errors of results.
    Accuracy,
    /// What goes wrong in whole programs.
    Verify,
    /// What tests cover.
    Cover,
}

impl Analysis {
    /// Its name: the command's.
    pub fn name(self) -> &'static str {
        match self {
            Analysis::Diff => "diff",
            Analysis::Exceptions => "exceptions",
            Analysis::Accuracy => "accuracy",
            Analysis::Verify => "verify",
            Analysis::Cover => "cover",
        }
    }

    /// The severities of its findings, worst first.
    pub fn severities(self) -> &'static [Severity] {
        match self {
            Analysis::Diff => &Severity::DIVERGENCES,
            Analysis::Exceptions => &Severity::EFFECTS,
            Analysis::Accuracy => &Severity::ERRORS,
            Analysis::Verify => &Severity::VIOLATIONS,
            Analysis::Cover => &[],
        }
    }
}
