//! Rules of floats' classes.

use super::choice::predicate_of_choice;
use super::float::{greatest_is_integral, widened};
use super::rule::Rule;
use super::shape::{constant_fold, literal_first, operand};
use crate::{Op, Store, TermId};

pub(super) const RULES: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("classify-negation", classify_negation),
    Rule::new("classify-widened", classify_widened),
    Rule::new("classify-integer", classify_integer),
    Rule::new("classify-rounded", classify_rounded),
    Rule::new("nan-of-sum", nan_of_sum),
    Rule::new("nan-of-product", nan_of_product),
    Rule::new("nan-of-remainder", nan_of_remainder),
    Rule::new("nan-of-root", nan_of_root),
    Rule::new("nan-of-minimum", nan_of_minimum),
    Rule::new("nan-of-conversion", nan_of_conversion),
    Rule::new("predicate-of-choice", predicate_of_choice),
];

/// Classes but those of the sign do not depend on it; the sign's are exchanged by −a and known of |a|.
fn classify_negation(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let (op, argument) = (node.op.clone(), node.args[0]);
    if let Some(inner) = operand(store, argument, &Op::FpNeg) {
        let op = match op {
            Op::FpIsNegative => Op::FpIsPositive,
            Op::FpIsPositive => Op::FpIsNegative,
            op => op,
        };
        return Some(store.mk(op, &[inner]));
    }
    let inner = operand(store, argument, &Op::FpAbs)?;
    Some(match op {
        Op::FpIsNegative => store.bool_const(false),
        Op::FpIsPositive => {
            let is_nan = store.mk(Op::FpIsNan, &[inner]);
            store.not(is_nan)
        }
        op => store.mk(op, &[inner]),
    })
}

/// Widening changes neither sign, nor being zero, infinite or NaN.
fn classify_widened(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if matches!(node.op, Op::FpIsNormal | Op::FpIsSubnormal) {
        return None;
    }
    let (below, _) = widened(store, node.args[0])?;
    let op = node.op.clone();
    Some(store.mk(op, &[below]))
}

/// A converted integer is never NaN or negative zero, and never negative if it is unsigned.
fn classify_integer(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let inner = store.node(node.args[0]);
    let signed = match inner.op {
        Op::FpFromSigned(_) => true,
        Op::FpFromUnsigned(_) => false,
        _ => return None,
    };
    match node.op {
        Op::FpIsNan => Some(store.bool_const(false)),
        Op::FpIsNegative if !signed => Some(store.bool_const(false)),
        Op::FpIsPositive if !signed => Some(store.bool_const(true)),
        Op::FpIsZero => {
            let integer = inner.args[1];
            let crate::Sort::BitVec(width) = *store.sort(integer) else { return None };
            let zero = store.bv_const(width, 0u8);
            Some(store.mk(Op::Eq, &[integer, zero]))
        }
        _ => None,
    }
}

/// Rounding to an integer keeps the sign, infinities and NaN. It makes new infinities only where the largest float is no
/// integer, which has no room for the integer above it.
fn classify_rounded(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let inner = store.node(node.args[0]);
    if inner.op != Op::FpRoundToIntegral
        || !matches!(node.op, Op::FpIsNan | Op::FpIsInfinite | Op::FpIsNegative | Op::FpIsPositive)
    {
        return None;
    }
    let (op, argument) = (node.op.clone(), inner.args[1]);
    let format = store.float_format(argument)?;
    if op == Op::FpIsInfinite && !greatest_is_integral(format) {
        return None;
    }
    Some(store.mk(op, &[argument]))
}

/// The operator and operands below `isNaN`.
fn nan_of(store: &Store, term: TermId) -> Option<(Op, Vec<TermId>)> {
    let inner = store.node(operand(store, term, &Op::FpIsNan)?);
    Some((inner.op.clone(), inner.args.to_vec()))
}

