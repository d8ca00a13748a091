//! What can be read off integer terms without a solver: bits that are zero, values under choices already made, and the
//! variable part of an address.

use labrys_interp::{Int, IntOperation, evaluate};
use labrys_program::{IntBinary, IntPredicate};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

use crate::int_ranges;
use crate::path::TermPath;

/// How deep terms are looked into for values that choices determine. Deeper ones give none.
const DEPTH: u32 = 12;

/// How deep they are looked into for bits, which happens at every operation.
const BITS_DEPTH: u32 = 6;

fn width(store: &Store, term: TermId) -> Option<u32> {
    match store.sort(term) {
        Sort::BitVec(width) if *width <= 128 => Some(*width),
        Sort::Bool => Some(1),
        _ => None,
    }
}

fn ones(width: u32) -> u128 {
    u128::MAX >> (128 - width.clamp(1, 128))
}

fn literal(store: &Store, term: TermId) -> Option<u128> {
    match &store.node(term).op {
        Op::BitVecConst(value) => value.to_u128(),
        Op::BoolConst(value) => Some(u128::from(*value)),
        _ => None,
    }
}

/// The bits of a BitVec term that can be 1: a superset, and so an upper bound too. All that fit, of terms of more than 128 bits.
pub fn possible_ones(store: &Store, term: TermId) -> u128 {
    possible_ones_within(store, term, BITS_DEPTH)
}

fn possible_ones_within(store: &Store, term: TermId, depth: u32) -> u128 {
    let Some(bits) = width(store, term) else { return u128::MAX };
    if let Some(value) = literal(store, term) {
        return value;
    }
    if depth == 0 {
        return ones(bits);
    }
    let node = store.node(term);
    let of = |i: usize| possible_ones_within(store, node.args[i], depth - 1);
    // A shift by a literal below the width.
    let by = || literal(store, node.args[1]).and_then(|by| u32::try_from(by).ok()).filter(|by| *by < bits);
    let found = match &node.op {
        Op::BvAnd => of(0) & of(1),
        Op::BvOr | Op::BvXor => of(0) | of(1),
        Op::Ite => of(1) | of(2),
        Op::ZeroExtend(_) => of(0),
        // The sign bit is copied: nothing is known above unless it is 0.
        Op::SignExtend(_) => {
            let inner = of(0);
            let low = width(store, node.args[0]).unwrap_or(bits);
            if inner >> (low - 1) & 1 == 0 { inner } else { ones(bits) }
        }
        Op::Extract { low, .. } if width(store, node.args[0]).is_some() => of(0) >> low,
        Op::Extract { low, .. } => {
            let part = (many_ones_within(store, node.args[0], depth - 1) >> low) & BigUint::from(ones(bits));
            part.to_u128().unwrap_or(u128::MAX)
        }
        Op::Concat => {
            let low = width(store, node.args[1]).unwrap_or(128);
            of(0).checked_shl(low).unwrap_or(0) | of(1)
        }
        Op::BvLshr => by().map_or(ones(bits), |by| of(0) >> by),
        Op::BvAshr => match (by(), of(0)) {
            (Some(by), inner) if inner >> (bits - 1) & 1 == 0 => inner >> by,
            _ => ones(bits),
        },
        Op::BvShl => by().map_or(ones(bits), |by| of(0) << by),
        Op::BvUrem => match literal(store, node.args[1]) {
            Some(divisor) if divisor > 0 => ones(128 - (divisor - 1).leading_zeros()),
            _ => ones(bits),
        },
        _ => ones(bits),
    };
    found & ones(bits)
}

/// [`possible_ones`] of terms of any width.
pub fn many_possible_ones(store: &Store, term: TermId) -> BigUint {
    many_ones_within(store, term, BITS_DEPTH)
}

