//! Doubles with an exponent of their own and an error bound.
//!
//! **Claim.** The exact result of an operation on numbers within their operands' bounds lies within the result's bound:
//! |exact − significand·2^exponent| ≤ error·2^exponent; an error of 0 means that the value is exact.
//!
//! **Argument.** Every operation computes the significand by one rounded operation on significands below 2, so that
//! the rounding error is at most half an ulp of a number below 4: 2⁻⁵². It computes the propagated error by at most
//! five rounded operations on non-negative numbers, which together lose at most a factor 1 + 2⁻⁵⁰, and multiplies by
//! that. [`ROUNDING`], 2⁻⁵¹, is added to every inexact result: 2⁻⁵² for the rounding, and as much for what underflows: scaling
//! by 2^−d loses at most 2⁻⁸⁹⁸ where d > 900 and 2⁻¹⁰⁷⁴ otherwise. A result counts as exact only where both operands are and the
//! rounding error is proved zero: for sums by Knuth's TwoSum (Handbook of Floating-Point Arithmetic, 2nd ed., algorithm
//! 4.4), exact here because nothing overflows and the smaller operand is scaled exactly; for products and quotients by counting significant bits.
//! [`normalise`] multiplies by powers of two only.

use labrys_float::Float;
use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

/// Error of one rounding, with as much again to spare.
const ROUNDING: f64 = f64::EPSILON * 2.0;
/// Makes up for the roundings in the computation of errors.
const SLACK: f64 = 1.0 + f64::EPSILON * 4.0;
/// The exponent of the exact zero: below all others, and sums of two such exponents still fit.
const ZERO_EXPONENT: i64 = -(1 << 61);
/// Larger exponents make a number unknown.
const EXPONENT_LIMIT: i64 = 1 << 60;
/// Beyond this distance of exponents the smaller operand counts as rounding error.
const FAR: i64 = 900;

/// (significand ± error)·2^exponent: a real number with a bound on what is not known of it.
///
/// Normalised: the larger of |significand| and error is in [1, 2). The exact zero has both 0. An unknown number
/// (divided by something that may be zero, or beyond 2^±2⁶⁰) has the significand NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtendedReal {
    pub(super) significand: f64,
    pub(super) error: f64,
    pub(super) exponent: i64,
}

/// 2^power for −1022 ≤ power ≤ 1023.
#[inline(always)]
fn power_of_two(power: i64) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

/// Zero bits at the end of a significand; 52 or more for powers of two and zero.
#[inline(always)]
fn trailing_zeros(significand: f64) -> u32 {
    significand.to_bits().trailing_zeros()
}

/// Whether the product of two significands has at most 53 significant bits.
#[inline(always)]
fn product_is_exact(a: f64, b: f64) -> bool {
    let (a, b) = (trailing_zeros(a), trailing_zeros(b));
    // A product of two integers of i and j bits has at most i + j, or as many as the other if one is a power of two.
    a + b >= 53 || a >= 52 || b >= 52
}

#[inline(always)]
fn normalise(significand: f64, error: f64, exponent: i64) -> ExtendedReal {
    let magnitude = significand.abs();
    let size = if error > magnitude { error } else { magnitude };
    let shift = (size.to_bits() >> 52) as i64 - 1023;
    // For NaNs the factor is meaningless, and the product a NaN all the same.
    let factor = f64::from_bits(((1023 - shift) as u64) << 52);
    let exponent = exponent + shift;
    if size == 0.0 {
        ExtendedReal::ZERO
    } else if !(-EXPONENT_LIMIT..=EXPONENT_LIMIT).contains(&exponent) {
        ExtendedReal::UNKNOWN
    } else {
        ExtendedReal { significand: significand * factor, error: error * factor, exponent }
    }
}

impl ExtendedReal {
    /// The exact zero.
    pub const ZERO: ExtendedReal = ExtendedReal { significand: 0.0, error: 0.0, exponent: ZERO_EXPONENT };
    /// A number of which nothing is known.
    pub const UNKNOWN: ExtendedReal = ExtendedReal { significand: f64::NAN, error: 0.0, exponent: 0 };

    /// A double, exactly; infinities and NaNs are unknown.
    pub fn from_f64(value: f64) -> ExtendedReal {
        if !value.is_finite() {
            return ExtendedReal::UNKNOWN;
        }
        // The ends of the range are brought to where the factor that normalises is a normal number.
        let by = match value.abs() {
            small if small < f64::MIN_POSITIVE => 64,
            large if large >= 2.0 => -64,
            _ => 0,
        };
        let (value, exponent) = (value * power_of_two(by), -by);
        normalise(value, 0.0, exponent)
    }

    /// A rational number, exactly where 53 bits hold it.
    pub fn from_rational(value: &BigRational) -> ExtendedReal {
        let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
        if value.numer().sign() == Sign::NoSign {
            return ExtendedReal::ZERO;
        }
        // A quotient of at least 54 bits.
        let shift = 54 - (numerator.bits() as i64 - denominator.bits() as i64);
        let (scaled, divisor) = if shift >= 0 {
            (numerator << shift, denominator.clone())
        } else {
            (numerator.clone(), denominator << -shift)
        };
        let quotient = &scaled / &divisor;
        let cut = quotient.bits() - 53;
        let kept = &quotient >> cut;
        let exact = (&kept << cut) * divisor == scaled;
        // 53 bits.
        let significand = kept.to_u64().unwrap_or(0) as f64 * power_of_two(-52);
        let signed = if value.is_negative() { -significand } else { significand };
        normalise(signed, if exact { 0.0 } else { ROUNDING }, 52 + cut as i64 - shift)
    }

