//! Rules of floating-point operations and conversions.
//!
//! SMT-LIB has one NaN, so that identities need not mind which one; but they must hold for both zeros, infinities and NaN
//! in the rounding modes that they claim.

use labrys_float::{Float, Format, RoundingMode};

use super::choice::fold_into_choice;
use super::rule::Rule;
use super::shape::{commute, constant_fold, float, is_literal, mode, operand, width};
use crate::{Op, Store, TermId};

pub(super) const PLAIN: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("fp-sign-twice", sign_twice),
    Rule::new("fp-nan-operand", nan_operand),
    Rule::new("fp-minimum-of-one", minimum_of_one),
    Rule::new("fp-encoding-of-decoded", encoding_of_decoded),
    Rule::new("fold-into-choice", fold_into_choice),
];

pub(super) const ROUNDED: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("commute", commute),
    Rule::new("fma-commute", fma_commute),
    Rule::new("fp-sub-as-add", sub_as_add),
    Rule::new("fp-nan-operand", nan_operand),
    Rule::new("fp-add-zero", add_zero),
    Rule::new("fp-times-one", times_one),
    Rule::new("fp-divide-by-power", divide_by_power),
    Rule::new("fp-cancel", cancel),
    Rule::new("fp-signs-of-factors", signs_of_factors),
    Rule::new("fp-round-integral", round_integral),
    Rule::new("fold-into-choice", fold_into_choice),
];

pub(super) const CONVERSION: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("convert-to-itself", convert_to_itself),
    Rule::new("convert-widened", convert_widened),
    Rule::new("convert-extended-integer", convert_extended_integer),
    Rule::new("convert-integer-back", convert_integer_back),
    Rule::new("fold-into-choice", fold_into_choice),
];

/// −−a is a, |−a| and ||a|| are |a|.
fn sign_twice(store: &mut Store, term: TermId) -> Option<TermId> {
    if let Some(inner) = operand(store, term, &Op::FpNeg) {
        return operand(store, inner, &Op::FpNeg);
    }
    let inner = operand(store, term, &Op::FpAbs)?;
    let argument = operand(store, inner, &Op::FpNeg).or(operand(store, inner, &Op::FpAbs))?;
    Some(store.mk(Op::FpAbs, &[argument]))
}

fn is_nan(store: &Store, term: TermId) -> bool {
    float(store, term).is_some_and(Float::is_nan)
}

/// Arithmetic with NaN is NaN; minima and maxima of NaN and a are a.
fn nan_operand(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let nan = *node.args.iter().find(|&&arg| is_nan(store, arg))?;
    match node.op {
        Op::FpMin | Op::FpMax => node.args.iter().copied().find(|&arg| arg != nan),
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpRem | Op::FpFmod => Some(nan),
        _ => None,
    }
}

/// The smaller of a and a is a.
fn minimum_of_one(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    (matches!(node.op, Op::FpMin | Op::FpMax) && node.args[0] == node.args[1]).then(|| node.args[0])
}

/// The float that the encoding of x encodes is x.
fn encoding_of_decoded(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let Op::FpFromBits(_) = node.op else { return None };
    let inner = operand(store, node.args[0], &Op::FpToBits)?;
    (*store.sort(inner) == node.sort).then_some(inner)
}

/// The factors of a fused multiply-add may be exchanged.
fn fma_commute(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.op != Op::FpFma {
        return None;
    }
    let [mode, a, b, c] = node.args[..] else { return None };
    let key = |arg: TermId| (is_literal(store, arg), arg);
    (key(b) < key(a)).then(|| store.mk(Op::FpFma, &[mode, b, a, c]))
}

/// a − b is a + (−b), in every mode: IEEE 754-2019, section 6.3, gives zero results the same sign.
fn sub_as_add(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.op != Op::FpSub {
        return None;
    }
    let [mode, a, b] = node.args[..] else { return None };
    let negated = store.mk(Op::FpNeg, &[b]);
    Some(store.mk(Op::FpAdd, &[mode, a, negated]))
}