fn many_ones_within(store: &Store, term: TermId, depth: u32) -> BigUint {
    let Sort::BitVec(bits) = *store.sort(term) else { return possible_ones_within(store, term, depth).into() };
    let node = store.node(term);
    if let Op::BitVecConst(value) = &node.op {
        return value.clone();
    }
    let all = |bits: u32| (BigUint::one() << bits) - 1u8;
    if bits <= 128 || depth == 0 {
        return if bits <= 128 { possible_ones_within(store, term, depth).into() } else { all(bits) };
    }
    let of = |i: usize| many_ones_within(store, node.args[i], depth - 1);
    let by = || literal(store, node.args[1]).filter(|by| *by < u128::from(bits));
    let found = match &node.op {
        Op::BvAnd => of(0) & of(1),
        Op::BvOr | Op::BvXor => of(0) | of(1),
        Op::Ite => of(1) | of(2),
        Op::ZeroExtend(_) => of(0),
        Op::SignExtend(by) => {
            Some(of(0)).filter(|inner| !inner.bit(u64::from(bits - by) - 1)).unwrap_or_else(|| all(bits))
        }
        Op::Extract { low, .. } => of(0) >> low,
        Op::Concat => match *store.sort(node.args[1]) {
            Sort::BitVec(low) => of(0) << low | of(1),
            _ => all(bits),
        },
        Op::BvLshr => by().map_or_else(|| all(bits), |by| of(0) >> by),
        Op::BvShl => by().map_or_else(|| all(bits), |by| of(0) << by),
        _ => all(bits),
    };
    found & all(bits)
}

/// A comparison that the possible bits decide.
pub(crate) fn decided(store: &Store, predicate: IntPredicate, a: TermId, b: TermId) -> Option<bool> {
    let (x, y) = (possible_ones(store, a), possible_ones(store, b));
    let differs = |constant: Option<u128>, mask: u128| constant.is_some_and(|value| value & !mask != 0);
    let apart = differs(literal(store, a), y) || differs(literal(store, b), x);
    let bits = width(store, a)?;
    let sign = |mask: u128| mask >> (bits - 1) & 1 != 0;
    match predicate {
        IntPredicate::Eq if apart => Some(false),
        IntPredicate::Ne if apart => Some(true),
        // Without sign bits signed and unsigned order are one.
        IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge if sign(x) || sign(y) => None,
        IntPredicate::Ult | IntPredicate::Slt => below(literal(store, b), x, literal(store, a), y, true),
        IntPredicate::Ule | IntPredicate::Sle => below(literal(store, b), x, literal(store, a), y, false),
        IntPredicate::Ugt | IntPredicate::Sgt => below(literal(store, a), y, literal(store, b), x, true),
        IntPredicate::Uge | IntPredicate::Sge => below(literal(store, a), y, literal(store, b), x, false),
        _ => None,
    }
}

/// `a < b` (or `a ≤ b`), given the literals and the largest possible values of both.
fn below(b: Option<u128>, most_a: u128, a: Option<u128>, most_b: u128, strict: bool) -> Option<bool> {
    let holds = |a: u128, b: u128| if strict { a < b } else { a <= b };
    if b.is_some_and(|b| holds(most_a, b)) {
        return Some(true);
    }
    if a.is_some_and(|a| !holds(a, most_b)) {
        return Some(false);
    }
    None
}

/// An integer term's value, where the choices of a path determine it.
pub fn value_under(store: &Store, path: &TermPath, term: TermId) -> Option<u128> {
    value_within(store, path, term, DEPTH)
}

fn value_within(store: &Store, path: &TermPath, term: TermId, depth: u32) -> Option<u128> {
    if let Some(value) = path.value_of(term).or_else(|| literal(store, term)) {
        return Some(value);
    }
    if depth == 0 {
        return None;
    }
    let node = store.node(term);
    let of = |i: usize| value_within(store, path, node.args[i], depth - 1);
    let binary = |op: IntBinary| Some(IntOperation::Binary(op));
    let operation = match &node.op {
        Op::Not => return of(0).map(|value| value ^ 1),
        Op::And if node.args.len() == 2 => {
            return match (of(0), of(1)) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (a, b) => Some(a? & b?),
            };
        }
        Op::Or if node.args.len() == 2 => {
            return match (of(0), of(1)) {
                (Some(1), _) | (_, Some(1)) => Some(1),
                (a, b) => Some(a? | b?),
            };
        }
        Op::Ite => return if of(0)? != 0 { of(1) } else { of(2) },
        Op::Eq => Some(IntOperation::Compare(IntPredicate::Eq)),
        Op::BvUlt => Some(IntOperation::Compare(IntPredicate::Ult)),
        Op::BvUle => Some(IntOperation::Compare(IntPredicate::Ule)),
        Op::BvSlt => Some(IntOperation::Compare(IntPredicate::Slt)),
        Op::BvSle => Some(IntOperation::Compare(IntPredicate::Sle)),
        Op::BvAdd => binary(IntBinary::Add),
        Op::BvSub => binary(IntBinary::Sub),
        Op::BvMul => binary(IntBinary::Mul),
        Op::BvAnd => binary(IntBinary::And),
        Op::BvOr => binary(IntBinary::Or),
        Op::BvXor => binary(IntBinary::Xor),
        Op::BvUdiv => binary(IntBinary::UDiv),
        Op::BvSdiv => binary(IntBinary::SDiv),
        Op::BvUrem => binary(IntBinary::URem),
        Op::BvSrem => binary(IntBinary::SRem),
        Op::ZeroExtend(by) => Some(IntOperation::ZeroExtend(width(store, node.args[0])? + by)),
        Op::SignExtend(by) => Some(IntOperation::SignExtend(width(store, node.args[0])? + by)),
        Op::Extract { high, low } => Some(IntOperation::Extract { high: *high, low: *low }),
        _ => None,
    }?;
    let mut operands: Vec<Int<TermId>> = Vec::with_capacity(2);
    for (i, &argument) in node.args.iter().enumerate() {
        match of(i) {
            Some(value) => operands.push(Int::new(width(store, argument)?, value)),
            None => return by_ranges(store, path, operation, &node.args),
        }
    }
    evaluate(operation, &operands)?.concrete()
}

