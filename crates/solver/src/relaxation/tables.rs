//! Floats that are read from arrays at unknown places.
//!
//! What is read at a place that is not known is a tree of choices by where the place is, or in which. Of an array that rises, as prefix sums do, what is read at one place is at most what is read at
//! another one behind it: neither intervals nor circuits see that without going through all pairs of places.
//!
//! **Argument.** The leaves of a tree have intervals of the vector, which lie beside each other. Where a ≤ b, of the pairs of their intervals only those count of which the first one begins before the
//! second one ends.

use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_traits::One;

use crate::integers::literal;

/// Leaves of the largest tree.
const MOST_LEAVES: usize = 256;

/// A float, by where a vector is.
#[derive(Debug)]
pub(super) struct Table {
    /// The vector; `None` for a float that is not chosen.
    pub by: Option<TermId>,
    /// The floats, with the first number of their interval and the first one behind it; `None` for the end of all.
    pub leaves: Vec<(BigInt, Option<BigInt>, TermId)>,
}

impl Table {
    /// A float by its choices.
    pub fn new(store: &mut Store, float: TermId) -> Option<Table> {
        let by = split(store, float).map(|(by, ..)| by);
        let mut leaves = Vec::new();
        let mut pending = vec![(BigInt::ZERO, None, float)];
        while let Some((low, high, term)) = pending.pop() {
            match split(store, term).filter(|(vector, ..)| Some(*vector) == by) {
                Some((_, at, chosen)) => {
                    // From the end, so that the least interval comes next.
                    let mut end = high;
                    for (begin, chosen) in at.into_iter().zip(chosen).rev() {
                        if end.as_ref().is_none_or(|end| begin < *end) && low < begin {
                            pending.push((begin.clone(), end, chosen));
                            end = Some(begin);
                        } else if begin <= low {
                            pending.push((low.clone(), end, chosen));
                            break;
                        }
                    }
                }
                None => leaves.push((low, high, term)),
            }
            if leaves.len() + pending.len() > MOST_LEAVES {
                return None;
            }
        }
        Some(Table { by, leaves })
    }

    /// Whether all that can be read here and there are in an order, where this place is at most that one, or at any places.
    pub fn is_ordered(&self, other: &Table, at_any: bool, is_at_most: impl Fn(TermId, TermId) -> bool) -> bool {
        self.leaves.iter().all(|(low, _, one)| {
            let counts = |end: &Option<BigInt>| at_any || end.as_ref().is_none_or(|end| low < end);
            other.leaves.iter().all(|(_, end, another)| !counts(end) || is_at_most(*one, *another))
        })
    }
}

/// A choice by a comparison of a vector with a literal, and perhaps something else: the vector, where intervals of it begin, and what is chosen in each.
fn split(store: &mut Store, term: TermId) -> Option<(TermId, Vec<BigInt>, Vec<TermId>)> {
    let node = store.node(term);
    let (Op::Ite, &[condition, yes, no]) = (&node.op, &node.args[..]) else { return None };
    let (mut condition, [mut yes, mut no]) = unnegated(store, condition, [yes, no]);
    let node = store.node(condition).clone();
    if matches!(node.op, Op::Or | Op::And) {
        let is_split = |part: &TermId| compared(store, unnegated(store, *part, [yes, no]).0).is_some();
        let mut rest = node.args.to_vec();
        let part = rest.remove(node.args.iter().position(is_split)?);
        let rest = if node.op == Op::Or { store.or(&rest) } else { store.and(&rest) };
        let otherwise = store.mk(Op::Ite, &[rest, yes, no]);
        let chosen = if node.op == Op::Or { [yes, otherwise] } else { [otherwise, no] };
        (condition, [yes, no]) = unnegated(store, part, chosen);
    }
    let (by, at, is_left) = compared(store, condition)?;
    let next = &at + BigInt::one();
    Some(match (&store.node(condition).op, is_left) {
        (Op::Eq, _) => (by, vec![BigInt::ZERO, at, next], vec![no, yes, no]),
        (Op::BvUlt, true) => (by, vec![BigInt::ZERO, at], vec![yes, no]),
        (Op::BvUlt, false) => (by, vec![BigInt::ZERO, next], vec![no, yes]),
        (_, true) => (by, vec![BigInt::ZERO, next], vec![yes, no]),
        (_, false) => (by, vec![BigInt::ZERO, at], vec![no, yes]),
    })
}

/// A vector and the literal that it is compared with, and whether it stands on the left.
fn compared(store: &Store, condition: TermId) -> Option<(TermId, BigInt, bool)> {
    let node = store.node(condition);
    let (Op::BvUlt | Op::BvUle | Op::Eq, &[a, b]) = (&node.op, &node.args[..]) else { return None };
    match (literal(store, a), literal(store, b)) {
        (None, Some((at, _))) => Some((a, at, true)),
        (Some((at, _)), None) => Some((b, at, false)),
        _ => None,
    }
}

/// A condition that is no negation, and what is chosen where it holds and where not.
fn unnegated(store: &Store, mut condition: TermId, [mut yes, mut no]: [TermId; 2]) -> (TermId, [TermId; 2]) {
    while store.node(condition).op == Op::Not {
        condition = store.node(condition).args[0];
        std::mem::swap(&mut yes, &mut no);
    }
    (condition, [yes, no])
}

#[cfg(test)]
mod tests {
    use labrys_float::{Float, Format};
    use labrys_term::{Evaluator, Model, Sort, Value};

    use super::super::{Relaxing, relaxed};
    use super::*;
    use crate::test_query::Query;
    use crate::{Limits, Portfolio, PortfolioConfig};

