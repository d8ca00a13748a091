//! Conversions between formats and between numbers and integers (IEEE 754-2019, sections 5.4.1 and 5.8).

use num_bigint::{BigInt, Sign};
use num_traits::{One, Zero};

use crate::exact::{Exact, round, round_finite};
use crate::operand::propagate_nan;
use crate::unpacked::{Finite, Unpacked};
use crate::{Environment, Flags, Float, Format, Rounded, RoundingMode};

impl Environment {
    /// The number in another format. Conversions from or to x87's format are the x87 unit's, without FTZ and DAZ.
    pub fn convert(&self, a: &Float, format: Format) -> Rounded {
        let environment = self.of(a.format()).of(format);
        let operand = environment.operand(a);
        if let Some(nan) = propagate_nan(format, &[&operand]) {
            return nan;
        }
        match operand {
            Unpacked::Finite(finite) => round_finite(format, &environment, finite),
            Unpacked::Infinite { negative } => Rounded::exact(Float::infinity(format, negative)),
            Unpacked::Nan { .. } => Rounded::exact(Float::nan(format)),
        }
    }

    /// The number rounded to an integer of `bits` bits in the direction `mode`. `None`, with invalid, for NaNs,
    /// infinities and numbers whose rounded value is out of range; else inexact if rounding changed the value.
    pub fn to_integer(&self, a: &Float, mode: RoundingMode, bits: u32, signed: bool) -> (Option<BigInt>, Flags) {
        let environment = self.of(a.format());
        let Unpacked::Finite(finite) = environment.operand(a) else {
            return (None, Flags::INVALID);
        };
        if finite.is_zero() {
            return (Some(BigInt::zero()), Flags::empty());
        }
        if finite.top() > i64::from(bits) {
            return (None, Flags::INVALID);
        }
        let (magnitude, inexact) = Exact::from(finite.clone()).round_at(0, mode);
        let value = BigInt::from_biguint(if finite.negative { Sign::Minus } else { Sign::Plus }, magnitude);
        let (low, high) = if signed {
            let half = BigInt::one() << (bits - 1);
            (-&half, half - 1)
        } else {
            (BigInt::zero(), (BigInt::one() << bits) - 1)
        };
        if value < low || value > high {
            return (None, Flags::INVALID);
        }
        (Some(value), if inexact { Flags::INEXACT } else { Flags::empty() })
    }

    /// An integer rounded to `format`; 0 is +0.
    pub fn from_integer(&self, value: &BigInt, format: Format) -> Rounded {
        let finite =
            Finite { negative: value.sign() == Sign::Minus, significand: value.magnitude().clone(), exponent: 0 };
        round_finite(format, &self.of(format), finite)
    }

    /// a · 2^`power` with one rounding (C's `scalbn`, `ldexp`).
    pub fn scale(&self, a: &Float, power: i64) -> Rounded {
        let (format, environment) = (a.format(), self.of(a.format()));
        let finite = match environment.operand(a) {
            Unpacked::Finite(finite) if !finite.is_zero() => finite,
            _ => return self.convert(a, format),
        };
        // Beyond this the result is past the largest number or far below the smallest whatever the operand.
        let reach = 4 * (format.max_exponent() + i64::from(format.precision()) + 4);
        let exponent = finite.exponent + power.clamp(-reach, reach);
        round(format, &environment, &Finite { exponent, ..finite }.into())
    }
}
