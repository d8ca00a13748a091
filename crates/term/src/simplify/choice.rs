//! Rules of if-then-else.

use super::rule::Rule;
use super::shape::{bool_value, branches, is_literal, operand, operands};
use crate::{Op, Sort, Store, TermId};

pub(super) const RULES: &[Rule] = &[
    Rule::new("ite-decided", ite_decided),
    Rule::new("ite-negated-condition", ite_negated_condition),
    Rule::new("ite-of-truths", ite_of_truths),
    Rule::new("ite-same-condition", ite_same_condition),
    Rule::new("ite-merge", ite_merge),
    Rule::new("ite-of-equals", ite_of_equals),
];

/// An if-then-else whose condition is known or whose branches are the same is a branch.
fn ite_decided(store: &mut Store, term: TermId) -> Option<TermId> {
    let [condition, yes, no] = branches(store, term)?;
    match bool_value(store, condition) {
        Some(true) => Some(yes),
        Some(false) => Some(no),
        None => (yes == no).then_some(yes),
    }
}

/// ite(¬c, a, b) is ite(c, b, a).
fn ite_negated_condition(store: &mut Store, term: TermId) -> Option<TermId> {
    let [condition, yes, no] = branches(store, term)?;
    let inner = operand(store, condition, &Op::Not)?;
    Some(store.mk(Op::Ite, &[inner, no, yes]))
}

/// A choice of truth values with a branch that is known or is the condition: ite(c, true, p) is c ∨ p, and so on;
/// ite(c, p, ¬p) is c = p.
fn ite_of_truths(store: &mut Store, term: TermId) -> Option<TermId> {
    let [condition, yes, no] = branches(store, term)?;
    if *store.sort(term) != Sort::Bool {
        return None;
    }
    let yes_value = bool_value(store, yes).or((yes == condition).then_some(true));
    let no_value = bool_value(store, no).or((no == condition).then_some(false));
    let negated = store.not(condition);
    Some(match (yes_value, no_value) {
        (Some(true), _) => store.or(&[condition, no]),
        (Some(false), _) => store.and(&[negated, no]),
        (None, Some(true)) => store.or(&[negated, yes]),
        (None, Some(false)) => store.and(&[condition, yes]),
        (None, None) => {
            let are_complements =
                operand(store, no, &Op::Not) == Some(yes) || operand(store, yes, &Op::Not) == Some(no);
            if !are_complements {
                return None;
            }
            store.mk(Op::Eq, &[condition, yes])
        }
    })
}

/// A branch that asks the same condition again has its answer.
fn ite_same_condition(store: &mut Store, term: TermId) -> Option<TermId> {
    let [condition, yes, no] = branches(store, term)?;
    let asked = |branch| branches(store, branch).filter(|inner| inner[0] == condition);
    let (new_yes, new_no) = (asked(yes).map_or(yes, |inner| inner[1]), asked(no).map_or(no, |inner| inner[2]));
    (new_yes != yes || new_no != no).then(|| store.mk(Op::Ite, &[condition, new_yes, new_no]))
}

/// Two nested choices between two terms are one: ite(c, a, ite(d, a, b)) is ite(c ∨ d, a, b), and so on.
fn ite_merge(store: &mut Store, term: TermId) -> Option<TermId> {
    let [c, yes, no] = branches(store, term)?;
    if let Some([d, a, b]) = branches(store, no) {
        if a == yes {
            let condition = store.or(&[c, d]);
            return Some(store.mk(Op::Ite, &[condition, a, b]));
        }
        if b == yes {
            let negated = store.not(d);
            let condition = store.or(&[c, negated]);
            return Some(store.mk(Op::Ite, &[condition, yes, a]));
        }
    }
    let [d, a, b] = branches(store, yes)?;
    if b == no {
        let condition = store.and(&[c, d]);
        Some(store.mk(Op::Ite, &[condition, a, b]))
    } else if a == no {
        let negated = store.not(d);
        let condition = store.and(&[c, negated]);
        Some(store.mk(Op::Ite, &[condition, b, a]))
    } else {
        None
    }
}

/// ite(a = b, a, b) is b: where they are equal it does not matter which; ite(a = b, b, a) is a.
fn ite_of_equals(store: &mut Store, term: TermId) -> Option<TermId> {
    let [condition, yes, no] = branches(store, term)?;
    let [a, b] = operands(store, condition, &Op::Eq)?;
    ([a, b] == [yes, no] || [b, a] == [yes, no]).then_some(no)
}

/// f(ite(c, a, b)) with literals a, b and all other arguments is ite(c, f(a), f(b)): literals again, mostly.
pub(super) fn fold_into_choice(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let mut choice = None;
    for (i, &arg) in node.args.iter().enumerate() {
        if is_literal(store, arg) {
            continue;
        }
        let [condition, yes, no] = branches(store, arg)?;
        if choice.is_some() || !is_literal(store, yes) || !is_literal(store, no) {
            return None;
        }
        choice = Some((i, condition, yes, no));
    }
    let (position, condition, yes, no) = choice?;
    Some(choice_of(store, term, position, [condition, yes, no]))
}

/// The choice between a term with one argument and with another in that position: ite(c, f(…, a, …), f(…, b, …)).
fn choice_of(store: &mut Store, term: TermId, position: usize, [condition, yes, no]: [TermId; 3]) -> TermId {
    let node = store.node(term);
    let (op, args) = (node.op.clone(), node.args.clone());
    let [yes, no] = [yes, no].map(|branch| {
        let mut args = args.clone();
        args[position] = branch;
        store.mk(op.clone(), &args)
    });
    store.mk(Op::Ite, &[condition, yes, no])
}

/// p(ite(c, a, b)) with a predicate p, all else literals, and a or b a literal is a choice of truth values, one of them known.
pub(super) fn predicate_of_choice(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.sort != Sort::Bool {
        return None;
    }
    let mut chosen = node.args.iter().enumerate().filter(|(_, arg)| !is_literal(store, **arg));
    let (position, &choice) = chosen.next()?;
    if chosen.next().is_some() {
        return None;
    }
    let [condition, yes, no] = branches(store, choice)?;
    if !is_literal(store, yes) && !is_literal(store, no) {
        return None;
    }
    Some(choice_of(store, term, position, [condition, yes, no]))
}
