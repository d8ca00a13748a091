//! Constraints: relations of what has grown, true ones for planted formulas.

use labrys_term::{Op, Sort, TermId, Value};

use crate::floats::FLOAT_CLASSES;
use crate::maker::Maker;

impl Maker<'_> {
    /// Constraints that are true under the planted model.
    pub(crate) fn true_constraints(&mut self) -> Vec<TermId> {
        let wanted = 1 + self.below(6);
        let mut found = Vec::new();
        for _ in 0..8 * wanted {
            if found.len() == wanted {
                break;
            }
            let relation = self.relation();
            found.extend(self.made_true(relation));
        }
        found
    }

    /// Relations and negations of relations, whatever they are under the planted model.
    pub(crate) fn constraints(&mut self) -> Vec<TermId> {
        let wanted = 1 + self.below(4);
        (0..wanted)
            .map(|_| {
                let relation = self.relation();
                if self.chance(3) { self.store.not(relation) } else { relation }
            })
            .collect()
    }

    /// The relation if it is true under the planted model, its negation if it is false.
    fn made_true(&mut self, relation: TermId) -> Option<TermId> {
        match self.planted_value(relation)? {
            Value::Bool(true) => Some(relation),
            Value::Bool(false) => Some(self.store.not(relation)),
            _ => None,
        }
    }

    /// A Bool term about what the pool ends with: with a neighbour of its planted value, or with another term.
    fn relation(&mut self) -> TermId {
        let back = self.below(self.pool.len().min(8));
        let term = self.pool[self.pool.len() - 1 - back];
        let sort = self.store.sort(term).clone();
        match &sort {
            Sort::Bool if self.chance(2) => term,
            Sort::Bool => self.clause(term),
            Sort::BitVec(_) => {
                let other = self.compared(term, &sort);
                let op = self.one_of(&[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq, Op::Eq]);
                if self.chance(2) { self.mk(op, &[term, other]) } else { self.mk(op, &[other, term]) }
            }
            Sort::Float(_) if self.chance(6) => {
                let op = self.one_of(&FLOAT_CLASSES);
                self.mk(op, &[term])
            }
            Sort::Float(_) => {
                let other = self.compared(term, &sort);
                let op = self.one_of(&[Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq]);
                if self.chance(2) { self.mk(op, &[term, other]) } else { self.mk(op, &[other, term]) }
            }
            _ => {
                let other = self.member(&sort);
                self.mk(Op::Eq, &[term, other])
            }
        }
    }

    /// What a term is compared with: a literal at or beside its planted value, which binds it, or a term like it.
    fn compared(&mut self, term: TermId, sort: &Sort) -> TermId {
        if self.chance(2) {
            return self.member(sort);
        }
        let value = match self.planted_value(term) {
            Some(Value::Float(value)) if !value.is_nan() => Value::Float(match self.below(3) {
                0 => value.next_up(),
                1 => value.next_down(),
                _ => value,
            }),
            Some(Value::BitVec { width, bits }) => {
                let step = self.below(3) as u64;
                let all = (num_bigint::BigUint::from(1u8) << width) - 1u8;
                Value::bit_vector(width, if self.chance(2) { (bits + step).min(all) } else { bits })
            }
            Some(value) => value,
            None => return self.member(sort),
        };
        self.literal_of(&value)
    }

    /// A disjunction, implication or equivalence with other relations.
    fn clause(&mut self, term: TermId) -> TermId {
        let (a, b) = (self.member(&Sort::Bool), self.member(&Sort::Bool));
        let (a, b) =
            (if self.chance(2) { self.store.not(a) } else { a }, if self.chance(2) { self.store.not(b) } else { b });
        match self.below(5) {
            0 => self.mk(Op::Implies, &[a, term]),
            1 => self.mk(Op::Eq, &[a, term]),
            2 => self.mk(Op::Ite, &[a, term, b]),
            _ => self.mk(Op::Or, &[term, a, b]),
        }
    }
}