/// a + (−0) is a in all modes but toward −∞, where (+0) + (−0) is −0; there a + (+0) is a. With the other zero only the sign of a zero may
/// be another: that of the literal.
fn add_zero(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.op != Op::FpAdd {
        return None;
    }
    let [mode_term, a, b] = node.args[..] else { return None };
    let neutral_is_negative = mode(store, mode_term)? != RoundingMode::TowardNegative;
    let is_neutral = |term: TermId| {
        float(store, term).is_some_and(|zero| zero.is_zero() && zero.is_negative() == neutral_is_negative)
    };
    for (zero, other) in [(b, a), (a, b)] {
        if is_neutral(zero) {
            return Some(other);
        }
        if float(store, zero).is_some_and(Float::is_zero) {
            let is_zero = store.mk(Op::FpIsZero, &[other]);
            return Some(store.mk(Op::Ite, &[is_zero, zero, other]));
        }
    }
    None
}

/// a·1 and a/1 are a, a·(−1) and a/(−1) are −a; a·1 + c is a sum.
fn times_one(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let (orders, addend) = match (&node.op, &node.args[..]) {
        (Op::FpMul, &[_, a, b]) => ([(a, b), (b, a)], None),
        (Op::FpFma, &[mode, a, b, c]) => ([(a, b), (b, a)], Some((mode, c))),
        (Op::FpDiv, &[_, a, b]) => ([(a, b), (a, b)], None),
        _ => return None,
    };
    let one = Float::one(store.float_format(orders[0].0)?);
    for (a, b) in orders {
        let Some(value) = float(store, b) else { continue };
        let product = match value {
            value if *value == one => a,
            value if value.neg() == one => store.mk(Op::FpNeg, &[a]),
            _ => continue,
        };
        return Some(match addend {
            Some((mode, addend)) => store.mk(Op::FpAdd, &[mode, product, addend]),
            None => product,
        });
    }
    None
}

/// a/2^k is a·2^−k where that is a float: both round the same real number.
fn divide_by_power(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let Op::FpDiv = node.op else { return None };
    let [mode, a, b] = node.args[..] else { return None };
    let divisor = float(store, b)?;
    let value = divisor.to_rational().filter(|_| !divisor.is_zero())?;
    let is_power = [value.numer(), value.denom()].iter().all(|part| part.magnitude().count_ones() == 1);
    let inverse = Float::from_rational(divisor.format(), &value.recip(), RoundingMode::NearestEven);
    if !is_power || inverse.to_rational() != Some(value.recip()) {
        return None;
    }
    let inverse = store.float_const(inverse);
    Some(store.mk(Op::FpMul, &[mode, a, inverse]))
}

/// a + (−a) is a zero whose sign is the mode's, and a/a is 1, but where a makes them NaN.
fn cancel(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let [mode_term, a, b] = node.args[..] else { return None };
    let format = store.float_format(a)?;
    let (value, classes): (Float, &[Op]) = match node.op {
        Op::FpAdd if operand(store, a, &Op::FpNeg) == Some(b) || operand(store, b, &Op::FpNeg) == Some(a) => {
            let negative = mode(store, mode_term)? == RoundingMode::TowardNegative;
            (Float::zero(format, negative), &[Op::FpIsNan, Op::FpIsInfinite])
        }
        Op::FpDiv if a == b => (Float::one(format), &[Op::FpIsNan, Op::FpIsInfinite, Op::FpIsZero]),
        _ => return None,
    };
    let special: Vec<TermId> = classes.iter().map(|class| store.mk(class.clone(), &[a])).collect();
    let is_special = store.or(&special);
    let (nan, value) = (store.float_const(Float::nan(format)), store.float_const(value));
    Some(store.mk(Op::Ite, &[is_special, nan, value]))
}

