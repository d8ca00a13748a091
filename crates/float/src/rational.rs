//! Between floats and exact numbers.

use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::exact::{Exact, quotient, round};
use crate::{Environment, Float, Format, Rounded, RoundingMode};

impl Float {
    /// The exact value; `None` for infinities and NaNs. Both zeros give 0.
    pub fn to_rational(&self) -> Option<BigRational> {
        let finite = self.to_finite()?;
        let sign = if finite.negative { Sign::Minus } else { Sign::Plus };
        let significand = BigInt::from_biguint(sign, finite.significand);
        Some(if finite.exponent >= 0 {
            BigRational::from_integer(significand << finite.exponent)
        } else {
            BigRational::new(significand, BigInt::one() << -finite.exponent)
        })
    }

    /// The number nearest to an exact value in the given direction; beyond the largest number as IEEE 754 says.
    pub fn from_rational(format: Format, value: &BigRational, mode: RoundingMode) -> Float {
        Environment::with_rounding(mode).from_rational(value, format).value
    }

    /// ±significand · 2^exponent, rounded.
    pub fn from_parts(
        format: Format,
        negative: bool,
        significand: &BigUint,
        exponent: i64,
        mode: RoundingMode,
    ) -> Float {
        if significand.is_zero() {
            return Float::zero(format, negative);
        }
        // Far beyond every format's range, and sums of exponents stay within i64.
        let exponent = exponent.clamp(-(1 << 61), 1 << 61);
        let exact = Exact { negative, significand: significand.clone(), exponent, sticky: false };
        round(format, &Environment::with_rounding(mode), &exact).value
    }
}

impl Environment {
    /// An exact value rounded to `format`, with flags; zero is +0.
    pub fn from_rational(&self, value: &BigRational, format: Format) -> Rounded {
        if value.is_zero() {
            return Rounded::exact(Float::zero(format, false));
        }
        let negative = value.numer().sign() == Sign::Minus;
        let exact = quotient(negative, value.numer().magnitude(), value.denom().magnitude(), format.precision());
        round(format, &self.of(format), &exact)
    }
}
