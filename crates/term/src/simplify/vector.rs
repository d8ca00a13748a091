//! Rules of bit-vector terms. All arithmetic is modulo 2^w, so that the laws of commutative rings hold.

use num_bigint::BigUint;
use num_traits::{One, Zero};
use smallvec::SmallVec;

use super::choice::fold_into_choice;
use super::rule::Rule;
use super::shape::{
    bits, branches, commute, constant_fold, is_one, is_ones, is_zero, literal_first, ones, operand, operands, orders,
    pair, power_of_two, width,
};
use crate::{Op, Store, TermId};

pub(super) const UNARY: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("bv-negation-twice", negation_twice),
    Rule::new("fold-into-choice", fold_into_choice),
];

pub(super) const BITWISE: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("commute", commute),
    Rule::new("bitwise-same", bitwise_same),
    Rule::new("bitwise-units", bitwise_units),
    Rule::new("bitwise-regroup", regroup),
    Rule::new("bitwise-mask", bitwise_mask),
    Rule::new("bitwise-of-choices", bitwise_of_choices),
    Rule::new("fold-into-choice", fold_into_choice),
];

pub(super) const ARITHMETIC: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("commute", commute),
    Rule::new("sub-literal", sub_literal),
    Rule::new("arithmetic-units", arithmetic_units),
    Rule::new("arithmetic-cancel", arithmetic_cancel),
    Rule::new("arithmetic-regroup", regroup),
    Rule::new("multiply-power-of-two", multiply_power_of_two),
    Rule::new("multiply-bit", multiply_bit),
    Rule::new("multiply-choice", multiply_choice),
    Rule::new("fold-into-choice", fold_into_choice),
];

pub(super) const DIVISION: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("divide-units", divide_units),
    Rule::new("divide-power-of-two", divide_power_of_two),
    Rule::new("fold-into-choice", fold_into_choice),
];

pub(super) const SHIFT: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("shift-by-literal", shift_by_literal),
    Rule::new("shift-by-itself", shift_by_itself),
    Rule::new("fold-into-choice", fold_into_choice),
];

pub(super) const SLICE: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("slice-whole", slice_whole),
    Rule::new("extend-twice", extend_twice),
    Rule::new("concat-flatten", concat_flatten),
    Rule::new("concat-neighbours", concat_neighbours),
    Rule::new("concat-zeros", concat_zeros),
    Rule::new("extract-extract", extract_extract),
    Rule::new("extract-concat", extract_concat),
    Rule::new("extract-extension", extract_extension),
    Rule::new("extract-sign-of-float", extract_sign_of_float),
    Rule::new("fold-into-choice", fold_into_choice),
];

/// −−a and ¬¬a are a.
fn negation_twice(store: &mut Store, term: TermId) -> Option<TermId> {
    let op = store.node(term).op.clone();
    let inner = operand(store, term, &op)?;
    operand(store, inner, &op)
}

/// a & a and a | a are a, a ^ a is 0; a & ¬a is 0, a | ¬a and a ^ ¬a are all ones.
fn bitwise_same(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    let width = width(store, term);
    let op = &store.node(term).op;
    if a == b {
        return Some(if *op == Op::BvXor { store.bv_const(width, 0u8) } else { a });
    }
    let are_complements = operand(store, a, &Op::BvNot) == Some(b) || operand(store, b, &Op::BvNot) == Some(a);
    let value = if *op == Op::BvAnd { BigUint::zero() } else { ones(width) };
    are_complements.then(|| store.bv_const(width, value))
}

/// a & 0 is 0, a & 1…1 is a; a | 0 is a, a | 1…1 is 1…1; a ^ 0 is a, a ^ 1…1 is ¬a.
fn bitwise_units(store: &mut Store, term: TermId) -> Option<TermId> {
    let [literal, other] = literal_first(store, pair(store, term)?)?;
    let (zero, ones) = (is_zero(store, literal), is_ones(store, literal));
    match store.node(term).op {
        Op::BvAnd if zero => Some(literal),
        Op::BvAnd if ones => Some(other),
        Op::BvOr if zero => Some(other),
        Op::BvOr if ones => Some(literal),
        Op::BvXor if zero => Some(other),
        Op::BvXor if ones => Some(store.mk(Op::BvNot, &[other])),
        _ => None,
    }
}

