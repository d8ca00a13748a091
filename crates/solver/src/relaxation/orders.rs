//! Which floats are at most which others, and what that says of their differences and quotients.
//!
//! That x minus the greatest of some numbers, x among them, is not positive, and that a part of a sum of numbers that are not negative is at most 1 when it is divided by the sum, intervals
//! do not know: they forget that operands hang together. Here the order of floats is followed through choices and sums.
//!
//! **Claim.** Each consequence holds in every model of the conjunction that the facts are of. **Argument.** Orders are of floats that are numbers in every model: of comparisons whose truth is known;
//! of a choice of the lesser one or the greater one of two and either; of a sum and an operand where the other is on one side of zero, of a
//! product or a quotient of a number that is not negative and the number, where the other operand makes it no larger: the operand is a float, and rounding keeps the order. So does a chain of
//! them. Of two numbers that are so ordered the comparison is true. The difference of x ≤ y is at most 0, and the quotient of |x| ≤ |y| at most 1 where y is not zero, before and after rounding.

use std::time::Duration;

use labrys_float::Float;
use labrys_term::{Op, Store, TermId, VariableId};
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::{FxHashMap, FxHashSet};

use super::floats::bounds_of;
use super::known::Known;
use super::tables::Table;
use super::unknowns::Bounds;
use crate::domain::FloatDomain;
use crate::{FloatOutcome, Limits, Portfolio};

/// The part of the time that a question about two vectors may take, and the longest one.
const SHARE: u32 = 8;
const TURN: Duration = Duration::from_millis(300);

/// Floats and those that are at least as large.
struct Orders<'a> {
    known: &'a Known,
    above: FxHashMap<TermId, Vec<TermId>>,
    asked: Asked<'a>,
    /// Vectors that are at most another one, as far as that was asked.
    at_most: FxHashMap<[TermId; 2], bool>,
}

/// Who is asked about vectors, of which conjunction, and within which limits.
type Asked<'a> = (&'a Portfolio, &'a [TermId], Limits);

/// What follows from orders of floats for the terms of a conjunction.
pub(super) fn consequences(
    store: &mut Store,
    assertions: &[TermId],
    known: &Known,
    (solver, limits): (&Portfolio, &Limits),
) -> Vec<TermId> {
    let limits = Limits { wall: (limits.wall / SHARE).min(TURN), ..*limits };
    let asked = (solver, assertions, limits);
    let mut orders = Orders { known, above: FxHashMap::default(), asked, at_most: FxHashMap::default() };
    let terms = store.reachable(assertions);
    terms.iter().for_each(|term| orders.read(store, *term));
    terms.into_iter().filter_map(|term| orders.consequence(store, term)).collect()
}

