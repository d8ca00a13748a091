//! What propagation knows of a conjunction's terms.

use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;

use super::floats::{bounds_of, is_finite};
use super::unknowns::Bounds;
use crate::conjuncts::{Literal, conjuncts};
use crate::domain::{BitVecDomain, Facts, FloatDomain};

/// Sets that every model's values lie in, and truth values that are the same in every model.
pub(crate) struct Known {
    facts: Facts,
    /// Variables that are equal to terms, of which the facts are.
    named: FxHashMap<TermId, TermId>,
    truths: FxHashMap<TermId, bool>,
}

impl Known {
    /// What facts say of a conjunction in which variables name terms.
    pub fn new(store: &Store, assertions: &[TermId], named: FxHashMap<TermId, TermId>, facts: Facts) -> Known {
        let mut known = Known { facts, named, truths: FxHashMap::default() };
        known.truths = known.truths_of(store, assertions);
        known
    }

    /// Takes notice of further facts.
    pub fn learn(&mut self, store: &Store, assertions: &[TermId], facts: &Facts) {
        self.facts.intersect(facts);
        self.truths = self.truths_of(store, assertions);
    }

    /// A truth value that is the same in every model.
    pub fn truth(&self, term: TermId) -> Option<bool> {
        self.truths.get(&term).copied()
    }

    /// A truth value that propagation alone knows.
    pub fn propagated(&self, term: TermId) -> Option<bool> {
        self.facts.truth(term)
    }

    /// The values of a float of a format that has domains; of a constant, that.
    pub fn float(&self, store: &Store, term: TermId) -> Option<FloatDomain> {
        store.float_format(term).filter(|format| FloatDomain::supports(*format))?;
        match &store.node(term).op {
            Op::FloatConst(value) => Some(FloatDomain::only(value)),
            _ => self.facts.float(self.name(term)).copied(),
        }
    }

    /// The values of a float that is a number in every model.
    pub fn number(&self, store: &Store, term: TermId) -> Option<FloatDomain> {
        self.float(store, term).filter(is_finite)
    }

    /// The values of a vector.
    pub fn vector(&self, term: TermId) -> Option<BitVecDomain> {
        self.facts.bit_vector(self.name(term)).copied()
    }

    fn name(&self, term: TermId) -> TermId {
        self.named.get(&term).copied().unwrap_or(term)
    }

    /// What is asserted, what propagation and ranges of floats decide, and what follows of these.
    fn truths_of(&self, store: &Store, assertions: &[TermId]) -> FxHashMap<TermId, bool> {
        let literals = conjuncts(store, assertions.iter().map(Literal::asserted).collect());
        let mut known: FxHashMap<TermId, bool> =
            literals.into_iter().map(|literal| (literal.term, literal.holds)).collect();
        for term in store.reachable(assertions).into_iter().filter(|term| *store.sort(*term) == Sort::Bool) {
            if known.contains_key(&term) {
                continue;
            }
            let node = store.node(term);
            let of = |arg: &TermId| known.get(arg).copied();
            let truth = self.facts.truth(term).or_else(|| match (&node.op, &node.args[..]) {
                (Op::BoolConst(value), _) => Some(*value),
                (Op::Not, [arg]) => of(arg).map(|value| !value),
                (Op::And, args) if args.iter().any(|arg| of(arg) == Some(false)) => Some(false),
                (Op::And, args) if args.iter().all(|arg| of(arg) == Some(true)) => Some(true),
                (Op::Or, args) if args.iter().any(|arg| of(arg) == Some(true)) => Some(true),
                (Op::Or, args) if args.iter().all(|arg| of(arg) == Some(false)) => Some(false),
                (Op::FpLt | Op::FpLe | Op::FpEq, &[a, b]) => self.compared(store, &node.op, [a, b]),
                (Op::FpIsNan | Op::FpIsInfinite, &[a]) => self.number(store, a).map(|_| false),
                _ => None,
            });
            if let Some(truth) = truth {
                known.insert(term, truth);
            }
        }
        known
    }

    /// A comparison that ranges decide.
    fn compared(&self, store: &Store, op: &Op, operands: [TermId; 2]) -> Option<bool> {
        let [a, b] = operands.map(|operand| self.number(store, operand).map(|domain| bounds_of(&domain)));
        let (Bounds { low: Some(a_low), high: Some(a_high) }, Bounds { low: Some(b_low), high: Some(b_high) }) =
            (a?, b?)
        else {
            return None;
        };
        match op {
            Op::FpLt if a_high < b_low => Some(true),
            Op::FpLt if b_high <= a_low => Some(false),
            Op::FpLe if a_high <= b_low => Some(true),
            Op::FpLe if b_high < a_low => Some(false),
            Op::FpEq if a_high < b_low || b_high < a_low => Some(false),
            _ => None,
        }
    }
}