/// (a ∘ c) ∘ d is a ∘ (c ∘ d) for literals c, d and associative ∘, which is all of these but subtraction.
fn regroup(store: &mut Store, term: TermId) -> Option<TermId> {
    let op = store.node(term).op.clone();
    if op == Op::BvSub {
        return None;
    }
    let [literal, other] = literal_first(store, pair(store, term)?)?;
    let [inner, a] = literal_first(store, operands(store, other, &op)?)?;
    let both = store.mk(op.clone(), &[inner, literal]);
    Some(store.mk(op, &[a, both]))
}

/// a & 0…01…1 keeps the low bits of a.
fn bitwise_mask(store: &mut Store, term: TermId) -> Option<TermId> {
    let [literal, other] = literal_first(store, operands(store, term, &Op::BvAnd)?)?;
    let mask = bits(store, literal)?;
    let count = mask.count_ones();
    if mask.is_zero() || *mask != (BigUint::one() << count) - 1u8 {
        return None;
    }
    let (count, width) = (u32::try_from(count).ok()?, width(store, term));
    let low = store.mk(Op::Extract { high: count - 1, low: 0 }, &[other]);
    Some(store.mk(Op::ZeroExtend(width - count), &[low]))
}

/// Bits that stand for truth values are combined as truth values: ite(p, 1, 0) & ite(q, 1, 0) is ite(p ∧ q, 1, 0).
fn bitwise_of_choices(store: &mut Store, term: TermId) -> Option<TermId> {
    if width(store, term) != 1 {
        return None;
    }
    let [a, b] = pair(store, term)?;
    let (p, q) = (truth(store, a)?, truth(store, b)?);
    let both = match store.node(term).op {
        Op::BvAnd => store.and(&[p, q]),
        Op::BvOr => store.or(&[p, q]),
        Op::BvXor => store.mk(Op::Xor, &[p, q]),
        _ => return None,
    };
    let (one, zero) = (store.bv_const(1, 1u8), store.bv_const(1, 0u8));
    Some(store.mk(Op::Ite, &[both, one, zero]))
}

/// The truth value that a bit stands for: p of ite(p, 1, 0) and ¬p of ite(p, 0, 1).
fn truth(store: &mut Store, bit: TermId) -> Option<TermId> {
    let [condition, yes, no] = branches(store, bit)?;
    if is_one(store, yes) && is_zero(store, no) {
        Some(condition)
    } else if is_zero(store, yes) && is_one(store, no) {
        Some(store.not(condition))
    } else {
        None
    }
}

/// a − c is a + (−c) for a literal c.
fn sub_literal(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = operands(store, term, &Op::BvSub)?;
    bits(store, b)?;
    let negated = store.mk(Op::BvNeg, &[b]);
    Some(store.mk(Op::BvAdd, &[a, negated]))
}

/// a + 0, a·1 are a; a·0 is 0, a·(−1) is −a; 0 − a is −a.
fn arithmetic_units(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    if store.node(term).op == Op::BvSub {
        return is_zero(store, a).then(|| store.mk(Op::BvNeg, &[b]));
    }
    let [literal, other] = literal_first(store, [a, b])?;
    let (zero, one, ones) = (is_zero(store, literal), is_one(store, literal), is_ones(store, literal));
    match store.node(term).op {
        Op::BvAdd if zero => Some(other),
        Op::BvMul if zero => Some(literal),
        Op::BvMul if one => Some(other),
        Op::BvMul if ones => Some(store.mk(Op::BvNeg, &[other])),
        _ => None,
    }
}

/// What cancels: a − a, a + (−a), a + ¬a, (a + b) − a, (a − b) + b, a − (−b).
fn arithmetic_cancel(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    let width = width(store, term);
    match store.node(term).op {
        Op::BvSub => {
            if a == b {
                return Some(store.bv_const(width, 0u8));
            }
            if let Some(negated) = operand(store, b, &Op::BvNeg) {
                return Some(store.mk(Op::BvAdd, &[a, negated]));
            }
            let [c, d] = operands(store, a, &Op::BvAdd)?;
            if c == b { Some(d) } else { (d == b).then_some(c) }
        }
        Op::BvAdd => {
            for [a, b] in orders([a, b]) {
                if operand(store, a, &Op::BvNeg) == Some(b) {
                    return Some(store.bv_const(width, 0u8));
                }
                if operand(store, a, &Op::BvNot) == Some(b) {
                    return Some(store.bv_const(width, ones(width)));
                }
                if let Some([c, d]) = operands(store, a, &Op::BvSub)
                    && d == b
                {
                    return Some(c);
                }
            }
            None
        }
        _ => None,
    }
}

