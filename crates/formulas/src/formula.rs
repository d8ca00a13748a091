//! What is made: terms, and conjunctions of constraints on them.

use labrys_term::{Model, Sort, Store, TermId};

/// A conjunction.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The terms' store.
    pub store: Store,
    /// The conjuncts.
    pub assertions: Vec<TermId>,
    /// All variables that the formula may contain.
    pub variables: Vec<TermId>,
    /// An assignment under which every conjunct is true, if one was planted.
    pub model: Option<Model>,
}

/// Terms without constraints.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Their store.
    pub store: Store,
    /// The terms, variables and literals first, each older than those that it is an argument of.
    pub terms: Vec<TermId>,
    /// An assignment of the variables.
    pub model: Model,
}

impl Terms {
    /// Those of a sort.
    pub fn of_sort(&self, sort: &Sort) -> Vec<TermId> {
        self.terms.iter().copied().filter(|&term| self.store.sort(term) == sort).collect()
    }
}
