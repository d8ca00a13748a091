//! What a verification came to.

use serde::{Deserialize, Serialize};

use crate::SourcePlace;

/// What is known of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramVerdict {
    /// Something goes wrong, on an input on which it was observed natively.
    Violated,
    /// Nothing that was asked about goes wrong, on any input.
    Holds,
    /// The same on all paths within the bounds that the user set.
    HoldsWithinBounds,
    /// Neither is known.
    #[default]
    Unknown,
}

impl ProgramVerdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ProgramVerdict::Violated => "violated",
            ProgramVerdict::Holds => "holds",
            ProgramVerdict::HoldsWithinBounds => "holds-within-bounds",
            ProgramVerdict::Unknown => "unknown",
        }
    }

    /// The exit code of a run with it.
    pub fn exit_code(self) -> u8 {
        match self {
            ProgramVerdict::Violated => 1,
            ProgramVerdict::Holds => 0,
            ProgramVerdict::HoldsWithinBounds | ProgramVerdict::Unknown => 3,
        }
    }
}

/// How many paths of a program ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PathNumbers {
    /// Those that came to the program's end.
    pub completed: u64,
    /// Those that ended where something goes wrong.
    pub violated: u64,
    /// Those that were given up.
    pub given_up: u64,
    /// Those that were still waiting at the run's end.
    pub waiting: u64,
}

/// The result of a verification: members of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// What is known of the program.
    pub verdict: ProgramVerdict,
    /// What was asked about.
    pub properties: Vec<String>,
    /// What a proof takes for granted.
    pub assumptions: Vec<String>,
    /// Of `unknown` and of bounds: why, each reason once.
    pub reasons: Vec<String>,
    /// Where nothing was looked at because no input comes so far: what no input does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vacuous: Option<String>,
    /// Of a proof: whether value ranges are it, which need no paths.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_by_ranges: bool,
    /// Of a proof by induction: the loops over whose rounds it is. Paths are then those of one round, of any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_induction: Vec<SourcePlace>,
    /// How many paths ended how.
    pub paths: PathNumbers,
    /// Instructions executed symbolically.
    pub instructions: u64,
    /// Inputs of paths that came to their end.
    pub tests: u64,
}