    /// Trees of all comparisons, nested and overlapping, against evaluation at all numbers.
    #[test]
    fn leaves_are_what_is_read() {
        let mut store = Store::new();
        let (by, flag) = (store.variable("by", Sort::BitVec(5)), store.variable("flag", Sort::Bool));
        let mut floats: Vec<TermId> =
            (0..6).map(|number| store.float_const(Float::from_f64(f64::from(number)))).collect();
        for step in 0..40u32 {
            let at = store.bv_const(5, step * 11 % 32);
            let [a, b] = [step * 5 + 1, step * 3].map(|place| floats[floats.len() - 1 - place as usize % 6]);
            let condition = match step % 8 {
                0 => store.mk(Op::BvUlt, &[by, at]),
                1 => store.mk(Op::BvUle, &[by, at]),
                2 => store.mk(Op::BvUlt, &[at, by]),
                3 => store.mk(Op::BvUle, &[at, by]),
                4 => store.mk(Op::Eq, &[by, at]),
                5 | 6 => {
                    let beyond = store.mk(Op::BvUle, &[at, by]);
                    let parts = [flag, store.not(beyond)];
                    if step % 8 == 5 { store.or(&parts) } else { store.and(&parts) }
                }
                _ => {
                    let below = store.mk(Op::BvUlt, &[by, at]);
                    store.not(below)
                }
            };
            floats.push(store.mk(Op::Ite, &[condition, a, b]));
        }
        let mut read = 0;
        for &float in &floats {
            let table = Table::new(&mut store, float).expect("small");
            for number in 0..32u32 {
                let mut model = Model::new();
                model.set_term(&store, by, Value::bit_vector(5, number));
                model.set_term(&store, flag, Value::Bool(number % 3 == 0));
                let mut evaluator = Evaluator::new(&store, &model);
                let number = BigInt::from(number);
                let mut here = table
                    .leaves
                    .iter()
                    .filter(|(low, high, _)| *low <= number && high.as_ref().is_none_or(|high| number < *high));
                let (_, _, leaf) = here.next().expect("a leaf");
                assert!(here.next().is_none());
                assert_eq!(evaluator.value(*leaf).unwrap(), evaluator.value(float).unwrap());
                read += 1;
            }
        }
        assert!(read > 1000);
    }

    #[test]
    fn what_rises_is_ordered() {
        let mut store = Store::new();
        let format = Format::BINARY32;
        let [i, j] = ["i", "j"].map(|name| store.variable(name, Sort::BitVec(8)));
        let [a, b, c] = ["a", "b", "c"].map(|name| store.variable(name, Sort::Float(format)));
        let table = |store: &mut Store, by: TermId| {
            let [one, two] = [1u8, 2].map(|number| store.bv_const(8, number));
            let [first, second] = [one, two].map(|number| store.mk(Op::BvUlt, &[by, number]));
            let rest = store.mk(Op::Ite, &[second, b, c]);
            let read = store.mk(Op::Ite, &[first, a, rest]);
            Table::new(store, read).expect("small")
        };
        let [of_i, of_j] = [i, j].map(|by| table(&mut store, by));
        let rises = |x: TermId, y: TermId| x == y || (x, y) == (a, b) || (x, y) == (b, c) || (x, y) == (a, c);
        assert!(of_i.is_ordered(&of_j, false, rises));
        assert!(!of_i.is_ordered(&of_j, true, rises));
        assert!(!of_i.is_ordered(&of_j, false, |x, y| rises(x, y) && (x, y) != (a, c)));
        let [of_a, of_c] = [a, c].map(|float| Table::new(&mut store, float).expect("small"));
        assert!(of_a.is_ordered(&of_j, true, rises) && of_j.is_ordered(&of_c, true, rises));
        assert_eq!((of_i.by, of_a.by), (Some(i), None));
    }

    /// Sums of the first numbers that are not negative, at two places.
    #[test]
    fn prefix_sums_rise_with_their_places() {
        for (is_in_order, is_difference) in [(true, false), (true, true), (false, false), (false, true)] {
            let mut query = Query::new();
            let mut sums = vec![query.number(0.0)];
            for place in 0..20 {
                let x = query.between(&format!("x{place}"), 0.0, 100.0);
                sums.push(query.op(Op::FpAdd, &[sums[place], x]));
            }
            let places = ["i", "j"].map(|name| query.store.variable(name, Sort::BitVec(32)));
            let [least, most] = if is_in_order { places } else { [places[1], places[0]] };
            let end = query.store.bv_const(32, sums.len() as u32 - 1);
            let bounds = [[least, most], [most, end]].map(|pair| query.store.mk(Op::BvUle, &pair));
            query.terms.extend(bounds);
            let [first, second] = places.map(|place| {
                let mut read = sums[sums.len() - 1];
                for (number, sum) in sums.iter().enumerate().rev().skip(1) {
                    let next = query.store.bv_const(32, number as u32 + 1);
                    let is_here = query.store.mk(Op::BvUlt, &[place, next]);
                    read = query.store.mk(Op::Ite, &[is_here, *sum, read]);
                }
                read
            });
            if is_difference {
                let (difference, zero) = (query.op(Op::FpSub, &[second, first]), query.number(0.0));
                query.lt(difference, zero);
            } else {
                query.lt(second, first);
            }
            let (solver, limits) = (Portfolio::new(PortfolioConfig::default()), Limits::default());
            let relaxing = relaxed(&query.store, &query.terms, &solver, &limits);
            assert_eq!(matches!(relaxing, Relaxing::Contradiction), is_in_order);
        }
    }
}
