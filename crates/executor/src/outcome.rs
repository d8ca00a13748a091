//! What a run found.

use std::sync::Arc;

use crate::{CallSite, Tests, Violation};

/// How many paths ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// Those that came to the end of the program.
    pub completed: u64,
    /// Those that ended with a violation.
    pub violated: u64,
    /// Those that were given up, for a reason among [`Outcome::unexplored`].
    pub given_up: u64,
    /// Those that still waited when the run ended.
    pub waiting: u64,
    /// Those that ended at an assumption which no input of theirs satisfies.
    pub excluded: u64,
}

impl PathCounts {
    /// Whether every path ended at an assumption or a bound, if any: nothing was looked at that lies behind.
    pub fn are_all_excluded(&self) -> bool {
        self.completed + self.violated + self.waiting == 0
    }
}

/// Something that was not followed to its end, or not decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unexplored {
    /// Why, in words: `time`, `call of fopen, which is neither defined nor modelled`, …
    pub why: Arc<str>,
    /// Where, the innermost activation first.
    pub stack: Vec<CallSite>,
    /// Whether a bound that the user asked for is the reason.
    pub is_bound: bool,
    /// Whether it is a check that was not decided, beyond which the path was followed as if it held.
    pub is_question: bool,
}

/// What a run found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Violations, one for each kind and place, in the order in which they were found.
    pub violations: Vec<Violation>,
    /// What was not followed or decided, each reason and place once. If empty, and `violations` too, the program is correct under
    /// `assumptions`.
    pub unexplored: Vec<Unexplored>,
    /// Where assumptions ended paths: some of the places.
    pub exclusions: Vec<CallSite>,
    /// What a proof takes for granted, in words.
    pub assumptions: Vec<String>,
    /// One input for each path that came to its end, in the order in which paths ended.
    pub tests: Tests,
    /// How many paths ended how.
    pub paths: PathCounts,
    /// Instructions executed.
    pub instructions: u64,
}