/// a·2^k is a shifted.
fn multiply_power_of_two(store: &mut Store, term: TermId) -> Option<TermId> {
    let [literal, other] = literal_first(store, operands(store, term, &Op::BvMul)?)?;
    let power = power_of_two(store, literal)?;
    let distance = store.bv_const(width(store, term), power);
    Some(store.mk(Op::BvShl, &[other, distance]))
}

/// A factor that is one bit, extended, keeps the other one or nothing: circuits of products do not see that.
fn multiply_bit(store: &mut Store, term: TermId) -> Option<TermId> {
    for [factor, other] in orders(operands(store, term, &Op::BvMul)?) {
        let node = store.node(factor);
        let (op, Some(&bit)) = (node.op.clone(), node.args.first()) else { continue };
        let kept = match op {
            Op::SignExtend(_) => store.mk(Op::BvNeg, &[other]),
            Op::ZeroExtend(_) => other,
            _ => continue,
        };
        if width(store, bit) == 1 {
            let all = store.mk(Op::SignExtend(width(store, term) - 1), &[bit]);
            return Some(store.mk(Op::BvAnd, &[kept, all]));
        }
    }
    None
}

/// a·ite(c, b, d) with b, d of 0, 1 and −1 is ite(c, a·b, a·d), which are no products.
fn multiply_choice(store: &mut Store, term: TermId) -> Option<TermId> {
    for [factor, other] in orders(operands(store, term, &Op::BvMul)?) {
        let Some([condition, yes, no]) = branches(store, factor) else { continue };
        let is_unit = |factor| is_zero(store, factor) || is_one(store, factor) || is_ones(store, factor);
        if is_unit(yes) && is_unit(no) {
            let [yes, no] = [yes, no].map(|unit| store.mk(Op::BvMul, &[other, unit]));
            return Some(store.mk(Op::Ite, &[condition, yes, no]));
        }
    }
    None
}

/// Quotients and remainders of 0, by 1, by −1 and of a by itself. SMT-LIB fixes division by zero: a/0 is all ones, and
/// the remainder a.
fn divide_units(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    let width = width(store, term);
    let op = store.node(term).op.clone();
    let zero = store.bv_const(width, 0u8);
    match op {
        Op::BvUdiv if is_zero(store, b) => Some(store.bv_const(width, ones(width))),
        _ if is_zero(store, b) && op != Op::BvSdiv => Some(a),
        Op::BvUdiv | Op::BvSdiv if is_one(store, b) => Some(a),
        _ if is_one(store, b) => Some(zero),
        Op::BvSdiv if is_ones(store, b) => Some(store.mk(Op::BvNeg, &[a])),
        Op::BvSrem | Op::BvSmod if is_ones(store, b) => Some(zero),
        Op::BvUdiv if a == b => {
            let is_zero = store.mk(Op::Eq, &[a, zero]);
            let (all, one) = (store.bv_const(width, ones(width)), store.bv_const(width, 1u8));
            Some(store.mk(Op::Ite, &[is_zero, all, one]))
        }
        // 0 rem 0 is 0 too.
        Op::BvUrem | Op::BvSrem | Op::BvSmod if a == b || is_zero(store, a) => Some(zero),
        _ => None,
    }
}

/// Unsigned division by 2^k is a shift, its remainder the low bits.
fn divide_power_of_two(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    let power = power_of_two(store, b)?;
    let width = width(store, term);
    match store.node(term).op {
        Op::BvUdiv => {
            let distance = store.bv_const(width, power);
            Some(store.mk(Op::BvLshr, &[a, distance]))
        }
        Op::BvUrem if power > 0 => {
            let low = store.mk(Op::Extract { high: power - 1, low: 0 }, &[a]);
            Some(store.mk(Op::ZeroExtend(width - power), &[low]))
        }
        _ => None,
    }
}

