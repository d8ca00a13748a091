//! What an analysis may use up, and what it takes for granted.

use std::time::Instant;

use labrys_float::Flags;
use labrys_program::FunctionId;
use labrys_symex::Site;

/// What an analysis may use up, and what it takes for granted.
#[derive(Clone)]
pub struct RangeOptions<'a> {
    /// When to stop, whatever is left; `None` for never.
    pub deadline: Option<Instant>,
    /// Instructions of one run over the code.
    pub max_steps: u64,
    /// Boxes that the inputs are split into at most; 1 for no splitting.
    pub max_boxes: usize,
    /// Rounds of a loop that are followed one by one although its end is not decided.
    pub loop_unroll: u32,
    /// Different states of its callers in which one run analyses a function; after them it takes larger sets of states.
    pub call_states: usize,
    /// Depth of calls; deeper ones may do anything.
    pub call_depth: usize,
    /// libm's results lie at most so many floats from the correctly rounded ones; below each function's own bound
    /// (glibc's), that one holds.
    pub ulps: u32,
    /// A function that runs first, for its effects on memory.
    pub init: Option<FunctionId>,
    /// Exceptions of a site that nobody asks for any more, because they have been seen: boxes are not split for them.
    pub settled: Option<&'a (dyn Fn(&Site) -> Flags + Sync)>,
}

impl Default for RangeOptions<'_> {
    /// No deadline, two million instructions a run, 64 boxes, 24 rounds, 24 states for each callee, 48 calls deep, no init.
    fn default() -> Self {
        RangeOptions {
            deadline: None,
            max_steps: 2_000_000,
            max_boxes: 64,
            loop_unroll: 24,
            call_states: 24,
            call_depth: 48,
            ulps: 0,
            init: None,
            settled: None,
        }
    }
}
