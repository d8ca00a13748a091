//! Terms over bit vectors.

use labrys_term::{Op, Sort, TermId};

use crate::maker::Maker;

/// The operators that compute a bit vector of two.
pub const VECTOR_OPERATORS: [Op; 14] = [
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvAdd,
    Op::BvSub,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvSmod,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
];

impl Maker<'_> {
    /// A bit vector and its width.
    pub(crate) fn any_vector(&mut self) -> (TermId, u32) {
        let widths: Vec<u32> = self.pool.iter().filter_map(|&term| self.width(term)).collect();
        let width = if widths.is_empty() || self.chance(16) {
            self.one_of(&self.shape.widths.clone())
        } else {
            self.one_of(&widths)
        };
        (self.member(&Sort::BitVec(width)), width)
    }

    pub(crate) fn width(&self, term: TermId) -> Option<u32> {
        match self.store.sort(term) {
            Sort::BitVec(width) => Some(*width),
            _ => None,
        }
    }

    /// An operator that computes: on two terms, on one twice, or on one and what is made of it.
    pub(crate) fn vector_arithmetic(&mut self) -> TermId {
        let (a, width) = self.any_vector();
        let op = self.one_of(&VECTOR_OPERATORS);
        match self.below(10) {
            0 => self.mk(Op::BvNot, &[a]),
            1 => self.mk(Op::BvNeg, &[a]),
            2 => self.mk(op, &[a, a]),
            3 => {
                let turn = self.one_of(&[Op::BvNot, Op::BvNeg]);
                let other = self.mk(turn, &[a]);
                if self.chance(2) { self.mk(op, &[a, other]) } else { self.mk(op, &[other, a]) }
            }
            4 => {
                let literal = self.literal(&Sort::BitVec(width));
                if self.chance(4) { self.mk(op, &[literal, a]) } else { self.mk(op, &[a, literal]) }
            }
            _ => {
                let b = self.of_width(width);
                self.mk(op, &[a, b])
            }
        }
    }

    /// A term of a width: a member of the pool, or one made to fit.
    pub(crate) fn of_width(&mut self, width: u32) -> TermId {
        if self.chance(2) {
            return self.member(&Sort::BitVec(width));
        }
        let (a, _) = self.any_vector();
        self.resized(a, width)
    }

    /// A term cut or widened to a width.
    pub(crate) fn resized(&mut self, a: TermId, width: u32) -> TermId {
        let own = self.width(a).unwrap_or(width);
        if own > width {
            let low = self.random.within(0..=own - width);
            return self.mk(Op::Extract { high: low + width - 1, low }, &[a]);
        }
        let by = width - own;
        match self.below(3) {
            0 => self.mk(Op::SignExtend(by), &[a]),
            1 => self.mk(Op::ZeroExtend(by), &[a]),
            _ => {
                // The term again and again, its low bits last.
                let mut parts = vec![a; (width / own) as usize];
                if !width.is_multiple_of(own) {
                    parts.push(self.mk(Op::Extract { high: width % own - 1, low: 0 }, &[a]));
                }
                if parts.len() == 1 { parts[0] } else { self.mk(Op::Concat, &parts) }
            }
        }
    }

    /// An operator that only moves bits.
    pub(crate) fn vector_shape(&mut self) -> TermId {
        let (a, width) = self.any_vector();
        let room = self.shape.widest.saturating_sub(width);
        match self.below(8) {
            0 | 1 => {
                let high = self.random.within(0..width);
                let low = self.random.within(0..=high);
                self.mk(Op::Extract { high, low }, &[a])
            }
            2 if width > 2 => {
                // Two parts that overlap, in either order.
                let (high, low) = (self.random.within(1..width), self.random.within(0..width - 1));
                let upper = self.mk(Op::Extract { high: width - 1, low }, &[a]);
                let lower = self.mk(Op::Extract { high, low: 0 }, &[a]);
                let parts = if self.chance(2) { [upper, lower] } else { [lower, upper] };
                self.joined(&parts)
            }
            3 => {
                let count = 2 + self.below(4);
                self.joined(&vec![a; count])
            }
            4 | 5 => {
                let mut parts = vec![a];
                for _ in 0..=self.below(3) {
                    let (part, _) = self.any_vector();
                    parts.push(part);
                }
                self.joined(&parts)
            }
            6 if room > 0 => {
                let by = self.random.within(0..=room.min(40));
                self.mk(Op::ZeroExtend(by), &[a])
            }
            _ if room > 0 => {
                let by = self.random.within(0..=room.min(40));
                self.mk(Op::SignExtend(by), &[a])
            }
            _ => self.mk(Op::BvNot, &[a]),
        }
    }

    /// The concatenation of the parts that there is room for: of all at once, or pair by pair from either end.
    pub(crate) fn joined(&mut self, parts: &[TermId]) -> TermId {
        let mut room = self.shape.widest;
        let fitting: Vec<TermId> = parts
            .iter()
            .copied()
            .take_while(|&part| {
                let rest = room.checked_sub(self.width(part).unwrap_or(u32::MAX));
                room = rest.unwrap_or(0);
                rest.is_some()
            })
            .collect();
        match (fitting.as_slice(), self.below(3)) {
            ([], _) => parts[0],
            ([one], _) => *one,
            (all, 0) => self.mk(Op::Concat, all),
            ([first, rest @ ..], 1) => {
                rest.iter().fold(*first, |whole, part| self.store.mk(Op::Concat, &[whole, *part]))
            }
            ([rest @ .., last], _) => {
                rest.iter().rev().fold(*last, |whole, part| self.store.mk(Op::Concat, &[*part, whole]))
            }
        }
    }

    pub(crate) fn vector_predicate(&mut self) -> TermId {
        let (a, width) = self.any_vector();
        let b = self.of_width(width);
        let op = self.one_of(&[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq]);
        self.mk(op, &[a, b])
    }
}
