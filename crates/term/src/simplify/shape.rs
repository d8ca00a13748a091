//! What terms look like: literals, operands, and the literals of values.

use labrys_float::{Float, RoundingMode};
use num_bigint::BigUint;
use num_traits::{One, Zero};

use crate::{Model, Op, Sort, Store, TermId, eval};

pub(super) fn bool_value(store: &Store, term: TermId) -> Option<bool> {
    match store.node(term).op {
        Op::BoolConst(value) => Some(value),
        _ => None,
    }
}

pub(super) fn bits(store: &Store, term: TermId) -> Option<&BigUint> {
    match &store.node(term).op {
        Op::BitVecConst(bits) => Some(bits),
        _ => None,
    }
}

pub(super) fn float(store: &Store, term: TermId) -> Option<&Float> {
    match &store.node(term).op {
        Op::FloatConst(value) => Some(value),
        _ => None,
    }
}

pub(super) fn mode(store: &Store, term: TermId) -> Option<RoundingMode> {
    match store.node(term).op {
        Op::RoundingModeConst(mode) => Some(mode),
        _ => None,
    }
}

pub(super) fn width(store: &Store, term: TermId) -> u32 {
    match store.sort(term) {
        Sort::BitVec(width) => *width,
        _ => 0,
    }
}

pub(super) fn is_zero(store: &Store, term: TermId) -> bool {
    bits(store, term).is_some_and(BigUint::is_zero)
}

pub(super) fn is_one(store: &Store, term: TermId) -> bool {
    bits(store, term).is_some_and(BigUint::is_one)
}

pub(super) fn ones(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u8
}

pub(super) fn is_ones(store: &Store, term: TermId) -> bool {
    bits(store, term).is_some_and(|bits| *bits == ones(width(store, term)))
}

/// The exponent of a literal that is a power of two.
pub(super) fn power_of_two(store: &Store, term: TermId) -> Option<u32> {
    let bits = bits(store, term)?;
    if bits.count_ones() == 1 { u32::try_from(bits.trailing_zeros()?).ok() } else { None }
}

pub(super) fn is_literal(store: &Store, term: TermId) -> bool {
    matches!(
        store.node(term).op,
        Op::BoolConst(_) | Op::BitVecConst(_) | Op::FloatConst(_) | Op::RoundingModeConst(_) | Op::RealConst(_)
    )
}

/// The two arguments of a term that has two.
pub(super) fn pair(store: &Store, term: TermId) -> Option<[TermId; 2]> {
    match store.node(term).args[..] {
        [a, b] => Some([a, b]),
        _ => None,
    }
}

/// The only argument of a term of this operator.
pub(super) fn operand(store: &Store, term: TermId, op: &Op) -> Option<TermId> {
    let node = store.node(term);
    match node.args[..] {
        [only] if node.op == *op => Some(only),
        _ => None,
    }
}

/// The two arguments of a term of this operator.
pub(super) fn operands(store: &Store, term: TermId, op: &Op) -> Option<[TermId; 2]> {
    if store.node(term).op == *op { pair(store, term) } else { None }
}

/// Condition and branches of an if-then-else.
pub(super) fn branches(store: &Store, term: TermId) -> Option<[TermId; 3]> {
    let node = store.node(term);
    match node.args[..] {
        [condition, yes, no] if node.op == Op::Ite => Some([condition, yes, no]),
        _ => None,
    }
}

/// A pair with a literal in it: the literal, then the other.
pub(super) fn literal_first(store: &Store, [a, b]: [TermId; 2]) -> Option<[TermId; 2]> {
    if is_literal(store, a) {
        Some([a, b])
    } else if is_literal(store, b) {
        Some([b, a])
    } else {
        None
    }
}

/// Both orders of a pair.
pub(super) fn orders([a, b]: [TermId; 2]) -> [[TermId; 2]; 2] {
    [[a, b], [b, a]]
}

/// f(constants) is the constant that the evaluator gives, where the theory does not leave it open. Sums and products of
/// reals stay out: folding them could make literals longer than the terms they replace.
pub(super) fn constant_fold(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.sort == Sort::Real || !node.args.iter().all(|&arg| is_literal(store, arg)) {
        return None;
    }
    // Minima and maxima of zeros of different signs have a default value only.
    if matches!(node.op, Op::FpMin | Op::FpMax)
        && node.args[0] != node.args[1]
        && node.args.iter().all(|&arg| float(store, arg).is_some_and(Float::is_zero))
    {
        return None;
    }
    let value = eval(store, term, &Model::new()).ok()?;
    store.literal(&value)
}

/// Arguments that may be exchanged, in one order: literals last, else older terms first. Rounding modes stay in front.
pub(super) fn commute(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if !node.op.operator().commutative || node.args.len() > 3 {
        return None;
    }
    let first = usize::from(*store.sort(node.args[0]) == Sort::RoundingMode && node.args.len() == 3);
    let mut args = node.args.clone();
    args[first..].sort_by_key(|&arg| (is_literal(store, arg), arg));
    if args == node.args {
        return None;
    }
    let op = node.op.clone();
    Some(store.mk(op, &args))
}
