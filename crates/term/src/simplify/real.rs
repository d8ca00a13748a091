//! Rules of the Reals theory.

use num_traits::{One, Zero};

use super::rule::Rule;
use super::shape::{constant_fold, operand, pair};
use crate::{Op, Store, TermId};

pub(super) const RULES: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("real-negation-twice", real_negation_twice),
    Rule::new("real-units", real_units),
    Rule::new("real-compare-with-itself", real_compare_with_itself),
];

/// −−a is a, |−a| and ||a|| are |a|.
fn real_negation_twice(store: &mut Store, term: TermId) -> Option<TermId> {
    if let Some(inner) = operand(store, term, &Op::RealNeg) {
        return operand(store, inner, &Op::RealNeg);
    }
    let inner = operand(store, term, &Op::RealAbs)?;
    let argument = operand(store, inner, &Op::RealNeg).or(operand(store, inner, &Op::RealAbs))?;
    Some(store.mk(Op::RealAbs, &[argument]))
}

/// a + 0 and a·1 are a; a·0 is 0, also where a is open.
fn real_units(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let is_sum = match node.op {
        Op::RealAdd => true,
        Op::RealMul => false,
        _ => return None,
    };
    let args = node.args.clone();
    let op = node.op.clone();
    let constant = |arg: TermId| match &store.node(arg).op {
        Op::RealConst(value) => Some(value.clone()),
        _ => None,
    };
    if !is_sum && let Some(&zero) = args.iter().find(|&&arg| constant(arg).is_some_and(|value| value.is_zero())) {
        return Some(zero);
    }
    let is_unit =
        |arg: TermId| constant(arg).is_some_and(|value| if is_sum { value.is_zero() } else { value.is_one() });
    let kept: Vec<TermId> = args.iter().copied().filter(|&arg| !is_unit(arg)).collect();
    match kept[..] {
        _ if kept.len() == args.len() && args.len() > 1 => None,
        [] => args.first().copied(),
        [one] => Some(one),
        _ => Some(store.mk(op, &kept)),
    }
}

/// a < a is false, a ≤ a true.
fn real_compare_with_itself(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    match store.node(term).op {
        Op::RealLt if a == b => Some(store.bool_const(false)),
        Op::RealLe if a == b => Some(store.bool_const(true)),
        _ => None,
    }
}
