//! Choices by comparisons of a vector with literals, where it is known to be equal to one.
//!
//! An array that is written at a place which is not known has in each element a choice, by whether that is the element's place; what is read there is a choice by where the place is. Where an
//! element is counted up (`count[i]++`), it is the old one plus one once the choices in what was read are decided by the choice that they are behind; then it is known by how much
//! the new element and the old one differ.
//!
//! **Claim.** The terms have the values of the given ones. **Argument.** A choice's first branch counts only where the vector is the literal, and compares as it does there.

use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashMap;

use crate::integers::literal;

/// Steps in all; what is beyond stays as it is.
const MOST_STEPS: usize = 1 << 16;

/// Operations between a choice and those that are decided by it.
const DEPTH: u32 = 4;

/// The terms with choices that are decided by those around them.
pub(super) fn resolved(store: &mut Store, assertions: &[TermId]) -> Vec<TermId> {
    let mut left = MOST_STEPS;
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in store.reachable(assertions) {
        let node = store.node(term).clone();
        let args: Vec<TermId> = node.args.iter().map(|arg| done[arg]).collect();
        let mut new = if args[..] == node.args[..] { term } else { store.mk(node.op, &args) };
        let node = store.node(new).clone();
        if let (Op::Ite, &[condition, yes, no]) = (&node.op, &node.args[..])
            && let Some(known) = equality(store, condition)
        {
            let decided = under(store, yes, known, DEPTH, &mut left);
            if decided != yes {
                new = store.mk(Op::Ite, &[condition, decided, no]);
            }
        }
        done.insert(term, new);
    }
    assertions.iter().map(|assertion| done[assertion]).collect()
}

/// The vector and the literal of an equality.
fn equality(store: &Store, condition: TermId) -> Option<(TermId, TermId)> {
    let node = store.node(condition);
    let (Op::Eq, &[a, b]) = (&node.op, &node.args[..]) else { return None };
    let is_literal = |term: TermId| matches!(store.node(term).op, Op::BitVecConst(_));
    match (is_literal(a), is_literal(b)) {
        (false, true) => Some((a, b)),
        (true, false) => Some((b, a)),
        _ => None,
    }
}

/// Whether a vector that is a literal is equal to another literal, or less.
fn holds(store: &Store, condition: TermId, (vector, is): (TermId, TermId)) -> Option<bool> {
    let node = store.node(condition);
    let &[a, b] = &node.args[..] else { return None };
    if a != vector && b != vector {
        return None;
    }
    let value = |term: TermId| literal(store, if term == vector { is } else { term });
    let ((a, signed_a), (b, signed_b)) = (value(a)?, value(b)?);
    match node.op {
        Op::Eq => Some(a == b),
        Op::BvUlt => Some(a < b),
        Op::BvUle => Some(a <= b),
        Op::BvSlt => Some(signed_a < signed_b),
        Op::BvSle => Some(signed_a <= signed_b),
        _ => None,
    }
}

/// A term where a vector is a literal.
fn under(store: &mut Store, mut term: TermId, known: (TermId, TermId), depth: u32, left: &mut usize) -> TermId {
    loop {
        if *left == 0 {
            return term;
        }
        *left -= 1;
        let node = store.node(term);
        let (Op::Ite, &[condition, yes, no]) = (&node.op, &node.args[..]) else { break };
        match holds(store, condition, known) {
            Some(true) => term = yes,
            Some(false) => term = no,
            None => return term,
        }
    }
    let node = store.node(term).clone();
    let is_passed = matches!(
        node.op,
        Op::BvAdd | Op::BvSub | Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Extract { .. } | Op::FpAdd | Op::FpSub
    );
    if depth == 0 || !is_passed {
        return term;
    }
    let args: Vec<TermId> = node.args.iter().map(|arg| under(store, *arg, known, depth - 1, left)).collect();
    if args[..] == node.args[..] { term } else { store.mk(node.op, &args) }
}
