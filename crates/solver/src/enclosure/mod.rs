//! Three-valued evaluation of Real terms under a model, by intervals.
//!
//! An independent check of what solvers answer, also where a model has algebraic numbers, which have no exact rational
//! value. `False` and `True` are certain. `Unsure` is the answer for exact equalities between rounded quantities, for
//! division by a number that may be zero, and for operators outside Core and Reals.

mod interval;
#[cfg(test)]
mod tests;

use labrys_term::{Op, Sort, Store, TermId, Truth, VariableId};
use rustc_hash::FxHashMap;

pub(crate) use interval::Interval;

fn known(value: Option<bool>) -> Truth {
    value.map_or(Truth::Unsure, Truth::from)
}

fn same(a: Truth, b: Truth) -> Truth {
    !a.xor(b)
}

/// A node's value. A Real without an interval may be any number.
#[derive(Clone, Debug)]
enum Enclosed {
    Real(Option<Interval>),
    Bool(Truth),
}

impl Enclosed {
    fn real(&self) -> Option<&Interval> {
        match self {
            Enclosed::Real(interval) => interval.as_ref(),
            Enclosed::Bool(_) => None,
        }
    }

    fn truth(&self) -> Truth {
        match self {
            Enclosed::Bool(truth) => *truth,
            Enclosed::Real(_) => Truth::Unsure,
        }
    }
}

/// What is known of each of `roots` when the variables lie in the given intervals; other variables may be anything.
pub(crate) fn evaluate(store: &Store, roots: &[TermId], variables: &FxHashMap<VariableId, Interval>) -> Vec<Truth> {
    let memo = enclosed(store, roots, variables);
    roots.iter().map(|root| memo[root].truth()).collect()
}

/// Enclosures of the Real terms `roots`, where there are any.
pub(crate) fn values(
    store: &Store,
    roots: &[TermId],
    variables: &FxHashMap<VariableId, Interval>,
) -> Vec<Option<Interval>> {
    let memo = enclosed(store, roots, variables);
    roots.iter().map(|root| memo[root].real().cloned()).collect()
}

fn enclosed(
    store: &Store,
    roots: &[TermId],
    variables: &FxHashMap<VariableId, Interval>,
) -> FxHashMap<TermId, Enclosed> {
    let mut memo: FxHashMap<TermId, Enclosed> = FxHashMap::default();
    // Arguments precede the terms that use them, so that ascending order evaluates them first.
    for term in store.reachable(roots) {
        let value = node_value(store, term, variables, &memo);
        memo.insert(term, value);
    }
    memo
}

fn node_value(
    store: &Store,
    term: TermId,
    variables: &FxHashMap<VariableId, Interval>,
    memo: &FxHashMap<TermId, Enclosed>,
) -> Enclosed {
    let node = store.node(term);
    let real = |i: usize| memo[&node.args[i]].real();
    let truth = |i: usize| memo[&node.args[i]].truth();
    let fold = |operation: fn(&Interval, &Interval) -> Interval| {
        let mut total = real(0)?.clone();
        for i in 1..node.args.len() {
            total = operation(&total, real(i)?);
        }
        Some(total)
    };
    let compare = |operation: fn(&Interval, &Interval) -> Option<bool>, i: usize, j: usize| {
        known(real(i).and_then(|left| real(j).and_then(|right| operation(left, right))))
    };
    let pairs = |operation: fn(&Interval, &Interval) -> Option<bool>| {
        (1..node.args.len()).fold(Truth::True, |all, i| all.and(compare(operation, i - 1, i)))
    };
    match &node.op {
        Op::Variable(variable) => match variables.get(variable) {
            Some(interval) => Enclosed::Real(Some(interval.clone())),
            None if node.sort == Sort::Bool => Enclosed::Bool(Truth::Unsure),
            None => Enclosed::Real(None),
        },
        Op::RealConst(value) => Enclosed::Real(Some(Interval::of(value))),
        Op::RealAdd => Enclosed::Real(fold(Interval::add)),
        Op::RealSub => Enclosed::Real(fold(|left, right| left.add(&right.neg()))),
        Op::RealMul => Enclosed::Real(fold(Interval::mul)),
        Op::RealDiv => Enclosed::Real(real(0).and_then(|left| real(1).and_then(|right| left.div(right)))),
        Op::RealNeg => Enclosed::Real(real(0).map(Interval::neg)),
        Op::RealAbs => Enclosed::Real(real(0).map(Interval::abs)),
        Op::BoolConst(value) => Enclosed::Bool(Truth::from(*value)),
        Op::RealLt => Enclosed::Bool(pairs(Interval::less)),
        Op::RealLe => Enclosed::Bool(pairs(|left, right| right.less(left).map(|less| !less))),
        Op::Eq if *store.sort(node.args[0]) == Sort::Bool => {
            Enclosed::Bool((1..node.args.len()).fold(Truth::True, |all, i| all.and(same(truth(i - 1), truth(i)))))
        }
        Op::Eq => Enclosed::Bool(pairs(Interval::equal)),
        Op::Distinct => {
            let count = node.args.len();
            let all_pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
            let distinct = |all: Truth, (i, j)| all.and(!compare(Interval::equal, i, j));
            Enclosed::Bool(all_pairs.fold(Truth::True, distinct))
        }
        Op::Not => Enclosed::Bool(!truth(0)),
        Op::And => Enclosed::Bool((0..node.args.len()).fold(Truth::True, |all, i| all.and(truth(i)))),
        Op::Or => Enclosed::Bool((0..node.args.len()).fold(Truth::False, |any, i| any.or(truth(i)))),
        Op::Xor => Enclosed::Bool((1..node.args.len()).fold(truth(0), |odd, i| odd.xor(truth(i)))),
        Op::Implies => {
            let last = node.args.len() - 1;
            Enclosed::Bool((0..last).fold(truth(last), |conclusion, i| (!truth(i)).or(conclusion)))
        }
        Op::Ite => match (truth(0), &memo[&node.args[1]], &memo[&node.args[2]]) {
            (Truth::True, then, _) => then.clone(),
            (Truth::False, _, otherwise) => otherwise.clone(),
            (Truth::Unsure, Enclosed::Real(Some(then)), Enclosed::Real(Some(otherwise))) => {
                Enclosed::Real(Some(then.hull(otherwise)))
            }
            (Truth::Unsure, Enclosed::Bool(then), Enclosed::Bool(otherwise)) if then == otherwise => {
                Enclosed::Bool(*then)
            }
            (Truth::Unsure, Enclosed::Bool(_), _) => Enclosed::Bool(Truth::Unsure),
            (Truth::Unsure, ..) => Enclosed::Real(None),
        },
        _ if node.sort == Sort::Bool => Enclosed::Bool(Truth::Unsure),
        _ => Enclosed::Real(None),
    }
}
