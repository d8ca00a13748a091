//! What every engine over the floats is given and answers.
//!
//! Engines read *prepared* queries (see `prepare`): every operator has one value for each value of its arguments, there
//! are no arrays and no reals. They may be asked from any thread and stop soon after their [`Budget`] is used up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use labrys_term::{Model, Store, TermId};

use crate::Why;
use crate::bitblast::recent_mib;
use crate::domain::Facts;

/// A conjunction of Bool terms, with what is known of its subterms.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The terms' store.
    pub store: &'a Store,
    /// The conjuncts.
    pub assertions: &'a [TermId],
    /// Domains that the conjunction implies: every model's values lie in them. Engines may use them and need not.
    pub facts: &'a Facts,
}

/// What an engine may spend on one query.
#[derive(Clone, Debug)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Set when another engine has answered, or the user has had enough.
    pub cancelled: Arc<AtomicBool>,
    /// Memory of the whole process in mebibytes; 0 is no limit.
    pub memory_mib: u64,
    /// Work in the engine's own unit, deterministic; 0 is no limit.
    pub work: u64,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Budget {
    /// No limit at all, seed 0.
    pub fn unlimited() -> Budget {
        Budget { deadline: None, cancelled: Arc::new(AtomicBool::new(false)), memory_mib: 0, work: 0, seed: 0 }
    }

    /// Why to stop now, if at all. Reads a clock: ask every few thousand steps, not at each.
    pub fn exhausted(&self) -> Option<Why> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Why::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Why::Wall);
        }
        None
    }

    /// The same, or that the process has no memory left: for what may take much.
    pub fn exhausted_or_full(&self) -> Option<Why> {
        let is_full = self.memory_mib > 0 && recent_mib() > self.memory_mib;
        self.exhausted().or(is_full.then_some(Why::Memory))
    }
}

/// An engine's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Values of the query's variables that satisfy it; variables without a value may have any.
    Sat(Model),
    /// A proof that there are none.
    Unsat,
    /// Not decided.
    Unknown(Why),
}

/// Decides prepared queries.
pub trait Engine: Send {
    /// The engine's name in statistics and reports.
    fn name(&self) -> &'static str;

    /// Decides one query by itself.
    fn check(&mut self, query: &Query<'_>, budget: &Budget) -> Verdict;

    /// What the last check did: names and counts, in a fixed order.
    fn statistics(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
