//! Rules of equality and order of floats.

use labrys_float::{Float, Format, RoundingMode};

use super::choice::predicate_of_choice;
use super::connective::{equal_to_branch, equal_to_itself};
use super::float::widened;
use super::rule::Rule;
use super::shape::{commute, constant_fold, float, literal_first, operand, operands, orders, pair};
use crate::{Op, Store, TermId};

pub(super) const EQUAL: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("equal-to-itself", equal_to_itself),
    Rule::new("commute", commute),
    Rule::new("equal-to-nan", equal_to_nan),
    Rule::new("equal-floats-negated", equal_floats_negated),
    Rule::new("equal-floats-widened", equal_floats_widened),
    Rule::new("equal-decoded", equal_decoded),
    Rule::new("equal-to-branch", equal_to_branch),
    Rule::new("predicate-of-choice", predicate_of_choice),
];

pub(super) const ORDER: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("commute", commute),
    Rule::new("fp-compare-with-itself", compare_with_itself),
    Rule::new("fp-eq-literal", eq_literal),
    Rule::new("fp-compare-with-extremes", compare_with_extremes),
    Rule::new("fp-compare-positive-zero", compare_positive_zero),
    Rule::new("fp-compare-negated", compare_negated),
    Rule::new("fp-compare-magnitude", compare_magnitude),
    Rule::new("fp-compare-widened", compare_widened),
    Rule::new("predicate-of-choice", predicate_of_choice),
];

/// a = NaN asks whether a is NaN.
fn equal_to_nan(store: &mut Store, term: TermId) -> Option<TermId> {
    let [literal, other] = literal_first(store, operands(store, term, &Op::Eq)?)?;
    float(store, literal)?.is_nan().then(|| store.mk(Op::FpIsNan, &[other]))
}

/// −a = −b is a = b, −a = c is a = −c for a literal c, and a = −a is so for NaN only.
fn equal_floats_negated(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = operands(store, term, &Op::Eq)?;
    let [left, right] = sides.map(|side| operand(store, side, &Op::FpNeg));
    if let (Some(a), Some(b)) = (left, right) {
        return Some(store.mk(Op::Eq, &[a, b]));
    }
    for [negated, other] in orders(sides) {
        let Some(a) = operand(store, negated, &Op::FpNeg) else { continue };
        if a == other {
            return Some(store.mk(Op::FpIsNan, &[a]));
        }
        if float(store, other).is_some() {
            let negated = store.mk(Op::FpNeg, &[other]);
            return Some(store.mk(Op::Eq, &[a, negated]));
        }
    }
    None
}

/// Widening is injective: a widened float equals another one, or a literal, if the floats before do.
fn equal_floats_widened(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = operands(store, term, &Op::Eq)?;
    if let [Some((a, from)), Some((b, other))] = sides.map(|side| widened(store, side)) {
        return (from == other).then(|| store.mk(Op::Eq, &[a, b]));
    }
    let [literal, other] = literal_first(store, sides)?;
    let (below, from) = widened(store, other)?;
    let value = float(store, literal)?;
    if value.is_nan() {
        return None;
    }
    match narrowed(value, from, RoundingMode::NearestEven) {
        (narrow, true) => {
            let narrow = store.float_const(narrow);
            Some(store.mk(Op::Eq, &[below, narrow]))
        }
        (_, false) => Some(store.bool_const(false)),
    }
}

/// A number that is no NaN in a narrower format, and whether it is the same.
fn narrowed(value: &Float, to: Format, mode: RoundingMode) -> (Float, bool) {
    match value.to_rational() {
        _ if value.is_zero() => (Float::zero(to, value.is_negative()), true),
        None => (Float::infinity(to, value.is_negative()), true),
        Some(number) => {
            let narrow = Float::from_rational(to, &number, mode);
            let is_same = narrow.to_rational() == Some(number);
            (narrow, is_same)
        }
    }
}

/// A decoded float is a number if the bits are its encoding.
fn equal_decoded(store: &mut Store, term: TermId) -> Option<TermId> {
    let [literal, other] = literal_first(store, operands(store, term, &Op::Eq)?)?;
    let Op::FpFromBits(format) = store.node(other).op else { return None };
    let value = float(store, literal)?;
    if value.is_nan() || format.has_explicit_leading_bit() {
        return None;
    }
    let (encoding, bits) = (value.bits().clone(), store.node(other).args[0]);
    let encoding = store.bv_const(format.width(), encoding);
    Some(store.mk(Op::Eq, &[bits, encoding]))
}

/// a < a is false; a ≤ a and fp.eq(a, a) hold but for NaN.
fn compare_with_itself(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    if a != b {
        return None;
    }
    if store.node(term).op == Op::FpLt {
        return Some(store.bool_const(false));
    }
    let is_nan = store.mk(Op::FpIsNan, &[a]);
    Some(store.not(is_nan))
}

/// fp.eq(a, 0) asks whether a is a zero, fp.eq(a, c) with another number c is a = c.
fn eq_literal(store: &mut Store, term: TermId) -> Option<TermId> {
    let [literal, other] = literal_first(store, operands(store, term, &Op::FpEq)?)?;
    let value = float(store, literal)?;
    if value.is_nan() {
        return None;
    }
    Some(if value.is_zero() { store.mk(Op::FpIsZero, &[other]) } else { store.mk(Op::Eq, &[other, literal]) })
}

