//! Connectives and choices.

use labrys_term::{Op, Sort, TermId};

use crate::maker::Maker;

impl Maker<'_> {
    pub(crate) fn connective(&mut self) -> TermId {
        let [a, b, c] = [(); 3].map(|()| self.member(&Sort::Bool));
        match self.below(8) {
            0 => self.store.not(a),
            1 => self.mk(Op::And, &[a, b, c]),
            2 => self.mk(Op::Or, &[a, b, c]),
            3 => self.mk(Op::Xor, &[a, b]),
            4 => self.mk(Op::Xor, &[a, b, c]),
            5 => self.mk(Op::Implies, &[a, b]),
            6 => self.mk(Op::Eq, &[a, b]),
            _ => self.distinct(),
        }
    }

    /// Several terms of one sort, none equal to another.
    fn distinct(&mut self) -> TermId {
        let sort = if self.chance(2) {
            let (_, format) = self.any_float();
            Sort::Float(format)
        } else {
            Sort::BitVec(self.any_vector().1)
        };
        let terms: Vec<TermId> = (0..2 + self.below(3)).map(|_| self.member(&sort)).collect();
        self.mk(Op::Distinct, &terms)
    }

    /// An if-then-else of any sort, now and then inside another one of the same condition.
    pub(crate) fn choice(&mut self) -> TermId {
        let condition = self.member(&Sort::Bool);
        let like = self.one_of(&self.pool.clone());
        let sort = self.store.sort(like).clone();
        let other = self.member(&sort);
        let choice = self.mk(Op::Ite, &[condition, like, other]);
        if !self.chance(3) {
            return choice;
        }
        let third = self.member(&sort);
        if self.chance(2) {
            self.mk(Op::Ite, &[condition, third, choice])
        } else {
            let opposite = self.store.not(condition);
            self.mk(Op::Ite, &[opposite, choice, third])
        }
    }
}
