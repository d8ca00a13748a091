//! Bits of memory that was never written, where masks tell them from others: bit-fields.
//!
//! The machine marks a whole scalar undefined. `x.a = 1` reads the word of a bit-field, masks the field out and puts the new
//! bits in; the other bits stay undefined, and must not make the field so. So a mask of an undefined integer gives a variable of
//! its own, which stands for bits of any value; a term that contains one is undefined, once masks and shifts have dropped
//! what they remove.

use labrys_interp::{Int, IntOperation, evaluate};
use labrys_program::IntBinary;
use labrys_symex::int_facts::many_possible_ones;
use labrys_symex::int_terms;
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashSet;

/// The variables that stand for undefined bits.
#[derive(Debug, Default)]
pub(super) struct Undefined {
    variables: FxHashSet<TermId>,
    /// Terms that are known to contain none of them.
    clean: FxHashSet<TermId>,
}

impl Undefined {
    /// An integer of undefined bits.
    pub(super) fn integer(&mut self, store: &mut Store, bits: u32) -> Int<TermId> {
        let sort = if bits == 1 { Sort::Bool } else { Sort::BitVec(bits) };
        let variable = store.variable(&format!("undefined#{}:{bits}", self.variables.len()), sort);
        self.variables.insert(variable);
        Int::symbolic(bits, variable)
    }

    /// Whether one of the variables occurs in a term.
    pub(super) fn is_in(&mut self, store: &Store, term: TermId) -> bool {
        if self.variables.is_empty() {
            return false;
        }
        let mut pending = vec![term];
        let mut seen = Vec::new();
        while let Some(term) = pending.pop() {
            if self.variables.contains(&term) {
                seen.iter().for_each(|term| {
                    self.clean.remove(term);
                });
                return true;
            }
            if store.has_variables(term) && self.clean.insert(term) {
                seen.push(term);
                pending.extend_from_slice(&store.node(term).args);
            }
        }
        false
    }
}

/// Parts of the longest disjunction that is looked into. Longer ones are no bit-fields.
const MAX_PARTS: usize = 64;

/// The parts of a disjunction, itself if it is none; `None` for too many.
fn parts(store: &Store, term: TermId) -> Option<Vec<TermId>> {
    let mut parts = Vec::new();
    let mut pending = vec![term];
    while let Some(part) = pending.pop() {
        let node = store.node(part);
        match node.op {
            Op::BvOr => pending.extend(node.args.iter().rev().copied()),
            _ => parts.push(part),
        }
        if parts.len() + pending.len() > MAX_PARTS {
            return None;
        }
    }
    Some(parts)
}

fn disjunction(store: &mut Store, bits: u32, parts: impl IntoIterator<Item = Int<TermId>>) -> Int<TermId> {
    let or = IntOperation::Binary(IntBinary::Or);
    parts.into_iter().fold(Int::new(bits, 0), |left, part| {
        if left.is(0) {
            return part;
        }
        if part.is(0) {
            return left;
        }
        let both = [left, part];
        evaluate(or, &both).unwrap_or_else(|| int_terms::operation(store, or, &both))
    })
}

