//! Remembers decided queries.
//!
//! Terms are hash-consed, so that the set of their ids is the query. Only decisions are kept: an unknown may become
//! known under other limits. The ids mean nothing outside their store: a cache serves one store.

use labrys_term::{Store, TermId};
use rustc_hash::FxHashMap;

use crate::{Core, FloatOutcome, FloatSolver, Limits, RealOutcome, RealSolver};

/// A decorator that answers repeated queries by itself. `A` is the outcome.
#[derive(Debug)]
pub struct Cache<S, A> {
    inner: S,
    known: FxHashMap<Box<[TermId]>, A>,
}

impl<S, A> Cache<S, A> {
    /// A cache before `inner`, for the terms of one store.
    pub fn new(inner: S) -> Cache<S, A> {
        Cache { inner, known: FxHashMap::default() }
    }
}

/// The query as a set.
fn key(terms: &[TermId]) -> Box<[TermId]> {
    let mut key = terms.to_vec();
    key.sort_unstable();
    key.dedup();
    key.into_boxed_slice()
}

impl<S: RealSolver> RealSolver for Cache<S, RealOutcome> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        let key = key(terms);
        if let Some(outcome) = self.known.get(&key) {
            return outcome.clone();
        }
        // The solver sees the set too, so that the answer does not depend on which order was asked for first.
        let outcome = self.inner.check_once(store, &key, limits);
        if !matches!(outcome, RealOutcome::Unknown(_)) {
            self.known.insert(key, outcome.clone());
        }
        outcome
    }
}

impl<S: FloatSolver> FloatSolver for Cache<S, FloatOutcome> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let key = key(terms);
        let outcome = match self.known.get(&key) {
            Some(outcome) => outcome.clone(),
            None => {
                let outcome = self.inner.check_once(store, &key, limits);
                if !matches!(outcome, FloatOutcome::Unknown(_)) {
                    self.known.insert(key.clone(), outcome.clone());
                }
                outcome
            }
        };
        match outcome {
            // Cores are kept as indices into the set; here they become indices into the query as it was asked.
            FloatOutcome::Unsat(Core(core)) => {
                let in_core = |term: &TermId| core.iter().any(|index| key[*index] == *term);
                FloatOutcome::Unsat(Core((0..terms.len()).filter(|index| in_core(&terms[*index])).collect()))
            }
            other => other,
        }
    }
}