/// (−a)·(−b) is a·b, (−a)/(−b) is a/b, in fused multiply-adds too; with one sign only, (−a)·b is −(a·b) in modes that do
/// not know directions.
fn signs_of_factors(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if !matches!(node.op, Op::FpMul | Op::FpDiv | Op::FpFma) {
        return None;
    }
    let (op, mut args) = (node.op.clone(), node.args.to_vec());
    let positive = |term: TermId| operand(store, term, &Op::FpNeg);
    match (positive(args[1]), positive(args[2])) {
        (Some(a), Some(b)) => {
            args[1] = a;
            args[2] = b;
            Some(store.mk(op, &args))
        }
        (None, None) => None,
        (a, b) => {
            let is_symmetric =
                !matches!(mode(store, args[0])?, RoundingMode::TowardNegative | RoundingMode::TowardPositive);
            if !is_symmetric || op == Op::FpFma {
                return None;
            }
            args[1] = a.unwrap_or(args[1]);
            args[2] = b.unwrap_or(args[2]);
            let result = store.mk(op, &args);
            Some(store.mk(Op::FpNeg, &[result]))
        }
    }
}

/// What is integral is not rounded again: rounded integrals, and converted integers. Those stay integral in every format whose
/// greatest number is integral: too great ones may become that number.
fn round_integral(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.op != Op::FpRoundToIntegral {
        return None;
    }
    let inner = node.args[1];
    let is_integral = match store.node(inner).op {
        Op::FpRoundToIntegral => true,
        Op::FpFromSigned(format) | Op::FpFromUnsigned(format) => greatest_is_integral(format),
        _ => false,
    };
    is_integral.then_some(inner)
}

/// Whether the greatest number of a format is an integer.
pub(super) fn greatest_is_integral(format: Format) -> bool {
    i64::from(format.precision()) <= format.max_exponent() + 1
}

/// Whether every number of one format is one of the other.
pub(super) fn holds_all(from: Format, to: Format) -> bool {
    let is_plain = !from.has_explicit_leading_bit() && !to.has_explicit_leading_bit();
    is_plain && from.exponent_bits() <= to.exponent_bits() && from.precision() <= to.precision()
}

/// The term below a conversion to a format that holds all its numbers, and its format.
pub(super) fn widened(store: &Store, term: TermId) -> Option<(TermId, Format)> {
    let node = store.node(term);
    let Op::FpFromFloat(to) = node.op else { return None };
    let from = store.float_format(node.args[1])?;
    holds_all(from, to).then(|| (node.args[1], from))
}

/// A conversion to the same format.
fn convert_to_itself(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let Op::FpFromFloat(to) = node.op else { return None };
    let from = store.float_format(node.args[1])?;
    (from == to && !to.has_explicit_leading_bit()).then(|| node.args[1])
}

/// A conversion of what was widened converts what there was before.
fn convert_widened(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if !matches!(node.op, Op::FpFromFloat(_)) {
        return None;
    }
    let (below, _) = widened(store, node.args[1])?;
    let (op, mode) = (node.op.clone(), node.args[0]);
    Some(store.mk(op, &[mode, below]))
}

/// An extended integer is the same number: zero-extended ones are never negative.
fn convert_extended_integer(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let inner = store.node(*node.args.get(1)?);
    let op = match (&node.op, &inner.op) {
        (Op::FpFromSigned(to), Op::ZeroExtend(by)) if *by > 0 => Op::FpFromUnsigned(*to),
        (Op::FpFromUnsigned(_), Op::ZeroExtend(_)) | (Op::FpFromSigned(_), Op::SignExtend(_)) => node.op.clone(),
        _ => return None,
    };
    let args = [node.args[0], inner.args[0]];
    Some(store.mk(op, &args))
}

/// An integer that its float holds exactly comes back. A magnitude of w bits needs w bits of precision and an exponent of w.
fn convert_integer_back(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let inner = store.node(*node.args.get(1)?);
    let same_kind = matches!(
        (&node.op, &inner.op),
        (Op::FpToSigned(_), Op::FpFromSigned(_)) | (Op::FpToUnsigned(_), Op::FpFromUnsigned(_))
    );
    let (Some(format), true) = (store.float_format(node.args[1]), same_kind) else { return None };
    let integer = inner.args[1];
    let bits = width(store, integer);
    let is_exact = bits <= format.precision() && i64::from(bits) <= format.max_exponent();
    (is_exact && *store.sort(integer) == node.sort).then_some(integer)
}