/// The operation with a mask drawn into a disjunction, or without the parts of one that a shift or cut removes; `None` where
/// the operation is another one.
pub(super) fn masked(store: &mut Store, operation: IntOperation, operands: &[Int<TermId>]) -> Option<Int<TermId>> {
    let whole = match (operation, operands) {
        (IntOperation::Binary(IntBinary::And), [a, b]) => {
            if a.is_known() {
                b
            } else {
                a
            }
        }
        (IntOperation::Extract { .. }, [whole]) => whole,
        (IntOperation::Binary(IntBinary::LShr | IntBinary::AShr | IntBinary::Shl), [whole, _]) => whole,
        _ => return None,
    };
    let term = *whole.symbol()?;
    if !matches!(store.node(term).op, Op::Concat | Op::BvLshr | Op::BvOr) {
        return None;
    }
    let kept = kept_bits(operation, operands)?;
    let (op, args) = (store.node(term).op.clone(), store.node(term).args.clone());
    if let (IntOperation::Extract { high, low }, Op::Concat, &[left, right]) = (operation, &op, args.as_slice()) {
        return bytes_of_two(store, [left, right], high, low);
    }
    if let (IntOperation::Binary(IntBinary::LShr), Op::Concat, &[left, right]) = (operation, &op, args.as_slice()) {
        let by = places(operands.get(1)?, whole.bits()).filter(|by| *by > 0)?;
        let upper = bytes_of_two(store, [left, right], whole.bits() - 1, by)?;
        let both = [Int::new(by, 0), upper];
        let shifted = evaluate(IntOperation::Concat, &both);
        return Some(shifted.unwrap_or_else(|| int_terms::operation(store, IntOperation::Concat, &both)));
    }
    if let (IntOperation::Binary(IntBinary::And), Op::BvLshr, &[inner, by]) = (operation, &op, args.as_slice())
        && store.node(inner).op == Op::BvOr
        && let Some(by) = places(&int_terms::as_int(store, whole.bits(), by), whole.bits())
    {
        // (x >> k) & m is (x & m << k) >> k.
        let moved = [int_terms::as_int(store, whole.bits(), inner), Int::number(whole.bits(), kept << by)];
        let shift = IntOperation::Binary(IntBinary::LShr);
        let shifted = [masked(store, operation, &moved)?, Int::new(whole.bits(), by.into())];
        return Some(evaluate(shift, &shifted).unwrap_or_else(|| int_terms::operation(store, shift, &shifted)));
    }
    let parts = parts(store, term).filter(|parts| parts.len() > 1)?;
    if operation == IntOperation::Binary(IntBinary::And) {
        let masked: Vec<Int<TermId>> =
            parts.iter().map(|&part| masked_part(store, whole.bits(), part, kept.clone())).collect();
        return Some(disjunction(store, whole.bits(), masked));
    }
    if operation == IntOperation::Binary(IntBinary::Shl) {
        let mut shifted = Vec::with_capacity(parts.len());
        for part in parts {
            if !(many_possible_ones(store, part) & &kept).is_zero() {
                let pair = [int_terms::as_int(store, whole.bits(), part), operands.get(1)?.clone()];
                let known = evaluate(operation, &pair);
                shifted.push(known.unwrap_or_else(|| int_terms::operation(store, operation, &pair)));
            }
        }
        return Some(disjunction(store, whole.bits(), shifted));
    }
    let count = parts.len();
    let left: Vec<TermId> =
        parts.into_iter().filter(|&part| !(many_possible_ones(store, part) & &kept).is_zero()).collect();
    if left.len() == count {
        return None;
    }
    let left: Vec<Int<TermId>> = left.into_iter().map(|part| int_terms::as_int(store, whole.bits(), part)).collect();
    let mut fewer = operands.to_vec();
    fewer[0] = disjunction(store, whole.bits(), left);
    Some(evaluate(operation, &fewer).unwrap_or_else(|| int_terms::operation(store, operation, &fewer)))
}

/// Some bytes of two integers beside each other, of which each may be such two: a member of a struct that came in a register. The highest may be one
/// in part, as `_BitInt(100)` is extended to a register's bits by what was never written. `None` where bytes are not whole.
fn bytes_of_two(store: &mut Store, [left, right]: [TermId; 2], high: u32, low: u32) -> Option<Int<TermId>> {
    let [left_width, right_width] = [left, right].map(|term| match store.sort(term) {
        Sort::BitVec(bits) => *bits,
        _ => 1,
    });
    if [left_width, right_width, low].iter().any(|bits| bits % 8 != 0) {
        return None;
    }
    // Each level is of fewer bytes of a register.
    let mut bytes = |term, bits, high: u32, low: u32| {
        let whole = int_terms::as_int(store, bits, term);
        if high - low + 1 == bits {
            return whole;
        }
        let (extract, operands) = (IntOperation::Extract { high, low }, [whole]);
        evaluate(extract, &operands)
            .or_else(|| masked(store, extract, &operands))
            .unwrap_or_else(|| int_terms::operation(store, extract, &operands))
    };
    if low >= right_width {
        return Some(bytes(left, left_width, high - right_width, low - right_width));
    }
    if high < right_width {
        return Some(bytes(right, right_width, high, low));
    }
    let both = [bytes(left, left_width, high - right_width, 0), bytes(right, right_width, right_width - 1, low)];
    let joined = evaluate(IntOperation::Concat, &both);
    Some(joined.unwrap_or_else(|| int_terms::operation(store, IntOperation::Concat, &both)))
}