/// Shifts by literals are concatenations and extensions of slices; shifts of 0 are 0.
fn shift_by_literal(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, by] = pair(store, term)?;
    if is_zero(store, a) {
        return Some(a);
    }
    let width = width(store, term);
    let distance = u32::try_from(bits(store, by)?).unwrap_or(u32::MAX);
    if distance == 0 {
        return Some(a);
    }
    let op = store.node(term).op.clone();
    if distance >= width {
        if op != Op::BvAshr {
            return Some(store.bv_const(width, 0u8));
        }
        let sign = store.mk(Op::Extract { high: width - 1, low: width - 1 }, &[a]);
        return Some(store.mk(Op::SignExtend(width - 1), &[sign]));
    }
    match op {
        Op::BvShl => {
            let kept = store.mk(Op::Extract { high: width - 1 - distance, low: 0 }, &[a]);
            let zeros = store.bv_const(distance, 0u8);
            Some(store.mk(Op::Concat, &[kept, zeros]))
        }
        Op::BvLshr | Op::BvAshr => {
            let kept = store.mk(Op::Extract { high: width - 1, low: distance }, &[a]);
            let extension = if op == Op::BvLshr { Op::ZeroExtend(distance) } else { Op::SignExtend(distance) };
            Some(store.mk(extension, &[kept]))
        }
        _ => None,
    }
}

/// A vector shifted to the right by itself is 0, since a < 2^a; or all its sign: negative ones are at least 2^(w−1), which is
/// at least w.
fn shift_by_itself(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, by] = pair(store, term)?;
    let width = width(store, term);
    match store.node(term).op {
        Op::BvLshr if a == by => Some(store.bv_const(width, 0u8)),
        Op::BvAshr if a == by => {
            let sign = store.mk(Op::Extract { high: width - 1, low: width - 1 }, &[a]);
            Some(store.mk(Op::SignExtend(width - 1), &[sign]))
        }
        _ => None,
    }
}

/// A slice of all bits, an extension by none, a concatenation of one.
fn slice_whole(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let [only] = node.args[..] else { return None };
    (node.sort == *store.sort(only)).then_some(only)
}

/// An extension of an extension is one: signs of what is zero-extended are zero.
fn extend_twice(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let inner = store.node(*node.args.first()?);
    let extended = match (&node.op, &inner.op) {
        (Op::ZeroExtend(a), Op::ZeroExtend(b)) => Op::ZeroExtend(a + b),
        (Op::SignExtend(a), Op::SignExtend(b)) => Op::SignExtend(a + b),
        (Op::SignExtend(a), Op::ZeroExtend(b)) if *b > 0 => Op::ZeroExtend(a + b),
        _ => return None,
    };
    let arg = inner.args[0];
    Some(store.mk(extended, &[arg]))
}

/// The longest concatenation that flattening makes.
const MOST_PARTS: usize = 64;

/// (a ∘ b) ∘ c is a ∘ b ∘ c.
fn concat_flatten(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.op != Op::Concat {
        return None;
    }
    let mut flat: SmallVec<[TermId; 8]> = SmallVec::new();
    for &arg in &node.args {
        let inner = store.node(arg);
        if inner.op == Op::Concat { flat.extend_from_slice(&inner.args) } else { flat.push(arg) }
    }
    (flat.len() > node.args.len() && flat.len() <= MOST_PARTS).then(|| store.mk(Op::Concat, &flat))
}

/// Neighbours in a concatenation that are literals, or adjacent slices of one term, are one.
fn concat_neighbours(store: &mut Store, term: TermId) -> Option<TermId> {
    if store.node(term).op != Op::Concat {
        return None;
    }
    let args = store.node(term).args.clone();
    let mut merged: SmallVec<[TermId; 8]> = SmallVec::new();
    for &arg in &args {
        match merged.last().copied().and_then(|last| joined(store, last, arg)) {
            Some(both) => {
                merged.pop();
                merged.push(both);
            }
            None => merged.push(arg),
        }
    }
    (merged.len() < args.len()).then(|| store.mk(Op::Concat, &merged))
}

