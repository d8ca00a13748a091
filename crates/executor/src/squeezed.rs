//! Integers each of which is at most the other: they are the same, which is said.
//!
//! Behind a loop `for (i = 0; i < n; i++)` of which i ≤ n is known, i is n. An engine that knows orders, or puts a term in the place of one that is equal to it, sees that
//! of two conjuncts only if they are one.
//!
//! **Claim.** What [`consequences`] adds holds in every model of the conjuncts. **Argument.** a ≤ b and b ≤ a, both with a sign or both without, and vectors of one width
//! that have the same value are the same.

use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashSet;

/// The equations.
pub(crate) fn consequences(store: &mut Store, conjuncts: &[TermId]) -> Vec<TermId> {
    let mut known: FxHashSet<(bool, TermId, TermId)> = FxHashSet::default();
    let mut found = Vec::new();
    for &conjunct in conjuncts {
        let Some((is_signed, low, high)) = at_most(store, conjunct) else { continue };
        if known.contains(&(is_signed, high, low)) {
            found.push(store.mk(Op::Eq, &[high, low]));
        }
        known.insert((is_signed, low, high));
    }
    found
}

/// That one integer is at most another one, neither being a literal.
fn at_most(store: &Store, conjunct: TermId) -> Option<(bool, TermId, TermId)> {
    let node = store.node(conjunct);
    let (comparison, holds) = match node.op {
        Op::Not => (store.node(node.args[0]), false),
        _ => (node, true),
    };
    let (is_signed, is_strict) = match comparison.op {
        Op::BvSle => (true, false),
        Op::BvSlt => (true, true),
        Op::BvUle => (false, false),
        Op::BvUlt => (false, true),
        _ => return None,
    };
    let (a, b) = (comparison.args[0], comparison.args[1]);
    let is_open = |term| matches!(store.sort(term), Sort::BitVec(_)) && store.has_variables(term);
    // a ≤ b, or not a < b, which is b ≤ a.
    let (low, high) = if holds { (a, b) } else { (b, a) };
    (holds != is_strict && is_open(a) && is_open(b)).then_some((is_signed, low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_most_each_other_is_the_same() {
        let mut store = Store::new();
        let [a, b] = ["a", "b"].map(|name| store.variable(name, Sort::BitVec(8)));
        let below = store.mk(Op::BvSlt, &[a, b]);
        let [at_least, not_more] = [store.not(below), store.mk(Op::BvSle, &[a, b])];
        let same = store.mk(Op::Eq, &[a, b]);
        assert_eq!(consequences(&mut store, &[not_more, at_least]), [same]);
        let not_more_without_sign = store.mk(Op::BvUle, &[a, b]);
        for others in [vec![below, not_more], vec![at_least, not_more_without_sign], vec![not_more, not_more]] {
            assert!(consequences(&mut store, &others).is_empty());
        }
    }
}