/// A part with a mask, which is joined with one that it has.
fn masked_part(store: &mut Store, bits: u32, part: TermId, mask: BigUint) -> Int<TermId> {
    let (mut inner, mut mask) = (int_terms::as_int(store, bits, part), mask);
    let node = store.node(part);
    if let (Op::BvAnd, &[a, b]) = (&node.op, node.args.as_slice()) {
        let (x, y) = (int_terms::as_int(store, bits, a), int_terms::as_int(store, bits, b));
        match (x.known_number(), y.known_number()) {
            (None, Some(own)) => (inner, mask) = (x, mask & own.as_ref()),
            (Some(own), None) => (inner, mask) = (y, mask & own.as_ref()),
            _ => {}
        }
    }
    let and = IntOperation::Binary(IntBinary::And);
    if inner.symbol().is_some_and(|&symbol| (many_possible_ones(store, symbol) & &mask).is_zero()) {
        return Int::new(bits, 0);
    }
    let operands = [inner, Int::number(bits, mask)];
    evaluate(and, &operands).unwrap_or_else(|| int_terms::operation(store, and, &operands))
}

/// The bits of an operand that a mask, a cut or a shift does not drop; `None` where that is not known.
fn kept_bits(operation: IntOperation, operands: &[Int<TermId>]) -> Option<BigUint> {
    let ones = |bits: u32| (BigUint::one() << bits) - 1u8;
    match (operation, operands) {
        (IntOperation::Binary(IntBinary::And), [a, b]) => {
            a.known_number().or_else(|| b.known_number()).map(|mask| mask.into_owned())
        }
        (IntOperation::Extract { high, low }, [_]) => Some(ones(high - low + 1) << low),
        (IntOperation::Binary(shift), [whole, by]) => {
            let by = places(by, whole.bits())?;
            let left = ones(whole.bits() - by);
            Some(if shift == IntBinary::Shl { left } else { left << by })
        }
        _ => None,
    }
}

/// A number of places that is known and below a width.
fn places(by: &Int<TermId>, width: u32) -> Option<u32> {
    by.known_number()?.to_u32().filter(|by| *by < width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_drops_the_undefined_part() {
        let mut store = Store::new();
        let mut undefined = Undefined::default();
        let junk = undefined.integer(&mut store, 8);
        let field = Int::symbolic(8, store.variable("field", Sort::BitVec(8)));
        let and = IntOperation::Binary(IntBinary::And);
        let high = int_terms::operation(&mut store, and, &[junk, Int::new(8, 0xf8)]);
        let low = int_terms::operation(&mut store, and, &[field, Int::new(8, 7)]);
        let word = int_terms::operation(&mut store, IntOperation::Binary(IntBinary::Or), &[high, low.clone()]);
        assert!(undefined.is_in(&store, *word.symbol().unwrap()));
        assert_eq!(masked(&mut store, and, &[word.clone(), Int::new(8, 7)]), Some(low.clone()));
        assert!(!undefined.is_in(&store, *low.symbol().unwrap()));
        // Another field is put in, and the first one read behind it.
        let without = masked(&mut store, and, &[word.clone(), Int::new(8, 0xe7)]).unwrap();
        let both = int_terms::operation(&mut store, IntOperation::Binary(IntBinary::Or), &[without, Int::new(8, 0x10)]);
        assert_eq!(masked(&mut store, and, &[both.clone(), Int::new(8, 7)]), Some(low));
        let shift = IntOperation::Binary(IntBinary::LShr);
        let high = masked(&mut store, shift, &[both, Int::new(8, 3)]).unwrap();
        assert!(undefined.is_in(&store, *high.symbol().unwrap()));
    }

    /// What a `_BitInt(100)` comes back as: thirteen bytes that were written below three that were not, of which 100 bits are read.
    #[test]
    fn a_cut_drops_the_undefined_bytes_above() {
        let mut store = Store::new();
        let mut undefined = Undefined::default();
        let junk = undefined.integer(&mut store, 24);
        for value in [Int::new(104, 77), Int::symbolic(104, store.variable("value", Sort::BitVec(104)))] {
            let whole = int_terms::operation(&mut store, IntOperation::Concat, &[junk.clone(), value.clone()]);
            let cut = IntOperation::Extract { high: 99, low: 0 };
            let part = masked(&mut store, cut, &[whole]).unwrap();
            let expected = evaluate(cut, std::slice::from_ref(&value));
            assert_eq!(part, expected.unwrap_or_else(|| int_terms::operation(&mut store, cut, &[value])));
        }
    }
}
