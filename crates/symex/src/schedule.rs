//! Which waiting state is followed next.

use labrys_program::{BlockId, FunctionId};
use rustc_hash::FxHashSet;

/// Waiting states: those that lead to code not yet entered first, then depth first.
#[derive(Debug)]
pub(crate) struct Schedule<S> {
    /// States with the block they lead to, where it is known. Last in, first out.
    waiting: Vec<(S, Option<(FunctionId, BlockId)>)>,
}

impl<S> Default for Schedule<S> {
    fn default() -> Self {
        Schedule { waiting: Vec::new() }
    }
}

impl<S> Schedule<S> {
    pub(crate) fn push(&mut self, state: S, goal: Option<(FunctionId, BlockId)>) {
        self.waiting.push((state, goal));
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the next state out.
    pub(crate) fn next(&mut self, entered: &FxHashSet<(FunctionId, BlockId)>) -> Option<S> {
        let is_new = |goal: &Option<(FunctionId, BlockId)>| goal.is_some_and(|goal| !entered.contains(&goal));
        let index = match self.waiting.iter().rposition(|(_, goal)| is_new(goal)) {
            Some(index) => index,
            None => self.waiting.len().checked_sub(1)?,
        };
        Some(self.waiting.remove(index).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_blocks_come_first_then_the_youngest_state() {
        let block = |n| (FunctionId(0), BlockId(n));
        let mut schedule = Schedule::default();
        schedule.push("old", Some(block(1)));
        schedule.push("new", Some(block(2)));
        schedule.push("unknown", None);
        schedule.push("young", Some(block(1)));
        let entered = FxHashSet::from_iter([block(1)]);
        let order: Vec<_> = std::iter::from_fn(|| schedule.next(&entered)).collect();
        assert_eq!(order, ["new", "young", "unknown", "old"]);
    }
}
