//! Rules of equality and order of bit vectors.

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::choice::predicate_of_choice;
use super::connective::{equal_to_branch, equal_to_itself};
use super::rule::Rule;
use super::shape::{bits, commute, constant_fold, literal_first, ones, operand, operands, orders, pair, width};
use crate::{Op, Sort, Store, TermId};

pub(super) const EQUAL: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("equal-to-itself", equal_to_itself),
    Rule::new("commute", commute),
    Rule::new("equal-solved", equal_solved),
    Rule::new("equal-cancel", equal_cancel),
    Rule::new("equal-parts", equal_parts),
    Rule::new("equal-extensions", equal_extensions),
    Rule::new("equal-products", equal_products),
    Rule::new("equal-encoding", equal_encoding),
    Rule::new("equal-to-branch", equal_to_branch),
    Rule::new("predicate-of-choice", predicate_of_choice),
];

pub(super) const ORDER: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("bv-compare-with-itself", compare_with_itself),
    Rule::new("bv-compare-with-extremes", compare_with_extremes),
    Rule::new("bv-compare-extensions", compare_extensions),
    Rule::new("bv-compare-products", compare_products),
    Rule::new("predicate-of-choice", predicate_of_choice),
];

/// Equations f(a) = c for a literal c and an invertible f: the equation a = f⁻¹(c).
fn equal_solved(store: &mut Store, term: TermId) -> Option<TermId> {
    let [literal, other] = literal_first(store, operands(store, term, &Op::Eq)?)?;
    let node = store.node(other);
    let (a, inverse) = match node.op {
        Op::BvNot | Op::BvNeg => (node.args[0], (node.op.clone(), vec![literal])),
        Op::BvAdd | Op::BvXor => {
            let op = if node.op == Op::BvAdd { Op::BvSub } else { Op::BvXor };
            let [constant, a] = literal_first(store, pair(store, other)?)?;
            (a, (op, vec![literal, constant]))
        }
        Op::BvSub => {
            let [constant, b] = pair(store, other)?;
            bits(store, constant)?;
            (b, (Op::BvSub, vec![constant, literal]))
        }
        Op::BvMul => {
            let [constant, a] = literal_first(store, pair(store, other)?)?;
            let width = width(store, literal);
            let inverse = odd_inverse(bits(store, constant)?, width)?;
            let inverse = store.bv_const(width, inverse);
            (a, (Op::BvMul, vec![literal, inverse]))
        }
        _ => return None,
    };
    let solved = store.mk(inverse.0, &inverse.1);
    Some(store.mk(Op::Eq, &[a, solved]))
}

/// The inverse of an odd number modulo 2^width: Newton's x ← x(2 − ax) doubles the number of right bits, of which a
/// itself has three (a² = 1 modulo 8).
fn odd_inverse(a: &BigUint, width: u32) -> Option<BigUint> {
    if !a.bit(0) {
        return None;
    }
    let modulus = BigUint::one() << width;
    let mut x = a.clone();
    let mut right = 3;
    while right < width {
        let product = (a * &x) % &modulus;
        x = (x * (&modulus + 2u8 - product)) % &modulus;
        right *= 2;
    }
    Some(x)
}

/// Equal terms on both sides cancel: a + b = a is b = 0, a + b = a + c is b = c, and so for ^, ¬, −.
fn equal_cancel(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = operands(store, term, &Op::Eq)?;
    let [left, right] = sides;
    for op in [Op::BvNot, Op::BvNeg] {
        if let (Some(a), Some(b)) = (operand(store, left, &op), operand(store, right, &op)) {
            return Some(store.mk(Op::Eq, &[a, b]));
        }
    }
    for op in [Op::BvAdd, Op::BvXor] {
        if let (Some(left), Some(right)) = (operands(store, left, &op), operands(store, right, &op)) {
            for [a, b] in orders(left) {
                for [c, d] in orders(right) {
                    if a == c {
                        return Some(store.mk(Op::Eq, &[b, d]));
                    }
                }
            }
        }
        for [sum, single] in orders(sides) {
            let Some(parts) = operands(store, sum, &op) else { continue };
            for [a, b] in orders(parts) {
                if a == single {
                    let zero = store.bv_const(width(store, a), 0u8);
                    return Some(store.mk(Op::Eq, &[b, zero]));
                }
            }
        }
    }
    None
}

