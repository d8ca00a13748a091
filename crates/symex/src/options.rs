//! What an exploration may use up, and whom it asks about paths.

use std::sync::Arc;
use std::time::Instant;

use labrys_program::FunctionId;
use labrys_term::{Store, TermId};

use crate::{Interest, LibraryCall};

/// Bounds of an exploration. Those in counts make it deterministic; the deadline is a backstop.
#[derive(Clone, Debug)]
pub struct Options {
    /// How often a loop's back edge is taken under symbolic control, per activation. Loops whose conditions are all
    /// known run to their end.
    pub loop_bound: u32,
    /// Paths that end, by returning or otherwise.
    pub max_paths: usize,
    /// Instructions of one path.
    pub max_instructions: u64,
    /// Instructions of all paths together.
    pub max_total_instructions: u64,
    /// States waiting at one time.
    pub max_states: usize,
    /// Depth of calls.
    pub max_depth: usize,
    /// Values that one symbolic integer is split over.
    pub max_values: usize,
    /// When to stop, whatever is left.
    pub deadline: Option<Instant>,
    /// Input leaves, by path, that are not variables but have these bits.
    pub fixed: Vec<(String, u128)>,
    /// A function that runs before the entry ([`labrys_interp::Machine::prepare`]): its effects on memory stay, its float
    /// operations are no executions.
    pub init: Option<FunctionId>,
    /// The sites that the exploration is for. States that lead to one not executed yet are followed first, and paths
    /// that lead to none end as [`StopReason::NothingOpen`](crate::StopReason::NothingOpen). `None` follows every path to its end.
    pub wanted: Option<Arc<dyn Interest>>,
    /// Whether operations on literals whose results are rounded stay terms. Otherwise they are computed, and nothing tells that they were.
    pub keeps_roundings: bool,
    /// Functions whose calls are looked for: a path ends where it calls one, as [`crate::Exploration::arrivals`] says.
    pub until: Vec<FunctionId>,
}

impl Default for Options {
    /// Loop bound 128, 256 paths, a million instructions a path and ten million in all, 1024 states, 64 calls deep, 64
    /// values, no deadline, no fixed inputs, nothing run before, every path followed to its end, literals' operations computed.
    fn default() -> Self {
        Options {
            loop_bound: 128,
            max_paths: 256,
            max_instructions: 1_000_000,
            max_total_instructions: 10_000_000,
            max_states: 1024,
            max_depth: 64,
            max_values: 64,
            deadline: None,
            fixed: Vec::new(),
            init: None,
            wanted: None,
            keeps_roundings: false,
            until: Vec::new(),
        }
    }
}

/// Answers whether a path can be taken. Symbolic execution only ever uses "no".
pub trait Feasibility {
    /// Whether no input satisfies `path ∧ condition`. `false` where that is not known.
    fn rules_out(&mut self, store: &mut Store, path: TermId, condition: TermId) -> bool;

    /// Hears of a library call whose result variable can occur in conditions from now on.
    fn learn(&mut self, _call: &LibraryCall) {}
}

/// The answer "maybe" to every question.
#[derive(Clone, Copy, Debug, Default)]
pub struct EveryPath;

impl Feasibility for EveryPath {
    fn rules_out(&mut self, _: &mut Store, _: TermId, _: TermId) -> bool {
        false
    }
}