impl Orders<'_> {
    fn bounds(&self, store: &Store, term: TermId) -> Option<Bounds> {
        self.known.number(store, term).map(|domain| bounds_of(&domain))
    }

    fn is_not_negative(&self, store: &Store, term: TermId) -> bool {
        self.known.number(store, term).is_some_and(|domain| domain.negative.is_none())
    }

    /// Takes notice that a float is at most another one, if both are numbers.
    fn say(&mut self, store: &Store, low: TermId, high: TermId) {
        if [low, high].into_iter().all(|term| self.known.number(store, term).is_some()) {
            self.above.entry(low).or_default().push(high);
        }
    }

    /// What a term says of floats' order.
    fn read(&mut self, store: &Store, term: TermId) {
        let node = store.node(term).clone();
        match (&node.op, &node.args[..]) {
            (Op::FpLt | Op::FpLe, &[a, b]) => match self.known.truth(term) {
                Some(true) => self.say(store, a, b),
                Some(false) => self.say(store, b, a),
                None => {}
            },
            (Op::FpEq, &[a, b]) if self.known.truth(term) == Some(true) => {
                self.say(store, a, b);
                self.say(store, b, a);
            }
            (Op::Ite, &[condition, a, b]) => self.chosen(store, term, condition, [a, b]),
            (Op::FpMin, &[a, b]) => [a, b].into_iter().for_each(|part| self.say(store, term, part)),
            (Op::FpMax, &[a, b]) => [a, b].into_iter().for_each(|part| self.say(store, part, term)),
            (Op::FpAbs, &[a]) => {
                self.say(store, a, term);
                if self.is_not_negative(store, a) {
                    self.say(store, term, a);
                }
            }
            (Op::FpAdd, &[_, a, b]) => {
                for [one, other] in [[a, b], [b, a]] {
                    let Some(domain) = self.known.number(store, other) else { continue };
                    if domain.negative.is_none() {
                        self.say(store, one, term);
                    }
                    if domain.positive.is_none() {
                        self.say(store, term, one);
                    }
                }
            }
            (Op::FpMul, &[_, a, b]) => {
                for [one, other] in [[a, b], [b, a]] {
                    let is_small = |high: BigRational| high <= BigRational::one();
                    let other = self.bounds(store, other).and_then(|bounds| bounds.size());
                    if other.is_some_and(is_small) && self.is_not_negative(store, one) {
                        self.say(store, term, one);
                    }
                }
            }
            (Op::FpDiv, &[_, a, b]) => {
                let least = self.bounds(store, b).and_then(|bounds| bounds.low);
                if least.is_some_and(|least| least >= BigRational::one()) && self.is_not_negative(store, a) {
                    self.say(store, term, a);
                }
            }
            _ => {}
        }
    }

    /// A choice of the lesser or the greater one of two, or of zero for what is zero.
    fn chosen(&mut self, store: &Store, term: TermId, condition: TermId, [mut a, mut b]: [TermId; 2]) {
        let mut condition = store.node(condition);
        if condition.op == Op::Not {
            condition = store.node(condition.args[0]);
            std::mem::swap(&mut a, &mut b);
        }
        match (&condition.op, &condition.args[..]) {
            (Op::FpLt | Op::FpLe, &[x, y]) if [x, y] == [a, b] => {
                [a, b].into_iter().for_each(|part| self.say(store, term, part));
            }
            (Op::FpLt | Op::FpLe, &[x, y]) if [x, y] == [b, a] => {
                [a, b].into_iter().for_each(|part| self.say(store, part, term));
            }
            (Op::FpIsZero, &[of]) if of == b && is_zero(store, a) => {
                self.say(store, term, of);
                self.say(store, of, term);
            }
            _ => {}
        }
    }

    /// Whether a float is at most another one, or what is read from an array at most what is read from one.
    fn are_ordered(&mut self, store: &mut Store, low: TermId, high: TermId) -> bool {
        if self.are_followed(low, high) {
            return true;
        }
        let tables = [low, high].map(|float| Table::new(store, float));
        let [Some(one), Some(other)] = &tables else { return false };
        let [rises, always] = [false, true].map(|at_any| one.is_ordered(other, at_any, |a, b| self.are_followed(a, b)));
        always || rises && one.by.zip(other.by).is_some_and(|(a, b)| self.is_at_most(store, a, b))
    }

    /// Whether a vector is at most another one, by what is asserted of their variables.
    fn is_at_most(&mut self, store: &mut Store, a: TermId, b: TermId) -> bool {
        if let Some(&known) = self.at_most.get(&[a, b]) {
            return known;
        }
        // Places of different widths are not compared.
        if store.sort(a) != store.sort(b) {
            return false;
        }
        let variables: FxHashSet<VariableId> = store.free_variables(&[a, b]).into_iter().collect();
        let is_about =
            |term: &TermId| store.free_variables(&[*term]).iter().all(|variable| variables.contains(variable));
        let (solver, assertions, limits) = self.asked;
        let mut query: Vec<TermId> = assertions.iter().copied().filter(is_about).collect();
        query.push(store.mk(Op::BvUlt, &[b, a]));
        let is_so = matches!(solver.decide(store, &query, &limits).outcome, FloatOutcome::Unsat(_));
        self.at_most.insert([a, b], is_so);
        is_so
    }

    /// Whether a chain of floats leads from one to another that is at least as large.
    fn are_followed(&self, low: TermId, high: TermId) -> bool {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut pending = vec![low];
        while let Some(term) = pending.pop() {
            if term == high {
                return true;
            }
            if seen.insert(term) {
                pending.extend(self.above.get(&term).into_iter().flatten());
            }
        }
        false
    }

    /// A float without its sign.
    fn size(&self, store: &mut Store, term: TermId) -> TermId {
        if self.is_not_negative(store, term) { term } else { store.mk(Op::FpAbs, &[term]) }
    }

    /// What orders say of a comparison, a difference or a quotient.
    fn consequence(&mut self, store: &mut Store, term: TermId) -> Option<TermId> {
        let node = store.node(term).clone();
        match (&node.op, &node.args[..]) {
            (Op::FpLe, &[x, y]) => {
                // What is no number is not at most itself.
                let are_numbers = [x, y].iter().all(|operand| self.known.number(store, *operand).is_some());
                let is_new = self.known.truth(term) != Some(true);
                return (is_new && are_numbers && self.are_ordered(store, x, y)).then_some(term);
            }
            (Op::FpLt, &[x, y]) => {
                let is_new = self.known.truth(term) != Some(false);
                return (is_new && self.are_ordered(store, y, x)).then(|| store.not(term));
            }
            _ => {}
        }
        let format = store.float_format(term)?;
        let difference = match (&node.op, &node.args[..]) {
            (Op::FpSub, &[_, x, y]) => Some([x, y]),
            (Op::FpAdd, &[_, x, y]) => {
                let opposite = |of: TermId| (store.node(of).op == Op::FpNeg).then(|| store.node(of).args[0]);
                opposite(y).map(|y| [x, y]).or_else(|| opposite(x).map(|x| [y, x]))
            }
            _ => None,
        };
        if let Some([x, y]) = difference {
            if ![x, y].into_iter().all(|operand| self.known.number(store, operand).is_some()) {
                return None;
            }
            let zero = store.float_const(Float::zero(format, false));
            let mut said = Vec::new();
            if self.are_ordered(store, x, y) {
                said.push(store.mk(Op::FpLe, &[term, zero]));
            }
            if self.are_ordered(store, y, x) {
                said.push(store.mk(Op::FpLe, &[zero, term]));
            }
            return (!said.is_empty()).then(|| store.and(&said));
        }
        let (Op::FpDiv, &[_, a, b]) = (&node.op, &node.args[..]) else { return None };
        let is_divisor = |domain: FloatDomain| !domain.minus_zero && !domain.plus_zero;
        if !self.known.number(store, b).is_some_and(is_divisor) || self.known.number(store, a).is_none() {
            return None;
        }
        let sizes = [a, b].map(|operand| self.size(store, operand));
        if !self.are_ordered(store, sizes[0], sizes[1]) {
            return None;
        }
        let one = store.float_const(Float::one(format));
        let size = store.mk(Op::FpAbs, &[term]);
        Some(store.mk(Op::FpLe, &[size, one]))
    }
}

fn is_zero(store: &Store, term: TermId) -> bool {
    matches!(&store.node(term).op, Op::FloatConst(value) if value.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PortfolioConfig;
    use crate::domain::Facts;
    use crate::test_query::Query;

    /// As preparation leaves it where its time is over.
    #[test]
    fn what_may_be_no_number_is_not_at_most_itself() {
        let mut query = Query::new();
        let x = query.variable("x");
        let at_most = query.store.mk(Op::FpLe, &[x, x]);
        query.terms.push(query.store.not(at_most));
        let known = Known::new(&query.store, &query.terms, FxHashMap::default(), Facts::default());
        let asked = (&Portfolio::new(PortfolioConfig::default()), &Limits::default());
        assert_eq!(consequences(&mut query.store, &query.terms, &known, asked), []);
    }
}
