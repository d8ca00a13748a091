//! Which waiting path is followed next: those that lead to code not yet entered, or to an outcome that a check has not had yet, first, the
//! youngest of them first; then depth first, and where many wait now and then the oldest; what was followed for long comes last, in turns.
//!
//! Without the outcomes a loop that never ends kept the way on which an access is wrong waiting behind all of its own; without the oldest its first round's
//! ways waited for ever behind those of all later rounds.

use std::collections::VecDeque;

use labrys_program::{BlockId, FunctionId};
use rustc_hash::FxHashSet;

/// What the next step of a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Goal {
    /// A block.
    Block(FunctionId, BlockId),
    /// An outcome of what an instruction of a block decides.
    Outcome(FunctionId, BlockId, usize, bool),
}

/// Where more paths than these wait, every so many-th that is taken out is the oldest; those that it parts into are the youngest then, and are followed.
const MANY: usize = 256;
const EVERY: u64 = 64;

/// Waiting paths.
#[derive(Debug)]
pub(crate) struct Schedule<T> {
    /// Those that led to something new when they began to wait.
    fresh: Vec<(T, Goal)>,
    /// All others.
    rest: VecDeque<T>,
    /// How many of these were taken out.
    taken: u64,
    /// Those in states like which there was one before.
    known: VecDeque<T>,
    /// Those that had their turn: the first of them goes on when no others wait.
    long: VecDeque<T>,
    reached: FxHashSet<Goal>,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Schedule {
            fresh: Vec::new(),
            rest: VecDeque::new(),
            taken: 0,
            known: VecDeque::new(),
            long: VecDeque::new(),
            reached: FxHashSet::default(),
        }
    }
}

impl<T> Schedule<T> {
    /// Notes that a block was entered.
    pub(crate) fn enter(&mut self, (function, block): (FunctionId, BlockId)) {
        self.reached.insert(Goal::Block(function, block));
    }

    /// Has a path wait, whose next step leads to `goal` where that is known.
    pub(crate) fn push(&mut self, path: T, goal: Option<Goal>) {
        match goal.filter(|goal| !self.reached.contains(goal)) {
            Some(goal) => self.fresh.push((path, goal)),
            None => self.rest.push_back(path),
        }
    }

    /// Has a path wait in a state that others have waited in.
    pub(crate) fn push_known(&mut self, path: T) {
        self.known.push_back(path);
    }

    /// Has a path wait that was followed for long.
    pub(crate) fn push_long(&mut self, path: T) {
        self.long.push_back(path);
    }

    /// Takes out the next.
    pub(crate) fn next(&mut self) -> Option<T> {
        while let Some((path, goal)) = self.fresh.pop() {
            if self.reached.insert(goal) {
                return Some(path);
            }
            // Somebody else was there first.
            self.rest.push_back(path);
        }
        self.taken += 1;
        if self.taken.is_multiple_of(EVERY)
            && let Some(path) = self.known.pop_front()
        {
            return Some(path);
        }
        let is_oldest_due = self.rest.len() > MANY && self.taken.is_multiple_of(EVERY);
        let next = if is_oldest_due { self.rest.pop_front() } else { self.rest.pop_back() };
        next.or_else(|| self.known.pop_front()).or_else(|| self.long.pop_front())
    }

    pub(crate) fn len(&self) -> usize {
        self.fresh.len() + self.rest.len() + self.known.len() + self.long.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_blocks_come_first_then_the_youngest_path() {
        let block = |n| Goal::Block(FunctionId(0), BlockId(n));
        let mut schedule = Schedule::default();
        schedule.enter((FunctionId(0), BlockId(1)));
        schedule.push("old", Some(block(1)));
        schedule.push("new", Some(block(2)));
        schedule.push("same", Some(block(2)));
        schedule.push("young", None);
        let order: Vec<_> = std::iter::from_fn(|| schedule.next()).collect();
        assert_eq!(order, ["same", "new", "young", "old"]);
        assert_eq!(schedule.len(), 0);
    }

    #[test]
    fn paths_that_had_their_turn_come_last_and_in_turns() {
        let mut schedule = Schedule::default();
        schedule.push_long("a");
        schedule.push_long("b");
        schedule.push("short", None);
        assert_eq!((schedule.len(), schedule.next(), schedule.next()), (3, Some("short"), Some("a")));
        schedule.push_long("a");
        assert_eq!([schedule.next(), schedule.next(), schedule.next()], [Some("b"), Some("a"), None]);
    }

    #[test]
    fn no_path_waits_for_ever() {
        let mut schedule = Schedule::default();
        for path in 0..2 * MANY {
            schedule.push(path, None);
        }
        // A loop that never ends: what is taken out parts into two.
        let mut last = 2 * MANY;
        for _ in 0..EVERY * 4 {
            let taken = schedule.next().expect("paths wait");
            if taken < 3 {
                assert_eq!(schedule.taken, EVERY * (taken as u64 + 1));
            }
            for _ in 0..2 {
                last += 1;
                schedule.push(last, None);
            }
        }
        assert!(!schedule.rest.contains(&0) && !schedule.rest.contains(&2) && schedule.rest.contains(&100));
    }

    #[test]
    fn paths_in_known_states_come_behind_others_and_now_and_then() {
        let mut schedule = Schedule::default();
        schedule.push_known(0);
        schedule.push_known(1);
        schedule.push(2, None);
        assert_eq!((schedule.len(), schedule.next(), schedule.next()), (3, Some(2), Some(0)));
        let mut taken = 0;
        while !schedule.known.is_empty() {
            schedule.push(3, None);
            schedule.next();
            taken += 1;
            assert!(taken < EVERY);
        }
    }

    #[test]
    fn an_outcome_that_a_check_has_not_had_comes_before_younger_paths() {
        let outcome = |value| Goal::Outcome(FunctionId(0), BlockId(1), 3, value);
        let mut schedule = Schedule::default();
        schedule.push("fails", Some(outcome(false)));
        schedule.push("holds", Some(outcome(true)));
        assert_eq!(schedule.next(), Some("holds"));
        for round in ["second", "third"] {
            schedule.push(round, Some(outcome(true)));
        }
        let order: Vec<_> = std::iter::from_fn(|| schedule.next()).collect();
        assert_eq!(order, ["fails", "third", "second"]);
    }
}
