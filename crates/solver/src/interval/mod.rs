//! Interval propagation and search over floats, bit vectors and truth values.
//!
//! A variable for each term holds the set of values it may have ([`domain`](crate::domain)); operators narrow the sets
//! of their result and arguments in every direction, to a fixed point ([`propagate()`]). The search cuts sets in two, and
//! each conflict is explained and learnt as a clause over memberships in intervals: lazy clause generation (Ohrimenko,
//! Stuckey, Codish, Constraints 2009) with the domains of Botella, Gotlieb, Michel (STVR 2006).
//!
//! Unsat is a proof: each narrowing removes only values that no solution has (see `contract`), each learnt clause
//! follows from what was there before it (see `analyze`), and the answer is given when level 0 has no values left.
//! Sat is a model that the exact evaluator has accepted.

mod affine;
mod analyze;
mod clauses;
mod config;
mod contract;
mod exact;
mod explain;
mod graph;
mod label;
mod literal;
mod places;
mod propagate;
mod range;
mod search;
#[cfg(test)]
mod tests;
mod trail;

pub use config::IntervalConfig;
pub use label::Order;
pub use search::IntervalEngine;

use graph::Graph;
use propagate::Propagation as Propagating;

use crate::domain::Facts;
use crate::{Budget, Query};

/// What propagation alone knows.
#[derive(Clone, Debug)]
pub enum Propagation {
    /// The assertions contradict each other.
    Contradiction,
    /// Domains of the query's terms, wherever they are smaller than the sort.
    Facts(Facts),
}

/// Propagates the assertions to a fixed point, or until the budget is used up; no search.
pub fn propagate(query: &Query<'_>, budget: &Budget, config: &IntervalConfig) -> Propagation {
    let graph = Graph::new(query);
    let (mut state, consistent) = Propagating::new(&graph, config.ulp_max);
    if !consistent || state.settle(search::stopper(budget, 0)).is_err() {
        return Propagation::Contradiction;
    }
    let mut facts = Facts::default();
    for (var, term) in graph.terms.iter().enumerate() {
        let domain = state.trail.domains[var];
        if graph::top(query.store.sort(*term)) != Some(domain) {
            facts.domains.insert(*term, domain);
        }
    }
    Propagation::Facts(facts)
}