/// A concatenation equals a literal, or another one of the same widths, if the parts do.
fn equal_parts(store: &mut Store, term: TermId) -> Option<TermId> {
    let [left, right] = operands(store, term, &Op::Eq)?;
    let is_concat = |term: TermId| store.node(term).op == Op::Concat;
    let parts = match (is_concat(left), is_concat(right)) {
        (true, _) => store.node(left).args.clone(),
        (false, true) => store.node(right).args.clone(),
        (false, false) => return None,
    };
    for side in [left, right] {
        let node = store.node(side);
        let widths_agree = node.op == Op::Concat
            && node.args.len() == parts.len()
            && node.args.iter().zip(&parts).all(|(&a, &b)| width(store, a) == width(store, b));
        if !widths_agree && bits(store, side).is_none() {
            return None;
        }
    }
    let mut equal = Vec::new();
    let mut bottom = 0;
    for &part in parts.iter().rev() {
        let (low, high) = (bottom, bottom + width(store, part) - 1);
        // Slices of the sides, which other rules make parts again.
        let slices = [left, right].map(|side| store.mk(Op::Extract { high, low }, &[side]));
        equal.push(store.mk(Op::Eq, &slices));
        bottom = high + 1;
    }
    Some(store.and(&equal))
}

/// Extensions of one kind and width are equal if what they extend is; and one equals a literal if its high bits can be.
fn equal_extensions(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = operands(store, term, &Op::Eq)?;
    let [left, right] = sides.map(|side| store.node(side));
    if let (Op::ZeroExtend(a), Op::ZeroExtend(b)) | (Op::SignExtend(a), Op::SignExtend(b)) = (&left.op, &right.op)
        && a == b
    {
        let args = [left.args[0], right.args[0]];
        return Some(store.mk(Op::Eq, &args));
    }
    let [literal, other] = literal_first(store, sides)?;
    let (value, node) = (bits(store, literal)?.clone(), store.node(other));
    let signed = match node.op {
        Op::ZeroExtend(_) => false,
        Op::SignExtend(_) => true,
        _ => return None,
    };
    let arg = node.args[0];
    let (below, total) = (width(store, arg), width(store, other));
    let low = &value & ones(below);
    let is_negative = signed && low.bit(u64::from(below) - 1);
    let extended = if is_negative { &low + (ones(total) - ones(below)) } else { low.clone() };
    if extended != value {
        return Some(store.bool_const(false));
    }
    let low = store.bv_const(below, low);
    Some(store.mk(Op::Eq, &[arg, low]))
}

/// Products a·c and b·c that are exact in their width are equal if a and b are, or c is 0.
fn equal_products(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = operands(store, term, &Op::Eq)?;
    let (a, b, common) = exact_products(store, sides, width(store, sides[0]))?;
    let [zero, equal] = [is_nothing(store, common), store.mk(Op::Eq, &[a, b])];
    Some(store.or(&[zero, equal]))
}

/// The same of order: a·c ≤ b·c if a ≤ b or c is 0, and a·c < b·c if a < b and c is not 0. As signed numbers, where the
/// products have no sign.
fn compare_products(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = pair(store, term)?;
    let (is_strict, is_signed) = match store.node(term).op {
        Op::BvUlt => (true, false),
        Op::BvUle => (false, false),
        Op::BvSlt => (true, true),
        _ => (false, true),
    };
    let (a, b, common) = exact_products(store, sides, width(store, sides[0]) - u32::from(is_signed))?;
    let zero = is_nothing(store, common);
    if is_strict {
        let (below, other) = (store.mk(Op::BvUlt, &[a, b]), store.not(zero));
        return Some(store.and(&[other, below]));
    }
    let below = store.mk(Op::BvUle, &[a, b]);
    Some(store.or(&[zero, below]))
}

/// a, b and c of two products a·c and b·c that take at most so many bits, whatever the factors' values: factors below 2^i and 2^j
/// have a product below 2^(i + j).
fn exact_products(store: &Store, sides: [TermId; 2], most: u32) -> Option<(TermId, TermId, TermId)> {
    let [left, right] = sides.map(|side| operands(store, side, &Op::BvMul));
    let (left, right) = (left?, right?);
    for [a, common] in orders(left) {
        for [b, other] in orders(right) {
            let is_exact = |factor| significant(store, factor) + significant(store, common) <= u64::from(most);
            if common == other && is_exact(a) && is_exact(b) {
                return Some((a, b, common));
            }
        }
    }
    None
}

