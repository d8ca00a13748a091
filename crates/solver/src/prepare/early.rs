//! Facts used before arrays are replaced by their elements.
//!
//! Which arrays are equal is often said in a roundabout way: by a word of one bit that other words fix. Arrays whose equality is a
//! conjunct are one array, and need no reasoning; arrays that may or may not be equal must be compared at every index. So
//! facts are used and terms rewritten first, as long as new facts come of it.
//!
//! **Claim.** As of these steps themselves ([`substitute`], `labrys_term::Simplifier`), which do not look into arrays. Only of
//! queries without operators whose value is open somewhere: rewriting may choose such a value, once for each term, which is
//! not what a function does.

use labrys_term::{Op, Simplifier, Sort, Store, TermId};

use super::config::MOST_VISITS;
use super::conjunction::conjunction;
use super::reconstruct::Step;
use super::substitute::{Scope, substitute};

/// How often facts are used at most.
const MOST_ROUNDS: usize = 64;

/// The conjunction with facts used; as it is where that is not allowed, or where there are no arrays.
pub(super) fn settled(store: &mut Store, conjuncts: Vec<TermId>, steps: &mut Vec<Step>) -> Vec<TermId> {
    let terms = store.reachable(&conjuncts);
    let has_arrays = terms.iter().any(|&term| matches!(store.sort(term), Sort::Array(_)));
    if !has_arrays || terms.iter().any(|&term| may_be_open(&store.node(term).op)) {
        return conjuncts;
    }
    let mut left = MOST_VISITS.0 * terms.len() + MOST_VISITS.1;
    let mut simplifier = Simplifier::new();
    let mut current = conjuncts;
    for _ in 0..MOST_ROUNDS {
        let substituted = substitute(store, &current, Scope::All, steps);
        let next = substituted.as_ref().unwrap_or(&current);
        let next: Vec<TermId> = next.iter().map(|&term| simplifier.term(store, term)).collect();
        let next = conjunction(store, &next);
        let size = store.reachable(&next).len();
        if next == current || size > left {
            return next;
        }
        left -= size;
        current = next;
    }
    current
}

/// Whether the operator's value is left open for some arguments.
fn may_be_open(op: &Op) -> bool {
    matches!(op, Op::FpMin | Op::FpMax | Op::FpToUnsigned(_) | Op::FpToSigned(_) | Op::FpToReal | Op::RealDiv)
}
