//! Which waiting state is followed next.
//!
//! Without an [`Interest`](crate::Interest): states that lead to code not yet entered first, then depth first.
//!
//! With one: states nearest to an open site that was not executed yet, the youngest of equals. Where no state leads to
//! one, by turns the youngest (which keeps few states waiting) and the one with the fewest choices behind it (whose
//! conditions are the shortest). The latter also takes every fourth turn before that.

use labrys_program::{BlockId, FunctionId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::goals::Goals;

/// The blocks of a state's activations, outermost first; the last is where its next step leads.
pub(crate) type Stack = SmallVec<[(FunctionId, BlockId); 8]>;

/// A state that waits.
#[derive(Debug)]
pub(crate) struct Waiting<S> {
    /// The state.
    pub(crate) state: S,
    /// Where it stands.
    pub(crate) stack: Stack,
    /// The block that the state is about to enter, where that is known; then it is the last of `stack`.
    pub(crate) goal: Option<(FunctionId, BlockId)>,
    /// How many choices it has made.
    pub(crate) choices: u32,
}

/// Waiting states.
#[derive(Debug)]
pub(crate) struct Schedule<S> {
    /// The oldest first.
    waiting: Vec<Waiting<S>>,
    /// How many were taken out.
    taken: usize,
}

impl<S> Default for Schedule<S> {
    fn default() -> Self {
        Schedule { waiting: Vec::new(), taken: 0 }
    }
}

impl<S> Schedule<S> {
    pub(crate) fn push(&mut self, waiting: Waiting<S>) {
        self.waiting.push(waiting);
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes out the youngest state that leads to a block not yet entered, else the youngest.
    pub(crate) fn next(&mut self, entered: &FxHashSet<(FunctionId, BlockId)>) -> Option<Waiting<S>> {
        let is_new = |waiting: &Waiting<S>| waiting.goal.is_some_and(|block| !entered.contains(&block));
        let index = match self.waiting.iter().rposition(is_new) {
            Some(index) => index,
            None => self.waiting.len().checked_sub(1)?,
        };
        Some(self.waiting.remove(index))
    }

    /// Takes out the state nearest to an open site. Where more states wait than `most`, the youngest instead of the
    /// shortest.
    pub(crate) fn next_towards(&mut self, goals: &Goals, most: usize) -> Option<Waiting<S>> {
        self.taken += 1;
        let is_crowded = self.waiting.len() > most;
        let last = self.waiting.len().checked_sub(1)?;
        let nearest = self.waiting.iter().enumerate().rev().filter_map(|(index, waiting)| {
            let distance = goals.distance(&waiting.stack)?;
            Some((distance, index))
        });
        let nearest = nearest.min_by_key(|(distance, _)| *distance).map(|(_, index)| index);
        let index = match nearest {
            // Now and then the shortest, in case the way to the nearest is closed.
            Some(index) if !self.taken.is_multiple_of(4) || is_crowded => index,
            None if !self.taken.is_multiple_of(2) || is_crowded => last,
            _ => self.waiting.iter().enumerate().min_by_key(|(_, it)| it.choices).map_or(last, |(index, _)| index),
        };
        Some(self.waiting.remove(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_blocks_come_first_then_the_youngest_state() {
        let block = |n| (FunctionId(0), BlockId(n));
        let waiting = |state, goal: Option<_>| Waiting { state, stack: goal.into_iter().collect(), goal, choices: 0 };
        let mut schedule = Schedule::default();
        schedule.push(waiting("old", Some(block(1))));
        schedule.push(waiting("new", Some(block(2))));
        schedule.push(waiting("unknown", None));
        schedule.push(waiting("young", Some(block(1))));
        let entered = FxHashSet::from_iter([block(1)]);
        let order: Vec<_> = std::iter::from_fn(|| schedule.next(&entered)).map(|waiting| waiting.state).collect();
        assert_eq!(order, ["new", "young", "unknown", "old"]);
    }
}
