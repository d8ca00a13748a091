//! Terms over floats, and conversions.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Sort, TermId};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::One;

use crate::maker::Maker;

/// The predicates that tell a float's class.
pub const FLOAT_CLASSES: [Op; 7] = [
    Op::FpIsNormal,
    Op::FpIsSubnormal,
    Op::FpIsZero,
    Op::FpIsInfinite,
    Op::FpIsNan,
    Op::FpIsNegative,
    Op::FpIsPositive,
];

impl Maker<'_> {
    pub(crate) fn any_float(&mut self) -> (TermId, Format) {
        let format = self.one_of(&self.formats.clone());
        (self.member(&Sort::Float(format)), format)
    }

    pub(crate) fn float_arithmetic(&mut self) -> TermId {
        let (a, format) = self.any_float();
        let sort = Sort::Float(format);
        let mode = self.member(&Sort::RoundingMode);
        // One operand twice, with its sign turned or not, is what code of differences and squares has.
        let b = match self.below(6) {
            0 => a,
            1 => self.mk(Op::FpNeg, &[a]),
            _ => self.member(&sort),
        };
        match self.below(9) {
            0 => self.mk(Op::FpAdd, &[mode, a, b]),
            1 => self.mk(Op::FpSub, &[mode, a, b]),
            2 => self.mk(Op::FpMul, &[mode, a, b]),
            3 => self.mk(Op::FpDiv, &[mode, a, b]),
            4 => {
                let c = if self.chance(4) { a } else { self.member(&sort) };
                self.mk(Op::FpFma, &[mode, a, b, c])
            }
            5 => self.mk(Op::FpSqrt, &[mode, a]),
            6 => self.mk(Op::FpRoundToIntegral, &[mode, a]),
            7 if format.width() <= self.shape.remainders => self.mk(Op::FpFmod, &[a, b]),
            8 if format.width() <= self.shape.remainders => self.mk(Op::FpRem, &[a, b]),
            _ => self.mk(Op::FpAdd, &[mode, b, a]),
        }
    }

    pub(crate) fn float_sign_or_choice(&mut self) -> TermId {
        let (a, format) = self.any_float();
        match self.below(4) {
            0 => self.mk(Op::FpAbs, &[a]),
            1 => self.mk(Op::FpNeg, &[a]),
            _ => self.least_or_greatest(a, format),
        }
    }

    /// The smaller or larger one; where open values may not matter, only of those that are not both zeros.
    fn least_or_greatest(&mut self, a: TermId, format: Format) -> TermId {
        let b = self.member(&Sort::Float(format));
        let op = self.one_of(&[Op::FpMin, Op::FpMax]);
        let chosen = self.mk(op, &[a, b]);
        if self.shape.open {
            return chosen;
        }
        let zeros = [a, b].map(|term| self.store.mk(Op::FpIsZero, &[term]));
        let zeros = self.store.and(&zeros);
        self.mk(Op::Ite, &[zeros, a, chosen])
    }

    pub(crate) fn float_predicate(&mut self) -> TermId {
        let (a, format) = self.any_float();
        if self.chance(5) {
            let op = self.one_of(&FLOAT_CLASSES);
            return self.mk(op, &[a]);
        }
        let b = if self.chance(8) { a } else { self.member(&Sort::Float(format)) };
        let op = self.one_of(&[Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq]);
        self.mk(op, &[a, b])
    }

    /// Between formats, bit vectors and floats.
    pub(crate) fn conversion(&mut self) -> TermId {
        let mode = self.member(&Sort::RoundingMode);
        let target = self.one_of(&self.formats.clone());
        match self.below(7) {
            0 => {
                let (a, _) = self.any_float();
                self.mk(Op::FpFromFloat(target), &[mode, a])
            }
            1 => {
                let (bits, _) = self.any_vector();
                self.mk(Op::FpFromSigned(target), &[mode, bits])
            }
            2 => {
                let (bits, _) = self.any_vector();
                self.mk(Op::FpFromUnsigned(target), &[mode, bits])
            }
            3 => self.integer_of_float(),
            4 => {
                let bits = self.of_width(target.width());
                self.mk(Op::FpFromBits(target), &[bits])
            }
            5 => {
                let (a, _) = self.any_float();
                self.mk(Op::FpToBits, &[a])
            }
            _ => self.taken_apart(target),
        }
    }

    /// A float's sign, exponent and fraction, some of them replaced, joined to a float again.
    fn taken_apart(&mut self, format: Format) -> TermId {
        let (width, fraction) = (format.width(), format.precision() - 1);
        let bits = match self.below(2) {
            0 => {
                let a = self.member(&Sort::Float(format));
                self.mk(Op::FpToBits, &[a])
            }
            _ => self.of_width(width),
        };
        let fields = [(width - 1, width - 1), (width - 2, fraction), (fraction - 1, 0)];
        let mut parts = Vec::new();
        for (high, low) in fields {
            let own = self.mk(Op::Extract { high, low }, &[bits]);
            parts.push(match self.below(4) {
                0 => self.of_width(high - low + 1),
                1 => {
                    let one = self.store.bv_const(high - low + 1, 1u8);
                    self.mk(Op::BvAdd, &[own, one])
                }
                _ => own,
            });
            if self.chance(6) {
                self.pool.push(own);
            }
        }
        let whole = if self.chance(2) {
            self.mk(Op::Concat, &parts)
        } else {
            let lower = self.mk(Op::Concat, &parts[1..]);
            self.mk(Op::Concat, &[parts[0], lower])
        };
        self.mk(Op::FpFromBits(format), &[whole])
    }

    /// A conversion to an integer; where open values may not matter, only of those that are in range.
    fn integer_of_float(&mut self) -> TermId {
        let (a, format) = self.any_float();
        let width = if self.chance(2) { self.any_vector().1 } else { self.one_of(&self.shape.widths.clone()) };
        let mode = self.member(&Sort::RoundingMode);
        let signed = self.chance(2);
        let op = if signed { Op::FpToSigned(width) } else { Op::FpToUnsigned(width) };
        let converted = self.mk(op, &[mode, a]);
        if self.shape.open {
            return converted;
        }
        let limit = BigRational::from_integer((BigUint::one() << (width - u32::from(signed))).into());
        let mut bound = |value: BigRational, mode| {
            let bound = Float::from_rational(format, &value, mode);
            self.store.float_const(bound)
        };
        // A power of two is a value of the format, or beyond its largest: then infinity bounds what the other conjuncts allow.
        let high = bound(limit.clone(), RoundingMode::TowardPositive);
        let low = match signed {
            true => bound(-limit, RoundingMode::TowardNegative),
            false => bound(BigRational::from_integer(0.into()), RoundingMode::TowardZero),
        };
        let rounded = self.mk(Op::FpRoundToIntegral, &[mode, a]);
        let infinite = self.mk(Op::FpIsInfinite, &[a]);
        let finite = self.store.not(infinite);
        let (above, below) = (self.mk(Op::FpLe, &[low, rounded]), self.mk(Op::FpLt, &[rounded, high]));
        let defined = self.store.and(&[finite, above, below]);
        let otherwise = self.member(&Sort::BitVec(width));
        self.mk(Op::Ite, &[defined, converted, otherwise])
    }
}
