//! What a round checks or asks, as a condition on what the loop's variables are when the next one begins.
//!
//! What a program asserts of its variables, `assert(a + b == total)`, is what their author knows of every round. On a path through a round it is a conjunct
//! about the values that the round ends with, in which these stand for the variables themselves.

use std::sync::Arc;

use labrys_term::{Op, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::MOST_TERMS;

/// What goes wrong on a path through a round.
pub(super) struct Violated {
    pub(super) why: Arc<str>,
    /// What the path's condition says, the last first.
    pub(super) path: Vec<TermId>,
}

impl Violated {
    /// What must hold so that this is not what goes wrong, in which the variables with these terms stand for themselves; and the same where they stand in the place of what a
    /// comparison on the path has them reach: of `sum <= 6 * n` behind `i < n` what is known of all rounds may be `sum <= 6 * i`. After D. Gries,
    /// "The Science of Programming", 1981, section 16.3: a constant is replaced by a variable.
    pub(super) fn asked_for(&self, store: &mut Store, variables: &[TermId]) -> Vec<TermId> {
        let Some(&last) = self.path.first() else { return Vec::new() };
        let holds = store.not(last);
        let parts = store.reachable(&[holds]);
        let mut asked = vec![holds];
        for &compared in &self.path {
            let Some((low, high)) = operands(store, compared) else { continue };
            for (variable, reached) in [(low, high), (high, low)] {
                let is_end = variables.contains(&variable) && !variables.contains(&reached) && parts.contains(&reached);
                let meanings = Meanings::from_iter([(reached, variable)]);
                let new = if is_end { replaced(store, holds, &meanings, |_| true) } else { None };
                asked.extend(new.filter(|new| !asked.contains(new)));
            }
        }
        asked
    }
}

/// What a comparison, or one that is denied, compares.
fn operands(store: &Store, condition: TermId) -> Option<(TermId, TermId)> {
    let node = match store.node(condition) {
        node if node.op == Op::Not => store.node(node.args[0]),
        node => node,
    };
    let is_comparison =
        matches!(node.op, Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::Eq | Op::FpLt | Op::FpLe | Op::FpEq);
    is_comparison.then(|| (node.args[0], node.args[1]))
}

/// How a term is read: what stands for others in it.
pub(super) type Meanings = FxHashMap<TermId, TermId>;

/// The conjuncts of a path's condition that are conditions on variables, whose values in the round's end have these `meanings`, and on what was `known` when the loop
/// began; variables' own terms stand for themselves.
pub(super) fn conditions(
    store: &mut Store,
    conjuncts: &[TermId],
    meanings: &Meanings,
    known: &FxHashSet<TermId>,
) -> Vec<TermId> {
    let is_small = |store: &Store, term: TermId| store.reachable(&[term]).len() <= 4 * MOST_TERMS;
    let mut found = Vec::new();
    for &conjunct in conjuncts {
        if !store.has_variables(conjunct) || !is_small(store, conjunct) {
            continue;
        }
        let Some(condition) = replaced(store, conjunct, meanings, |other| known.contains(&other)) else { continue };
        let parts = store.reachable(&[condition]);
        let is_of_loop = parts.iter().any(|part| store.as_variable(*part).is_some() && !known.contains(part));
        if is_of_loop && parts.len() <= MOST_TERMS {
            found.push(condition);
        }
    }
    found
}

/// A term with what stands for others replaced, the outermost first. Other variables that may stay do; with one that may not there is no such term.
pub(super) fn replaced(
    store: &mut Store,
    root: TermId,
    meanings: &Meanings,
    may_stay: impl Fn(TermId) -> bool,
) -> Option<TermId> {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut pending = vec![root];
    while let Some(&term) = pending.last() {
        if done.contains_key(&term) {
            pending.pop();
            continue;
        }
        let known = meanings.get(&term).copied();
        if known.is_none() && store.as_variable(term).is_some() && !may_stay(term) {
            return None;
        }
        let args = store.node(term).args.clone();
        let open = args.iter().filter(|arg| known.is_none() && !done.contains_key(arg));
        let before = pending.len();
        pending.extend(open);
        if pending.len() > before {
            continue;
        }
        pending.pop();
        let new = known.unwrap_or_else(|| {
            let new: Vec<TermId> = args.iter().map(|arg| done[arg]).collect();
            if new[..] == args[..] { term } else { store.mk(store.node(term).op.clone(), &new) }
        });
        done.insert(term, new);
    }
    done.get(&root).copied()
}

/// Whether a condition says of one integer what bounds say, which are guessed anyway.
pub(super) fn is_bound_of_integer(store: &Store, condition: TermId) -> bool {
    let inner = match store.node(condition).op {
        Op::Not => store.node(condition).args[0],
        _ => condition,
    };
    let node = store.node(inner);
    let is_bound = matches!(node.op, Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::Eq);
    let is_scalar = |term: &TermId| !store.has_variables(*term) || store.as_variable(*term).is_some();
    is_bound && node.args.iter().all(is_scalar) && node.args.iter().any(|term| !store.has_variables(*term))
}

#[cfg(test)]
mod tests {
    use labrys_term::Sort;

    use super::*;

    #[test]
    fn what_is_asked_of_a_rounds_end_is_asked_of_its_variables() {
        let mut store = Store::new();
        let [a, b, k] = ["a", "b", "k"].map(|name| store.variable(name, Sort::BitVec(8)));
        let next = [store.mk(Op::BvAdd, &[a, k]), store.mk(Op::BvSub, &[b, k])];
        let ten = store.bv_const(8, 10u8);
        let sum = store.mk(Op::BvAdd, &next);
        let checked = store.mk(Op::Eq, &[sum, ten]);
        let asked = store.mk(Op::BvUlt, &[k, a]);
        let meanings = Meanings::from_iter([(next[0], a), (next[1], b)]);
        let plain = store.mk(Op::BvAdd, &[a, b]);
        let expected = store.mk(Op::Eq, &[plain, ten]);
        assert_eq!(conditions(&mut store, &[asked, checked], &meanings, &FxHashSet::default()), [expected]);
        // And back, for other values of the variables.
        let others = Meanings::from_iter([(a, b), (b, k)]);
        let other = store.mk(Op::BvAdd, &[b, k]);
        let expected_of_others = store.mk(Op::Eq, &[other, ten]);
        assert_eq!(replaced(&mut store, expected, &others, |_| true), Some(expected_of_others));
    }
}
