//! Which waiting path is followed next: those that lead to code not yet entered first, the youngest of them first; then depth
//! first.

use labrys_program::{BlockId, FunctionId};
use rustc_hash::FxHashSet;

/// Waiting paths.
#[derive(Debug)]
pub(crate) struct Schedule<T> {
    /// Those that led to new code when they began to wait.
    fresh: Vec<(T, (FunctionId, BlockId))>,
    /// All others.
    rest: Vec<T>,
    entered: FxHashSet<(FunctionId, BlockId)>,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Schedule { fresh: Vec::new(), rest: Vec::new(), entered: FxHashSet::default() }
    }
}

impl<T> Schedule<T> {
    /// Notes that a block was entered.
    pub(crate) fn enter(&mut self, block: (FunctionId, BlockId)) {
        self.entered.insert(block);
    }

    /// Has a path wait, whose next step leads to `goal` where that is known.
    pub(crate) fn push(&mut self, path: T, goal: Option<(FunctionId, BlockId)>) {
        match goal.filter(|goal| !self.entered.contains(goal)) {
            Some(goal) => self.fresh.push((path, goal)),
            None => self.rest.push(path),
        }
    }

    /// Takes out the next.
    pub(crate) fn next(&mut self) -> Option<T> {
        while let Some((path, goal)) = self.fresh.pop() {
            if self.entered.insert(goal) {
                return Some(path);
            }
            // Somebody else was there first.
            self.rest.push(path);
        }
        self.rest.pop()
    }

    pub(crate) fn len(&self) -> usize {
        self.fresh.len() + self.rest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_blocks_come_first_then_the_youngest_path() {
        let block = |n| (FunctionId(0), BlockId(n));
        let mut schedule = Schedule::default();
        schedule.enter(block(1));
        schedule.push("old", Some(block(1)));
        schedule.push("new", Some(block(2)));
        schedule.push("same", Some(block(2)));
        schedule.push("young", None);
        let order: Vec<_> = std::iter::from_fn(|| schedule.next()).collect();
        assert_eq!(order, ["same", "new", "young", "old"]);
        assert_eq!(schedule.len(), 0);
    }
}