/// How many low bits can be other than 0, as far as the term's operator tells.
fn significant(store: &Store, term: TermId) -> u64 {
    let node = store.node(term);
    match &node.op {
        Op::BitVecConst(value) => value.bits(),
        Op::ZeroExtend(_) => u64::from(width(store, node.args[0])),
        _ => u64::from(width(store, term)),
    }
}

fn is_nothing(store: &mut Store, term: TermId) -> TermId {
    let zero = store.bv_const(width(store, term), 0u8);
    store.mk(Op::Eq, &[term, zero])
}

/// The encoding of x is a literal: x is the float that it encodes, or never where it encodes a NaN that is not the
/// canonical one.
fn equal_encoding(store: &mut Store, term: TermId) -> Option<TermId> {
    let [literal, other] = literal_first(store, operands(store, term, &Op::Eq)?)?;
    let argument = operand(store, other, &Op::FpToBits)?;
    let Sort::Float(format) = *store.sort(argument) else { return None };
    if format.has_explicit_leading_bit() {
        return None;
    }
    let value = labrys_float::Float::from_bits(format, bits(store, literal)?.clone());
    if value.is_nan() && value.bits() != labrys_float::Float::nan(format).bits() {
        return Some(store.bool_const(false));
    }
    let value = store.float_const(value);
    Some(store.mk(Op::Eq, &[argument, value]))
}

/// a < a is false, a ≤ a true.
fn compare_with_itself(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    let is_strict = matches!(store.node(term).op, Op::BvUlt | Op::BvSlt);
    (a == b).then(|| store.bool_const(!is_strict))
}

/// The least and the greatest number of an order.
fn extremes(op: &Op, width: u32) -> [BigUint; 2] {
    if matches!(op, Op::BvUlt | Op::BvUle) {
        [BigUint::zero(), ones(width)]
    } else {
        [BigUint::one() << (width - 1), ones(width - 1)]
    }
}

/// Nothing is below the least number or above the greatest one; what is not above the least one is that.
fn compare_with_extremes(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    let op = store.node(term).op.clone();
    let [least, greatest] = extremes(&op, width(store, a));
    let is = |term: TermId, value: &BigUint| bits(store, term) == Some(value);
    let is_strict = matches!(op, Op::BvUlt | Op::BvSlt);
    if is_strict && (is(a, &greatest) || is(b, &least)) {
        return Some(store.bool_const(false));
    }
    if !is_strict && (is(a, &least) || is(b, &greatest)) {
        return Some(store.bool_const(true));
    }
    if is(a, &least) || is(a, &greatest) || is(b, &least) || is(b, &greatest) {
        let equal = store.mk(Op::Eq, &[a, b]);
        return Some(if is_strict { store.not(equal) } else { equal });
    }
    None
}

/// Extensions keep order: zero-extended numbers compare unsigned, in both orders; sign-extended ones as before, in both
/// orders (as unsigned numbers, negative ones are the greatest either way).
fn compare_extensions(store: &mut Store, term: TermId) -> Option<TermId> {
    let sides = pair(store, term)?;
    let op = store.node(term).op.clone();
    let [left, right] = sides.map(|side| store.node(side));
    let unsigned = if matches!(op, Op::BvUlt | Op::BvSlt) { Op::BvUlt } else { Op::BvUle };
    match (&left.op, &right.op) {
        (Op::ZeroExtend(a), Op::ZeroExtend(b)) if a == b && *a > 0 => {
            let args = [left.args[0], right.args[0]];
            Some(store.mk(unsigned, &args))
        }
        (Op::SignExtend(a), Op::SignExtend(b)) if a == b => {
            let args = [left.args[0], right.args[0]];
            Some(store.mk(op, &args))
        }
        _ => {
            let position = sides.iter().position(|&side| bits(store, side).is_some())?;
            let other = store.node(sides[1 - position]);
            let Op::ZeroExtend(by) = other.op else { return None };
            let (arg, literal) = (other.args[0], sides[position]);
            let (below, value) = (width(store, arg), bits(store, literal)?.clone());
            if by == 0 || (matches!(op, Op::BvSlt | Op::BvSle) && value.bit(u64::from(below + by) - 1)) {
                return None;
            }
            if value > ones(below) {
                // The literal is above everything that fits below.
                return Some(store.bool_const(position == 1));
            }
            let narrow = store.bv_const(below, value);
            let args = if position == 0 { [narrow, arg] } else { [arg, narrow] };
            Some(store.mk(unsigned, &args))
        }
    }
}
