//! Choices by comparisons of a vector with literals, where it is known to be equal to one.
//!
//! An array that is written at a place which is not known has in each element a choice, by whether that is the element's place; what is read there is a choice by where the place is. Where an
//! element is counted up (`count[i]++`), it is the old one plus one once the choices in what was read are decided by the choice that they are behind; then it is known by how much
//! the new element and the old one differ.
//!
//! **Claim.** The terms have the values of the given ones, and what is said beside them follows. **Argument.** A choice's first branch counts only where the vector is the literal, and compares as it
//! does there. A vector has one value, so that at most one comparison holds; that none does is refuted.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use labrys_term::{Op, Store, TermId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::integers::literal;
use crate::{FloatOutcome, Limits, Portfolio};

/// Steps in all; what is beyond stays as it is.
const MOST_STEPS: usize = 1 << 16;

/// Operations between a choice and those that are decided by it.
const DEPTH: u32 = 4;

/// Values that a vector is compared with, where it is asked whether it has others; sums of so many ones fit in so many bits.
const LEAST_VALUES: usize = 3;
const MOST_VALUES: usize = 64;
const COUNT_BITS: u32 = 8;

/// The part of the time that these questions may take, and the longest one.
const SHARE: u32 = 8;
const TURN: Duration = Duration::from_millis(300);

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

/// That of the comparisons of a vector with literals at most one holds, and one where no other values are left to it: as a sum of vectors.
/// Preparation makes of these comparisons what it makes of them elsewhere.
pub(super) fn complete(store: &mut Store, terms: &[TermId], solver: &Portfolio, limits: &Limits) -> Vec<TermId> {
    let mut compared: BTreeMap<TermId, Vec<TermId>> = BTreeMap::new();
    for term in store.reachable(terms) {
        let node = store.node(term);
        let (Op::Ite, Some(&condition)) = (&node.op, node.args.first()) else { continue };
        if let Some((vector, _)) = equality(store, condition) {
            let known = compared.entry(vector).or_default();
            if !known.contains(&condition) {
                known.push(condition);
            }
        }
    }
    let begun = Instant::now();
    let mut said = Vec::new();
    for (vector, conditions) in compared {
        let left = (limits.wall / SHARE).saturating_sub(begun.elapsed());
        if !(LEAST_VALUES..=MOST_VALUES).contains(&conditions.len()) || left.is_zero() {
            continue;
        }
        let variables: FxHashSet<VariableId> = store.free_variables(&[vector]).into_iter().collect();
        let is_about = |term: &TermId| {
            let of_term = store.free_variables(&[*term]);
            !of_term.is_empty() && of_term.iter().all(|variable| variables.contains(variable))
        };
        let mut query: Vec<TermId> = terms.iter().copied().filter(is_about).collect();
        query.extend(conditions.iter().map(|condition| store.not(*condition)));
        let limits = Limits { wall: left.min(TURN), ..*limits };
        let has_no_other = matches!(solver.decide(store, &query, &limits).outcome, FloatOutcome::Unsat(_));
        let [zero, one] = [0u32, 1].map(|bit| store.bv_const(COUNT_BITS, bit));
        let ones: Vec<TermId> =
            conditions.into_iter().map(|condition| store.mk(Op::Ite, &[condition, one, zero])).collect();
        let sum = ones.into_iter().reduce(|sum, next| store.mk(Op::BvAdd, &[sum, next])).unwrap_or(one);
        said.push(store.mk(if has_no_other { Op::Eq } else { Op::BvUle }, &[sum, one]));
    }
    said
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