/// Comparisons with NaN are false; nothing is below −∞ or above +∞, and all but NaN lies between.
fn compare_with_extremes(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = pair(store, term)?;
    let [literal, other] = literal_first(store, sides)?;
    let value = float(store, literal)?.clone();
    if value.is_nan() {
        return Some(store.bool_const(false));
    }
    let is_strict = match store.node(term).op {
        Op::FpLt => true,
        Op::FpLe => false,
        _ => return None,
    };
    if !value.is_infinite() {
        return None;
    }
    // Whether the comparison asks the other side to be beyond the infinity, or on its inner side.
    let asks_beyond = value.is_negative() == (sides[1] == literal);
    Some(match (asks_beyond, is_strict) {
        (true, true) => store.bool_const(false),
        (true, false) => store.mk(Op::Eq, &[other, literal]),
        (false, false) => {
            let is_nan = store.mk(Op::FpIsNan, &[other]);
            store.not(is_nan)
        }
        (false, true) => return None,
    })
}

/// Comparisons do not tell −0 from +0.
fn compare_positive_zero(store: &mut Store, term: TermId) -> Option<TermId> {
    let args = pair(store, term)?;
    let is_negative_zero =
        |term: TermId| float(store, term).is_some_and(|value| value.is_zero() && value.is_negative());
    if !args.iter().any(|&arg| is_negative_zero(arg)) {
        return None;
    }
    let format = store.float_format(args[0])?;
    let op = store.node(term).op.clone();
    let replaced = args.map(is_negative_zero);
    let zero = store.float_const(Float::zero(format, false));
    let args = [if replaced[0] { zero } else { args[0] }, if replaced[1] { zero } else { args[1] }];
    Some(store.mk(op, &args))
}

/// −a < −b is b < a, −a < c is −c < a for a literal c, and so for ≤ and fp.eq.
fn compare_negated(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = pair(store, term)?;
    let positive = sides.map(|side| operand(store, side, &Op::FpNeg));
    let fits = |i: usize| positive[i].is_some() || float(store, sides[i]).is_some();
    if !(fits(0) && fits(1)) || positive == [None, None] {
        return None;
    }
    let op = store.node(term).op.clone();
    let negated = [0, 1].map(|i| positive[i].unwrap_or_else(|| store.mk(Op::FpNeg, &[sides[i]])));
    Some(store.mk(op, &[negated[1], negated[0]]))
}

/// |a| is never below 0, and at least 0 unless it is NaN; |a| ≤ 0 asks for a zero, 0 < |a| for neither zero nor NaN.
fn compare_magnitude(store: &mut Store, term: TermId) -> Option<TermId> {
    let [left, right] = pair(store, term)?;
    let is_zero = |term: TermId| float(store, term).is_some_and(Float::is_zero);
    let (below, a) = match (operand(store, left, &Op::FpAbs), operand(store, right, &Op::FpAbs)) {
        (Some(a), _) if is_zero(right) => (true, a),
        (_, Some(a)) if is_zero(left) => (false, a),
        _ => return None,
    };
    match (store.node(term).op.clone(), below) {
        (Op::FpLt, true) => Some(store.bool_const(false)),
        (Op::FpLe, true) => Some(store.mk(Op::FpIsZero, &[a])),
        (Op::FpLe, false) => {
            let is_nan = store.mk(Op::FpIsNan, &[a]);
            Some(store.not(is_nan))
        }
        (Op::FpLt, false) => {
            let classes = [Op::FpIsZero, Op::FpIsNan].map(|class| store.mk(class, &[a]));
            let either = store.or(&classes);
            Some(store.not(either))
        }
        _ => None,
    }
}

/// Widening keeps order: widened floats compare as before, with a literal as with the nearest float on the side that the
/// comparison asks for, since no float of the narrower format lies between.
fn compare_widened(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = pair(store, term)?;
    let op = store.node(term).op.clone();
    if let [Some((a, from)), Some((b, other))] = sides.map(|side| widened(store, side)) {
        return (from == other).then(|| store.mk(op, &[a, b]));
    }
    let position = sides.iter().position(|&side| float(store, side).is_some())?;
    let (below, from) = widened(store, sides[1 - position])?;
    let value = float(store, sides[position])?.clone();
    let is_strict = match op {
        Op::FpLt => true,
        Op::FpLe => false,
        _ => return None,
    };
    if value.is_nan() {
        return None;
    }
    // a < c is a < ⌈c⌉ and a ≤ c is a ≤ ⌊c⌋; c < a is ⌊c⌋ < a and c ≤ a is ⌈c⌉ ≤ a.
    let up = is_strict == (position == 1);
    let mode = if up { RoundingMode::TowardPositive } else { RoundingMode::TowardNegative };
    let narrow = store.float_const(narrowed(&value, from, mode).0);
    let args = if position == 0 { [narrow, below] } else { [below, narrow] };
    Some(store.mk(op, &args))
}