/// A comparison's value, where the ranges of its operands decide it.
fn by_ranges(store: &Store, path: &TermPath, operation: IntOperation, operands: &[TermId]) -> Option<u128> {
    let (IntOperation::Compare(predicate), &[a, b]) = (operation, operands) else { return None };
    let (a, b) = (int_ranges::range(store, path, a)?, int_ranges::range(store, path, b)?);
    int_ranges::decided(predicate, a, b).map(u128::from)
}

/// The values that a path's choices leave a BitVec term, ascending as signed numbers, where they are at most so many.
pub fn range_under(store: &Store, path: &TermPath, term: TermId, most: u128) -> Option<Vec<u128>> {
    let bits = width(store, term)?;
    let (least, greatest) = int_ranges::range(store, path, term)?;
    let count = greatest.checked_sub(least)?.unsigned_abs() + 1;
    (count <= most).then(|| (least..=greatest).map(|value| value as u128 & ones(bits)).collect())
}

/// A symbol with the values it may have.
pub struct Choice {
    /// The symbol.
    pub symbol: TermId,
    /// Its width in bits.
    pub bits: u32,
    /// Its values, in the order of the candidates they come from.
    pub values: Vec<u128>,
}

/// Replaces a choice among an expression's values by one among its variable part's: extensions, negations, sums and differences with literals and
/// products of extended numbers with small literals are undone. Values that the expression cannot have are dropped.
pub fn peel(store: &Store, mut choice: Choice) -> Choice {
    // Fewer steps than DEPTH, so that the variable part's value always determines the expression's.
    for _ in 0..DEPTH / 2 {
        match peel_once(store, &choice) {
            Some(next) => choice = next,
            None => break,
        }
    }
    choice
}

fn peel_once(store: &Store, choice: &Choice) -> Option<Choice> {
    let node = store.node(choice.symbol);
    let bits = choice.bits;
    let sum = |symbol: TermId, addend: u128| Choice {
        symbol,
        bits,
        values: choice.values.iter().map(|value| value.wrapping_sub(addend) & ones(bits)).collect(),
    };
    let extended = |is_signed: bool| {
        let symbol = node.args[0];
        let inner = width(store, symbol)?;
        let widened = |value: u128| {
            let shift = 128 - inner;
            if is_signed { ((value << shift) as i128 >> shift) as u128 & ones(bits) } else { value & ones(inner) }
        };
        let values = choice.values.iter().filter(|&&value| widened(value) == value).map(|value| value & ones(inner));
        // A Bool is no number; its extension is an if-then-else, which is not looked into.
        (inner > 1).then(|| Choice { symbol, bits: inner, values: values.collect() })
    };
    match (&node.op, &node.args[..]) {
        (Op::BvAdd, &[a, b]) => match (literal(store, a), literal(store, b)) {
            (Some(addend), _) => Some(sum(b, addend)),
            (_, Some(addend)) => Some(sum(a, addend)),
            _ => None,
        },
        (Op::BvSub, &[a, b]) => literal(store, b).map(|subtrahend| sum(a, subtrahend.wrapping_neg())),
        (Op::BvMul, &[a, b]) => {
            let (symbol, factor) = match (literal(store, a), literal(store, b)) {
                (Some(factor), _) => (b, factor),
                (_, Some(factor)) => (a, factor),
                _ => return None,
            };
            product(store, choice, symbol, factor)
        }
        (Op::Not, &[symbol]) => {
            Some(Choice { symbol, bits, values: choice.values.iter().map(|value| value ^ 1).collect() })
        }
        (Op::SignExtend(_), _) => extended(true),
        (Op::ZeroExtend(_), _) => extended(false),
        _ => None,
    }
}

