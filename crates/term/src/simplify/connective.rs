//! Rules of the Core theory's connectives and of equality.

use rustc_hash::FxHashSet;

use super::rule::Rule;
use super::shape::{bool_value, branches, commute, constant_fold, is_literal, operand, operands, orders, pair};
use crate::{Op, Store, TermId};

pub(super) const NOT: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("not-not", not_not),
    Rule::new("not-comparison", not_comparison),
];

pub(super) const CONNECTIVE: &[Rule] = &[
    Rule::new("connective-units", connective_units),
    Rule::new("connective-flatten", connective_flatten),
    Rule::new("connective-order", connective_order),
    Rule::new("connective-complement", connective_complement),
    Rule::new("connective-absorption", connective_absorption),
];

pub(super) const OTHER: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("implication-as-disjunction", implication_as_disjunction),
    Rule::new("xor-as-equality", xor_as_equality),
];

pub(super) const EQUAL: &[Rule] = &[
    Rule::new("equal-to-itself", equal_to_itself),
    Rule::new("equal-to-truth", equal_to_truth),
    Rule::new("commute", commute),
    Rule::new("equal-negations", equal_negations),
    Rule::new("equal-to-branch", equal_to_branch),
];

pub(super) const EQUAL_ANY: &[Rule] = &[
    Rule::new("constant-fold", constant_fold),
    Rule::new("equal-to-itself", equal_to_itself),
    Rule::new("commute", commute),
    Rule::new("equal-to-branch", equal_to_branch),
];

/// ¬¬p is p.
fn not_not(store: &mut Store, term: TermId) -> Option<TermId> {
    let inner = operand(store, term, &Op::Not)?;
    operand(store, inner, &Op::Not)
}

/// ¬(a < b) is b ≤ a, over the reals and bit vectors: their orders are total (floats' is not).
fn not_comparison(store: &mut Store, term: TermId) -> Option<TermId> {
    let inner = operand(store, term, &Op::Not)?;
    let node = store.node(inner);
    let op = match node.op {
        Op::RealLt => Op::RealLe,
        Op::RealLe => Op::RealLt,
        Op::BvUlt => Op::BvUle,
        Op::BvUle => Op::BvUlt,
        Op::BvSlt => Op::BvSle,
        Op::BvSle => Op::BvSlt,
        _ => return None,
    };
    let (a, b) = (node.args[0], node.args[1]);
    Some(store.mk(op, &[b, a]))
}

/// Whether a term is a conjunction or disjunction; then the truth value that decides it, false or true.
fn absorbing(store: &Store, term: TermId) -> Option<bool> {
    match store.node(term).op {
        Op::And => Some(false),
        Op::Or => Some(true),
        _ => None,
    }
}

/// The same connective over other arguments.
fn connect(store: &mut Store, absorbing: bool, args: &[TermId]) -> TermId {
    if absorbing { store.or(args) } else { store.and(args) }
}

/// p ∧ true is p, p ∧ false is false, and so for ∨; a connective of one argument is that.
fn connective_units(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let args = &store.node(term).args;
    if args.iter().any(|&arg| bool_value(store, arg) == Some(absorbing)) {
        return Some(store.bool_const(absorbing));
    }
    let kept: Vec<TermId> = args.iter().copied().filter(|&arg| bool_value(store, arg).is_none()).collect();
    (kept.len() < args.len() || args.len() == 1).then(|| connect(store, absorbing, &kept))
}

/// The longest connective that flattening makes: shared conjunctions could otherwise grow without bound.
const MOST_ARGUMENTS: usize = 256;

/// (p ∧ q) ∧ r is p ∧ q ∧ r, and so for ∨.
fn connective_flatten(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let node = store.node(term);
    let mut flat = Vec::new();
    for &arg in &node.args {
        let inner = store.node(arg);
        if inner.op == node.op {
            flat.extend_from_slice(&inner.args)
        } else {
            flat.push(arg)
        }
        if flat.len() > MOST_ARGUMENTS {
            return None;
        }
    }
    (flat.len() > node.args.len()).then(|| connect(store, absorbing, &flat))
}

/// Arguments in order, each once: p ∧ p is p, q ∧ p is p ∧ q, and so for ∨.
fn connective_order(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let args = &store.node(term).args;
    if args.windows(2).all(|pair| pair[0] < pair[1]) {
        return None;
    }
    let mut ordered = args.to_vec();
    ordered.sort_unstable();
    ordered.dedup();
    Some(connect(store, absorbing, &ordered))
}

/// p ∧ ¬p is false, p ∨ ¬p is true.
fn connective_complement(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let args = &store.node(term).args;
    let all: FxHashSet<TermId> = args.iter().copied().collect();
    let clash = args.iter().any(|&arg| operand(store, arg, &Op::Not).is_some_and(|inner| all.contains(&inner)));
    clash.then(|| store.bool_const(absorbing))
}

