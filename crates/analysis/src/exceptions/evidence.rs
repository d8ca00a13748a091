//! What the solver and the intervals refuted, by pair: what a second opinion is asked about.
//!
//! Terms are kept and no text: a refutation costs some words, and its terms live in the exploration's store anyway.

use labrys_solver::FloatSolver;
use labrys_term::TermId;
use rustc_hash::FxHashMap;

use super::pairs::PairKey;
use crate::solving::second_opinion::{Claim, Means, Refutation, means_of};

/// Refutations kept for one pair. One with more executions is proved all the same, but not asked about.
const MOST: usize = 256;
/// Refutations kept in all.
const MOST_IN_ALL: usize = 1 << 16;

/// The refutations of a function's analysis.
#[derive(Debug, Default)]
pub struct Evidence {
    of: FxHashMap<PairKey, Claim>,
    kept: usize,
}

impl Evidence {
    /// Adds one that the solver found, by the `means` that its statistics tell.
    pub fn add_solved(&mut self, pair: &PairKey, query: Vec<TermId>, lemmas: Vec<TermId>, solver: &dyn FloatSolver) {
        let means = if lemmas.is_empty() { means_of(solver) } else { Means::Calls };
        self.add(pair, Refutation { terms: query, lemmas: Some(lemmas), means });
    }

    /// Adds one that intervals found: no input takes this path and raises the exception on it.
    pub fn add_ruled_out(&mut self, pair: &PairKey, terms: [TermId; 2]) {
        self.add(pair, Refutation { terms: terms.to_vec(), lemmas: None, means: Means::Propagation });
    }

    fn add(&mut self, pair: &PairKey, refutation: Refutation) {
        let claim = self.of.entry(pair.clone()).or_default();
        if claim.refutations.len() >= MOST || self.kept >= MOST_IN_ALL {
            claim.missing = Some("not asked: it rests on too many queries".to_owned());
            return;
        }
        self.kept += 1;
        claim.refutations.push(refutation);
    }

    /// What a pair's proof rests on; `constraints` describe the search domain, and are a part of every query.
    pub fn claim(&mut self, pair: &PairKey, constraints: &[TermId]) -> Claim {
        let mut claim = self.of.remove(pair).unwrap_or_default();
        for refutation in &mut claim.refutations {
            refutation.terms.extend_from_slice(constraints);
            refutation.terms.sort_unstable();
            refutation.terms.dedup();
        }
        claim
    }
}