/// Undoes a product that cannot wrap: a number extended from 32 bits or fewer to 64, times a literal below 2³¹.
fn product(store: &Store, choice: &Choice, symbol: TermId, factor: u128) -> Option<Choice> {
    let inner = match store.node(symbol).op {
        Op::SignExtend(_) | Op::ZeroExtend(_) => width(store, store.node(symbol).args[0])?,
        _ => return None,
    };
    if choice.bits != 64 || inner > 32 || factor == 0 || factor >= 1 << 31 {
        return None;
    }
    let quotient = |value: u128| {
        let value = value as u64 as i64;
        (value % factor as i64 == 0).then_some((value / factor as i64) as u64 as u128)
    };
    let values = choice.values.iter().filter_map(|&value| quotient(value)).collect();
    Some(Choice { symbol, bits: choice.bits, values })
}

/// Whether a symbol can have no other values than these, by its possible bits.
pub fn is_exhaustive(store: &Store, choice: &Choice) -> bool {
    let mask = possible_ones(store, choice.symbol);
    // Subsets of a mask of few bits are counted; each value is one if it stays within.
    let count = 1usize << mask.count_ones().min(20);
    let mut within: Vec<u128> = choice.values.iter().copied().filter(|value| value & !mask == 0).collect();
    within.sort_unstable();
    within.dedup();
    mask.count_ones() < 20 && within.len() == count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_and_shifted_bits_are_known_to_be_zero() {
        let mut store = Store::new();
        let n = store.variable("n", Sort::BitVec(32));
        let (seven, three) = (store.bv_const(32, 7u8), store.bv_const(32, 3u8));
        let low = store.mk(Op::BvAnd, &[n, seven]);
        assert_eq!(possible_ones(&store, low), 7);
        let gone = store.mk(Op::BvAshr, &[low, three]);
        assert_eq!(possible_ones(&store, gone), 0);
        let eight = store.bv_const(32, 8u8);
        assert_eq!(decided(&store, IntPredicate::Eq, low, eight), Some(false));
        assert_eq!(decided(&store, IntPredicate::Slt, low, eight), Some(true));
        assert_eq!(decided(&store, IntPredicate::Ule, low, three), None);
        assert_eq!(decided(&store, IntPredicate::Slt, n, eight), None);
    }

    #[test]
    fn an_address_is_peeled_to_its_index() {
        let mut store = Store::new();
        let n = store.variable("n", Sort::BitVec(32));
        let three = store.bv_const(32, 3u8);
        let index = store.mk(Op::BvAnd, &[n, three]);
        let wide = store.mk(Op::SignExtend(32), &[index]);
        let eight = store.bv_const(64, 8u8);
        let scaled = store.mk(Op::BvMul, &[wide, eight]);
        let offset = store.mk(Op::BvAdd, &[scaled, eight]);
        let choice = peel(&store, Choice { symbol: offset, bits: 64, values: vec![8, 12, 16, 24, 32] });
        assert_eq!((choice.symbol, choice.bits), (index, 32));
        assert_eq!(choice.values, [0, 1, 2, 3]);
        assert!(is_exhaustive(&store, &choice));
        // A value below the start is a negative index.
        let choice = peel(&store, Choice { symbol: offset, bits: 64, values: vec![0] });
        assert_eq!(choice.values, [0xffff_ffff]);
        assert!(!is_exhaustive(&store, &choice));
    }

    #[test]
    fn choices_determine_the_terms_above_them() {
        let mut store = Store::new();
        let n = store.variable("n", Sort::BitVec(32));
        let (three, zero) = (store.bv_const(32, 3u8), store.bv_const(32, 0u8));
        let rest = store.mk(Op::BvSub, &[three, n]);
        let negative = store.mk(Op::BvSlt, &[rest, zero]);
        let truth = store.bool_const(true);
        let mut path = TermPath::new(truth);
        assert_eq!(value_under(&store, &path, rest), None);
        path.choose(&store, n, 5, truth);
        assert_eq!(value_under(&store, &path, rest), Some(0xffff_fffe));
        assert_eq!(value_under(&store, &path, negative), Some(1));
    }
}