fn both(store: &mut Store, left: Op, a: TermId, right: Op, b: TermId) -> TermId {
    let parts = [store.mk(left, &[a]), store.mk(right, &[b])];
    store.and(&parts)
}

fn either_is_nan(store: &mut Store, a: TermId, b: TermId) -> [TermId; 2] {
    [a, b].map(|term| store.mk(Op::FpIsNan, &[term]))
}

/// A sum is NaN for NaN and for infinities of different signs. Like the next rule only with a literal: between terms the
/// right side is larger, and the sum is mostly needed elsewhere too.
fn nan_of_sum(store: &mut Store, term: TermId) -> Option<TermId> {
    let (Op::FpAdd, args) = nan_of(store, term)? else { return None };
    literal_first(store, [args[1], args[2]])?;
    let (a, b) = (args[1], args[2]);
    let infinite = both(store, Op::FpIsInfinite, a, Op::FpIsInfinite, b);
    let same = store.mk(Op::Eq, &[a, b]);
    let differ = store.not(same);
    let clash = store.and(&[infinite, differ]);
    let [nan_a, nan_b] = either_is_nan(store, a, b);
    Some(store.or(&[nan_a, nan_b, clash]))
}

/// A product is NaN for NaN and for 0·∞; a quotient for NaN, 0/0 and ∞/∞.
fn nan_of_product(store: &mut Store, term: TermId) -> Option<TermId> {
    let (op, args) = nan_of(store, term)?;
    literal_first(store, [*args.get(1)?, *args.get(2)?])?;
    let (zero, infinite) = (Op::FpIsZero, Op::FpIsInfinite);
    let pairs = match op {
        Op::FpMul => [(zero.clone(), infinite.clone()), (infinite, zero)],
        Op::FpDiv => [(zero.clone(), zero), (infinite.clone(), infinite)],
        _ => return None,
    };
    let (a, b) = (args[1], args[2]);
    let mut cases = either_is_nan(store, a, b).to_vec();
    for (left, right) in pairs {
        cases.push(both(store, left, a, right, b));
    }
    Some(store.or(&cases))
}

/// Remainders are NaN for NaN, of infinities, and by 0.
fn nan_of_remainder(store: &mut Store, term: TermId) -> Option<TermId> {
    let (Op::FpRem | Op::FpFmod, args) = nan_of(store, term)? else { return None };
    let (a, b) = (args[0], args[1]);
    let [nan_a, nan_b] = either_is_nan(store, a, b);
    let (infinite, zero) = (store.mk(Op::FpIsInfinite, &[a]), store.mk(Op::FpIsZero, &[b]));
    Some(store.or(&[nan_a, nan_b, infinite, zero]))
}

/// Square roots are NaN of NaN and of what is below −0.
fn nan_of_root(store: &mut Store, term: TermId) -> Option<TermId> {
    let (Op::FpSqrt, args) = nan_of(store, term)? else { return None };
    let a = args[1];
    let (is_nan, is_zero) = (store.mk(Op::FpIsNan, &[a]), store.mk(Op::FpIsZero, &[a]));
    let (is_negative, not_zero) = (store.mk(Op::FpIsNegative, &[a]), store.not(is_zero));
    let below = store.and(&[is_negative, not_zero]);
    Some(store.or(&[is_nan, below]))
}

/// Minima and maxima are NaN if both operands are.
fn nan_of_minimum(store: &mut Store, term: TermId) -> Option<TermId> {
    let (Op::FpMin | Op::FpMax, args) = nan_of(store, term)? else { return None };
    Some(both(store, Op::FpIsNan, args[0], Op::FpIsNan, args[1]))
}

/// Conversions of floats make NaN of NaN only.
fn nan_of_conversion(store: &mut Store, term: TermId) -> Option<TermId> {
    let (Op::FpFromFloat(_), args) = nan_of(store, term)? else { return None };
    Some(store.mk(Op::FpIsNan, &[args[1]]))
}