/// A high part and a low part in one term, if they are literals or adjacent slices.
fn joined(store: &mut Store, high: TermId, low: TermId) -> Option<TermId> {
    if let (Some(left), Some(right)) = (bits(store, high), bits(store, low)) {
        let (low_width, total) = (width(store, low), width(store, high) + width(store, low));
        let value = (left << low_width) | right;
        return Some(store.bv_const(total, value));
    }
    let (left, right) = (store.node(high), store.node(low));
    match (&left.op, &right.op) {
        (&Op::Extract { high: top, low: middle }, &Op::Extract { high: below, low: bottom })
            if left.args == right.args && middle == below + 1 =>
        {
            let arg = left.args[0];
            Some(store.mk(Op::Extract { high: top, low: bottom }, &[arg]))
        }
        _ => None,
    }
}

/// 0…0 ∘ a is a zero-extended.
fn concat_zeros(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.op != Op::Concat || node.args.len() < 2 || !is_zero(store, node.args[0]) {
        return None;
    }
    let (by, rest) = (width(store, node.args[0]), node.args[1..].to_vec());
    let rest = if rest.len() == 1 { rest[0] } else { store.mk(Op::Concat, &rest) };
    Some(store.mk(Op::ZeroExtend(by), &[rest]))
}

/// A slice of a slice is a slice.
fn extract_extract(store: &mut Store, term: TermId) -> Option<TermId> {
    let Op::Extract { high, low } = store.node(term).op else { return None };
    let inner = store.node(store.node(term).args[0]);
    let Op::Extract { low: offset, .. } = inner.op else { return None };
    let arg = inner.args[0];
    Some(store.mk(Op::Extract { high: high + offset, low: low + offset }, &[arg]))
}

/// A slice of a concatenation is one of slices of its parts.
fn extract_concat(store: &mut Store, term: TermId) -> Option<TermId> {
    let Op::Extract { high, low } = store.node(term).op else { return None };
    let inner = store.node(store.node(term).args[0]);
    if inner.op != Op::Concat {
        return None;
    }
    let parts = inner.args.clone();
    let mut slices: Vec<TermId> = Vec::new();
    // The place of the current part's lowest bit.
    let mut bottom = 0;
    for &part in parts.iter().rev() {
        let top = bottom + width(store, part);
        let (from, to) = (low.max(bottom), (high + 1).min(top));
        if from < to {
            slices.push(store.mk(Op::Extract { high: to - 1 - bottom, low: from - bottom }, &[part]));
        }
        bottom = top;
    }
    slices.reverse();
    match slices[..] {
        [one] => Some(one),
        _ => Some(store.mk(Op::Concat, &slices)),
    }
}

/// A slice of an extension: of the term below, of the new bits, or a shorter extension.
fn extract_extension(store: &mut Store, term: TermId) -> Option<TermId> {
    let Op::Extract { high, low } = store.node(term).op else { return None };
    let inner = store.node(store.node(term).args[0]);
    let signed = match inner.op {
        Op::ZeroExtend(_) => false,
        Op::SignExtend(_) => true,
        _ => return None,
    };
    let arg = inner.args[0];
    let below = width(store, arg);
    if high < below {
        return Some(store.mk(Op::Extract { high, low }, &[arg]));
    }
    if low >= below && !signed {
        return Some(store.bv_const(high - low + 1, 0u8));
    }
    let from = low.min(below - 1);
    let kept = store.mk(Op::Extract { high: below - 1, low: from }, &[arg]);
    let by = high - low + 1 - (below - from);
    Some(store.mk(if signed { Op::SignExtend(by) } else { Op::ZeroExtend(by) }, &[kept]))
}

/// The highest bit of a float's encoding is its sign; the one NaN's is 0.
fn extract_sign_of_float(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let Op::Extract { high, low } = node.op else { return None };
    let float = operand(store, node.args[0], &Op::FpToBits)?;
    if high != low || high + 1 != width(store, node.args[0]) {
        return None;
    }
    let is_negative = store.mk(Op::FpIsNegative, &[float]);
    let (one, zero) = (store.bv_const(1, 1u8), store.bv_const(1, 0u8));
    Some(store.mk(Op::Ite, &[is_negative, one, zero]))
}