    /// A finite floating-point number; infinities and NaNs are unknown.
    pub fn from_float(value: &Float) -> ExtendedReal {
        match (value.to_f64(), value.to_rational()) {
            (Some(value), _) => ExtendedReal::from_f64(value),
            (None, Some(value)) => ExtendedReal::from_rational(&value),
            (None, None) => ExtendedReal::UNKNOWN,
        }
    }

    /// Whether something is known of it.
    pub fn is_known(self) -> bool {
        !self.significand.is_nan()
    }

    /// Whether it is one number, not a range.
    pub fn is_exact(self) -> bool {
        self.is_known() && self.error == 0.0
    }

    /// Bounds, low ≤ number ≤ high; `None` for unknown numbers and where the bounds need exponents beyond ±2²⁰.
    pub fn bounds(self) -> Option<(BigRational, BigRational)> {
        if self == ExtendedReal::ZERO {
            return Some((BigRational::from_integer(0.into()), BigRational::from_integer(0.into())));
        }
        if self.exponent.abs() > 1 << 20 {
            return None;
        }
        let scale = BigInt::one() << self.exponent.unsigned_abs();
        let scale = if self.exponent < 0 { BigRational::new(1.into(), scale) } else { scale.into() };
        let (middle, error) = (BigRational::from_float(self.significand)?, BigRational::from_float(self.error)?);
        Some(((&middle - &error) * &scale, (middle + error) * scale))
    }

    /// How two numbers compare; `None` where their errors leave that open.
    pub fn compare(self, other: ExtendedReal) -> Option<std::cmp::Ordering> {
        let (difference, error) = self.difference(other);
        if difference.abs() > error {
            Some(if difference < 0.0 { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater })
        } else {
            (difference == 0.0 && error == 0.0).then_some(std::cmp::Ordering::Equal)
        }
    }

    #[inline(always)]
    pub(super) fn neg(self) -> ExtendedReal {
        ExtendedReal { significand: -self.significand, ..self }
    }

    #[inline(always)]
    pub(super) fn abs(self) -> ExtendedReal {
        ExtendedReal { significand: self.significand.abs(), ..self }
    }

    /// The sum, not normalised.
    #[inline(always)]
    fn raw_sum(self, other: ExtendedReal) -> (f64, f64, i64) {
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let distance = high.exponent - low.exponent;
        let factor = power_of_two(-distance.min(FAR + 100));
        let scaled = low.significand * factor;
        let sum = high.significand + scaled;
        let part = sum - high.significand;
        let lost = (high.significand - (sum - part)) + (scaled - part);
        let error = high.error + low.error * factor;
        let out_of_sight = distance > FAR && (low.significand != 0.0 || low.error != 0.0);
        let inexact = error != 0.0 || low.error != 0.0 || lost != 0.0 || out_of_sight;
        (sum, if inexact { error * SLACK + ROUNDING } else { 0.0 }, high.exponent)
    }

    #[inline(always)]
    pub(super) fn add(self, other: ExtendedReal) -> ExtendedReal {
        let (sum, error, exponent) = self.raw_sum(other);
        normalise(sum, error, exponent)
    }

    #[inline(always)]
    pub(super) fn mul(self, other: ExtendedReal) -> ExtendedReal {
        let (a, b) = (self.significand, other.significand);
        let exact = self.error + other.error == 0.0 && product_is_exact(a, b);
        let propagated = a.abs() * other.error + b.abs() * self.error + self.error * other.error;
        let error = if exact { 0.0 } else { propagated * SLACK + ROUNDING };
        normalise(a * b, error, self.exponent + other.exponent)
    }

    /// The quotient; unknown where the divisor may be zero.
    #[inline(always)]
    pub(super) fn div(self, other: ExtendedReal) -> ExtendedReal {
        let (a, b) = (self.significand, other.significand);
        // Positive where the divisor cannot be zero; then |b| ≥ 1, and the quotient is below 2.
        let margin = b.abs() - other.error;
        if margin.is_nan() || margin <= 0.0 || !self.is_known() {
            return ExtendedReal::UNKNOWN;
        }
        let quotient = a / b;
        let exact = self.error + other.error == 0.0 && product_is_exact(quotient, b) && quotient * b == a;
        let propagated = (self.error + quotient.abs() * other.error) / margin;
        let error = if exact { 0.0 } else { propagated * SLACK + ROUNDING };
        normalise(quotient, error, self.exponent - other.exponent)
    }

    /// The difference's significand and error: enough to compare with.
    #[inline(always)]
    pub(super) fn difference(self, other: ExtendedReal) -> (f64, f64) {
        let (sum, error, _) = self.raw_sum(other.neg());
        (sum, error)
    }
}
