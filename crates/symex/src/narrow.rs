//! Operations on integers of more than 128 bits of which few matter, in as few bits as do: products as circuits grow with the square of their width, and
//! facts about words decide comparisons.
//!
//! **Argument.** A term is a signed number of n bits where its bits from n − 1 on are alike. The sum or difference of such numbers of n and m bits is one of
//! max(n, m) + 1, the product one of n + m, and a number of n bits times 2^k one of n + k; so the lowest bits of the operands give the lowest bits of the result, of
//! which the others are copies of the highest. Extension by the sign keeps the order of both signed and unsigned numbers. A number that needs
//! more than n bits is greater than all of n bits, or less, and as an unsigned one it lies above those that are not negative and below the others.

use labrys_program::{IntBinary, IntPredicate};
use labrys_term::{Op, Sort, Store, TermId};
use num_traits::ToPrimitive;

use crate::int_terms::{binary_op, part_of};

/// How deep terms are looked into.
const DEPTH: u32 = 8;

/// A comparison in fewer bits.
pub(crate) enum Compared {
    /// It holds of all values, or of none.
    Decided(bool),
    /// It is the same comparison of these.
    Parts((TermId, TermId)),
}

fn width(store: &Store, term: TermId) -> u32 {
    match store.sort(term) {
        Sort::BitVec(width) => *width,
        _ => 1,
    }
}

/// So many bits that a BitVec term is a signed number of so many.
fn signed_width(store: &Store, term: TermId, depth: u32) -> u32 {
    let (node, bits) = (store.node(term), width(store, term));
    let of = |i: usize| signed_width(store, node.args[i], depth - 1);
    let found = match &node.op {
        Op::BitVecConst(value) if value.bit(u64::from(bits) - 1) => {
            let leading = (0..bits).rev().take_while(|place| value.bit((*place).into())).count() as u32;
            bits - leading + 1
        }
        Op::BitVecConst(value) => value.bits() as u32 + 1,
        _ if depth == 0 => bits,
        Op::SignExtend(_) => of(0),
        Op::ZeroExtend(by) => bits - by + 1,
        Op::Ite => of(1).max(of(2)),
        Op::BvAnd | Op::BvOr | Op::BvXor => of(0).max(of(1)),
        _ => bits,
    };
    found.min(bits)
}

/// `a op b` of more than 128 bits as the extension of an operation on fewer; `None` where there is none.
pub(crate) fn binary(store: &mut Store, op: IntBinary, a: TermId, b: TermId) -> Option<TermId> {
    let bits = width(store, a);
    let (n, m) = (signed_width(store, a, DEPTH), signed_width(store, b, DEPTH));
    let few = match op {
        IntBinary::Add | IntBinary::Sub => n.max(m) + 1,
        IntBinary::Mul => n + m,
        IntBinary::Shl => {
            let Op::BitVecConst(by) = &store.node(b).op else { return None };
            // The number of places must be one in fewer bits, too.
            n.checked_add(by.to_u32()?)?.max(m)
        }
        _ => return None,
    };
    // Of one bit a term would be a Bool.
    let few = few.max(2);
    if few >= bits {
        return None;
    }
    let operands = [a, b].map(|operand| part_of(store, operand, few - 1, 0));
    let result = store.mk(binary_op(op), &operands);
    Some(store.mk(Op::SignExtend(bits - few), &[result]))
}

/// A comparison of two terms of more than 128 bits.
pub(crate) fn compared(store: &mut Store, predicate: IntPredicate, a: TermId, b: TermId) -> Compared {
    let bits = width(store, a);
    let (n, m) = (signed_width(store, a, DEPTH), signed_width(store, b, DEPTH));
    for (constant, own, other, is_first) in [(a, n, m, true), (b, m, n, false)] {
        if let Op::BitVecConst(value) = &store.node(constant).op
            && own > other
        {
            let is_negative = value.bit(u64::from(bits) - 1);
            match beyond(predicate, is_negative, is_first) {
                Some(holds) => return Compared::Decided(holds),
                None => break,
            }
        }
    }
    let few = n.max(m).max(2);
    if few >= bits {
        return Compared::Parts((a, b));
    }
    let [x, y] = [a, b].map(|operand| part_of(store, operand, few - 1, 0));
    Compared::Parts((x, y))
}

/// Whether a comparison holds with a constant beyond all values of the other operand; of unsigned numbers that hangs on the other's sign.
fn beyond(predicate: IntPredicate, is_negative: bool, is_first: bool) -> Option<bool> {
    // Whether the first operand is the less.
    let is_less = is_negative == is_first;
    match predicate {
        IntPredicate::Eq => Some(false),
        IntPredicate::Ne => Some(true),
        IntPredicate::Slt | IntPredicate::Sle => Some(is_less),
        IntPredicate::Sgt | IntPredicate::Sge => Some(!is_less),
        IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge => None,
    }
}
