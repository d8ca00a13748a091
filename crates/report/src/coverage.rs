//! What tests cover: members of the report.

use serde::{Deserialize, Serialize};

use crate::{PathNumbers, SourcePlace, Value};

/// What is to be covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// Every line.
    Lines,
    /// Every outcome of every condition.
    #[default]
    Branches,
    /// Every condition decides its decision alone (modified condition/decision coverage, DO-178C).
    Mcdc,
    /// Every path.
    Paths,
    /// Every comparison of floats with equal and with neighbouring operands.
    Boundaries,
}

impl Criterion {
    /// Its name in reports and options.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Lines => "lines",
            Criterion::Branches => "branches",
            Criterion::Mcdc => "mcdc",
            Criterion::Paths => "paths",
            Criterion::Boundaries => "boundaries",
        }
    }
}

/// What is known of something to be covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub enum GoalStatus {
    /// Native runs of the tests cover it, as llvm-cov counts.
    Covered,
    /// No input does: every way there was followed or refuted.
    Infeasible,
    /// Neither is known.
    Unknown {
        /// Why.
        why: String,
    },
}

/// Something to be covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageGoal {
    /// Which criterion asks for it.
    pub criterion: Criterion,
    /// The function.
    pub function: String,
    /// Where.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// What of it: `true` and `false` of a condition, `case` of a switch, `condition 2 of 3` of a decision; of a comparison's
    /// left operand `equal`, `just below`, `just above`; empty for lines.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// What is known of it.
    #[serde(flatten)]
    pub status: GoalStatus,
}

/// How many goals of a criterion came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalCounts {
    /// The criterion.
    pub criterion: Criterion,
    /// All of them.
    pub total: u64,
    /// Covered by native runs.
    pub covered: u64,
    /// Proved to be covered by no input.
    pub infeasible: u64,
}

impl GoalCounts {
    /// Those of which neither is known.
    pub fn unknown(&self) -> u64 {
        self.total.saturating_sub(self.covered + self.infeasible)
    }
}

/// A test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRecord {
    /// Its name, which its file has, too.
    pub name: String,
    /// Its inputs.
    pub inputs: Vec<Value>,
    /// How the native run ended, in words.
    pub ending: String,
    /// What it computed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Value>,
}

/// How often a line was executed by all tests together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCount {
    /// The line, from 1.
    pub line: u32,
    /// How often.
    pub count: u64,
}

/// A source file with the counts of its lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCounts {
    /// The file.
    pub file: String,
    /// Its lines that have code, in order.
    pub lines: Vec<LineCount>,
}

/// What the tests of a program cover.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// What was to be covered.
    pub criterion: Criterion,
    /// Lines and branches, and what else was asked for.
    pub totals: Vec<GoalCounts>,
    /// Of the criterion: everything that was to be covered, in the order of the source.
    pub goals: Vec<CoverageGoal>,
    /// The tests, those that cover most first.
    pub tests: Vec<TestRecord>,
    /// What `infeasible` takes for granted.
    pub assumptions: Vec<String>,
    /// Why something is unknown, each reason once.
    pub reasons: Vec<String>,
    /// Where a native run did what was proved to be impossible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicted: Vec<String>,
    /// How many paths ended how.
    pub paths: PathNumbers,
    /// Instructions executed symbolically.
    pub instructions: u64,
    /// How often lines were executed.
    pub files: Vec<FileCounts>,
}

impl Coverage {
    /// The exit code of a run with it: 4 where a proof was contradicted, 0 where everything is covered or infeasible, else 3. A run that ended before
    /// it knew what is to be covered has no totals.
    pub fn exit_code(&self) -> u8 {
        if !self.contradicted.is_empty() {
            return 4;
        }
        let is_open = |goal: &CoverageGoal| matches!(goal.status, GoalStatus::Unknown { .. });
        let is_complete = !self.totals.is_empty() && self.reasons.is_empty() && !self.goals.iter().any(is_open);
        if is_complete { 0 } else { 3 }
    }

    /// The counts of a criterion.
    pub fn total(&self, criterion: Criterion) -> Option<&GoalCounts> {
        self.totals.iter().find(|counts| counts.criterion == criterion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before the program is made nothing is known of what there is to cover.
    #[test]
    fn a_run_that_ended_before_it_began_covers_nothing() {
        let mut coverage = Coverage::default();
        assert_eq!(coverage.exit_code(), 3);
        coverage.totals.push(GoalCounts::default());
        assert_eq!(coverage.exit_code(), 0);
    }
}
