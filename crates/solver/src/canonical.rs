//! Asks for a query as a set.
//!
//! Terms are hash-consed, so that the set of their ids is the query. A solver that sees them in the ids' order, each once,
//! answers the same however the query was put together.

use labrys_term::{Store, TermId};

use crate::{Core, FloatOutcome, FloatSolver, Limits, RealOutcome, RealSolver};

/// A decorator that asks `S` about a query's terms in the order of their ids and without repetitions.
#[derive(Debug)]
pub struct Canonical<S> {
    inner: S,
}

impl<S> Canonical<S> {
    /// Puts queries in order for `inner`.
    pub fn new(inner: S) -> Canonical<S> {
        Canonical { inner }
    }
}

/// The query as a set.
fn set(terms: &[TermId]) -> Vec<TermId> {
    let mut set = terms.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}

impl<S: RealSolver> RealSolver for Canonical<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        self.inner.check_once(store, &set(terms), limits)
    }
}

impl<S: FloatSolver> FloatSolver for Canonical<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let set = set(terms);
        match self.inner.check_once(store, &set, limits) {
            // The core's indices are into the set; here they become indices into the query as it was asked.
            FloatOutcome::Unsat(Core(core)) => {
                let in_core = |term: &TermId| core.iter().any(|index| set[*index] == *term);
                FloatOutcome::Unsat(Core((0..terms.len()).filter(|index| in_core(&terms[*index])).collect()))
            }
            other => other,
        }
    }
}