/// p ∧ (p ∨ q) is p, p ∧ (¬p ∨ q) is p ∧ q, and so with ∧ and ∨ exchanged: beside p, p is true (beside ∨, false).
fn connective_absorption(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let dual = if absorbing { Op::And } else { Op::Or };
    let args = store.node(term).args.clone();
    if !args.iter().any(|&arg| store.node(arg).op == dual) {
        return None;
    }
    let all: FxHashSet<TermId> = args.iter().copied().collect();
    let negated: FxHashSet<TermId> = args.iter().filter_map(|&arg| operand(store, arg, &Op::Not)).collect();
    let mut kept = Vec::with_capacity(args.len());
    let mut changed = false;
    for &arg in &args {
        if store.node(arg).op != dual {
            kept.push(arg);
            continue;
        }
        let parts = store.node(arg).args.clone();
        if parts.iter().any(|part| all.contains(part)) {
            changed = true;
            continue;
        }
        let is_refuted = |&part: &TermId| {
            negated.contains(&part) || operand(store, part, &Op::Not).is_some_and(|inner| all.contains(&inner))
        };
        let rest: Vec<TermId> = parts.iter().copied().filter(|part| !is_refuted(part)).collect();
        changed |= rest.len() < parts.len();
        kept.push(if rest.len() < parts.len() { connect(store, !absorbing, &rest) } else { arg });
    }
    changed.then(|| connect(store, absorbing, &kept))
}

/// p → q is ¬p ∨ q.
fn implication_as_disjunction(store: &mut Store, term: TermId) -> Option<TermId> {
    let [premise, conclusion] = operands(store, term, &Op::Implies)?;
    let negated = store.not(premise);
    Some(store.or(&[negated, conclusion]))
}

/// p xor q is ¬(p = q).
fn xor_as_equality(store: &mut Store, term: TermId) -> Option<TermId> {
    let args = operands(store, term, &Op::Xor)?;
    let equal = store.mk(Op::Eq, &args);
    Some(store.not(equal))
}

/// a = a is true, for floats too: SMT-LIB's `=` has one NaN. `distinct` of the same is false.
pub(super) fn equal_to_itself(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = pair(store, term)?;
    let is_equality = match store.node(term).op {
        Op::Eq => true,
        Op::Distinct => false,
        _ => return None,
    };
    (a == b).then(|| store.bool_const(is_equality))
}

/// p = true is p, p = false is ¬p.
fn equal_to_truth(store: &mut Store, term: TermId) -> Option<TermId> {
    for [a, b] in orders(operands(store, term, &Op::Eq)?) {
        if let Some(value) = bool_value(store, a) {
            return Some(if value { b } else { store.not(b) });
        }
    }
    None
}

/// ¬p = ¬q is p = q, ¬p = q is ¬(p = q), ¬p = p is false.
fn equal_negations(store: &mut Store, term: TermId) -> Option<TermId> {
    let [a, b] = operands(store, term, &Op::Eq)?;
    match (operand(store, a, &Op::Not), operand(store, b, &Op::Not)) {
        (Some(a), Some(b)) => Some(store.mk(Op::Eq, &[a, b])),
        (Some(p), None) if p == b => Some(store.bool_const(false)),
        (None, Some(p)) if p == a => Some(store.bool_const(false)),
        (Some(p), None) => {
            let equal = store.mk(Op::Eq, &[p, b]);
            Some(store.not(equal))
        }
        (None, Some(p)) => {
            let equal = store.mk(Op::Eq, &[a, p]);
            Some(store.not(equal))
        }
        (None, None) => None,
    }
}

/// ite(c, a, b) = a is c ∨ b = a, and ite(c, a, b) = d with literals a and d that differ is ¬c ∧ b = d; and so for the
/// other branch.
pub(super) fn equal_to_branch(store: &mut Store, term: TermId) -> Option<TermId> {
    for [choice, other] in orders(operands(store, term, &Op::Eq)?) {
        let Some([condition, yes, no]) = branches(store, choice) else { continue };
        for (branch, rest, is_first) in [(yes, no, true), (no, yes, false)] {
            // Different literals have different values: each is the only term of its value.
            let differs = branch != other && is_literal(store, branch) && is_literal(store, other);
            if branch != other && !differs {
                continue;
            }
            let taken = if is_first != differs { condition } else { store.not(condition) };
            let rest = store.mk(Op::Eq, &[rest, other]);
            return Some(if differs { store.and(&[taken, rest]) } else { store.or(&[taken, rest]) });
        }
    }
    None
}
