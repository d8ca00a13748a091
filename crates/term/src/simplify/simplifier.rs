//! The rewriting: terms from the leaves up, by one rule after the other.

use std::collections::BTreeMap;
use std::time::Instant;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::rules::rules;
use crate::{Store, TermId};

/// How many rewrites a term of the input and all that comes of it may take before it is left as it is. Rules shrink
/// terms, turn operators into ones further on, or order arguments, so that the bound is a safeguard only.
const MOST_STEPS: u32 = 256;

/// Visits between two looks at the clock.
const VISITS: u32 = 1 << 10;

/// What is to be done next.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Simplify a term that so many rewrites have led to.
    Visit(TermId, u32),
    /// The first term is what became of the second.
    Alias(TermId, TermId),
}

/// A memo of simplified terms. Its terms belong to one store.
#[derive(Clone, Debug, Default)]
pub struct Simplifier {
    memo: FxHashMap<TermId, TermId>,
    /// How often each rule was applied.
    applied: BTreeMap<&'static str, usize>,
    /// From then on terms stay as they are.
    until: Option<Instant>,
    is_over: bool,
    visits: u32,
}

impl Simplifier {
    /// A simplifier that has seen nothing.
    pub fn new() -> Simplifier {
        Simplifier::default()
    }

    /// From `until` on, what has not been simplified stays as it is: chains of a thousand operations on vectors take seconds.
    pub fn stop_at(&mut self, until: Option<Instant>) {
        self.until = until;
        self.is_over = false;
    }

    /// Whether the time is over; the clock is read now and then.
    fn is_over(&mut self) -> bool {
        self.visits = self.visits.wrapping_add(1);
        if self.visits.is_multiple_of(VISITS) {
            self.is_over = self.until.is_some_and(|until| Instant::now() >= until);
        }
        self.is_over
    }

    /// An equal term, as simple as the rules make it.
    ///
    /// ```
    /// use labrys_term::{Simplifier, Sort, Store};
    ///
    /// let mut store = Store::new();
    /// let p = store.variable("p", Sort::Bool);
    /// let yes = store.bool_const(true);
    /// let both = store.and(&[p, yes, p]);
    /// assert_eq!(Simplifier::new().term(&mut store, both), p);
    /// ```
    pub fn term(&mut self, store: &mut Store, term: TermId) -> TermId {
        let mut pending = vec![Task::Visit(term, 0)];
        while let Some(task) = pending.pop() {
            if self.is_over() {
                break;
            }
            match task {
                Task::Alias(from, to) => {
                    let result = self.known(to);
                    self.memo.insert(from, result);
                }
                Task::Visit(term, _) if self.memo.contains_key(&term) => {}
                Task::Visit(term, steps) => {
                    let before = pending.len();
                    pending.push(task);
                    let args = store.node(term).args.iter();
                    pending.extend(args.filter(|arg| !self.memo.contains_key(arg)).map(|&arg| Task::Visit(arg, steps)));
                    if pending.len() == before + 1 {
                        pending.pop();
                        self.node(store, term, steps, &mut pending);
                    }
                }
            }
        }
        self.known(term)
    }

    /// How often each rule was applied, for those that were.
    pub fn applied(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.applied.iter().map(|(name, count)| (*name, *count))
    }

    fn known(&self, term: TermId) -> TermId {
        self.memo.get(&term).copied().unwrap_or(term)
    }

    /// Simplifies a node whose arguments have been simplified, by one rule at most; what it gives is visited in turn.
    fn node(&mut self, store: &mut Store, term: TermId, steps: u32, pending: &mut Vec<Task>) {
        let node = store.node(term);
        if node.args.is_empty() {
            self.memo.insert(term, term);
            return;
        }
        let args: SmallVec<[TermId; 4]> = node.args.iter().map(|&arg| self.known(arg)).collect();
        let op = node.op.clone();
        let current = if args[..] == node.args[..] { term } else { store.mk(op.clone(), &args) };
        if let Some(&result) = self.memo.get(&current) {
            self.memo.insert(term, result);
            return;
        }
        let candidates = rules(&op, store.sort(args[0]));
        let step = candidates.iter().find_map(|rule| Some((rule.name, rule.apply(store, current)?)));
        match step {
            Some((name, next)) if next != current && steps < MOST_STEPS => {
                *self.applied.entry(name).or_default() += 1;
                // Should a rule lead back here, the term is taken as it is.
                self.memo.insert(current, current);
                pending.push(Task::Alias(term, next));
                if current != term {
                    pending.push(Task::Alias(current, next));
                }
                pending.push(Task::Visit(next, steps + 1));
            }
            _ => {
                self.memo.insert(term, current);
                self.memo.insert(current, current);
            }
        }
    }
}
