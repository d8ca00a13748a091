//! Dyadic numbers, exact: where polynomials' signs are asked for.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Signed};
use rug::integer::Order;
use rug::{Complete, Integer};

/// n·2^e.
#[derive(Clone, Debug)]
pub(super) struct Point {
    numerator: Integer,
    exponent: i64,
}

impl Point {
    pub fn new(numerator: Integer, exponent: i64) -> Point {
        Point { numerator, exponent }
    }

    /// `None` where the denominator is not a power of two.
    pub fn from_rational(value: &BigRational) -> Option<Point> {
        let denominator = value.denom();
        let exponent = i64::try_from(denominator.trailing_zeros()?).ok()?;
        let is_power = denominator.bits() as i64 == exponent + 1;
        is_power.then(|| Point::new(integer(value.numer()), -exponent))
    }

    pub fn to_rational(&self) -> BigRational {
        let (numerator, denominator) = self.ratio();
        BigRational::new(big(&numerator), big(&denominator))
    }

    pub fn numerator(&self) -> &Integer {
        &self.numerator
    }

    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    pub fn negated(&self) -> Point {
        Point { numerator: (-&self.numerator).complete(), exponent: self.exponent }
    }

    /// Numerator and denominator.
    pub fn ratio(&self) -> (Integer, Integer) {
        let shift = u32::try_from(self.exponent.unsigned_abs()).unwrap_or(u32::MAX);
        if self.exponent >= 0 {
            ((&self.numerator << shift).complete(), Integer::from(1))
        } else {
            (self.numerator.clone(), Integer::from(1) << shift)
        }
    }
}

impl PartialEq for Point {
    fn eq(&self, other: &Point) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Point {}

impl PartialOrd for Point {
    fn partial_cmp(&self, other: &Point) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Point {
    fn cmp(&self, other: &Point) -> Ordering {
        let signs = self.numerator.cmp0().cmp(&other.numerator.cmp0());
        if signs.is_ne() || self.numerator.is_zero() {
            return signs;
        }
        // By the leading bit's position first, which bounds the shift below by the numerators' lengths.
        let top = |point: &Point| point.exponent + i64::from(point.numerator.significant_bits());
        let by_size = top(self).cmp(&top(other));
        if by_size.is_ne() {
            return if self.numerator.is_negative() { by_size.reverse() } else { by_size };
        }
        let lowest = self.exponent.min(other.exponent);
        let aligned =
            |point: &Point| (&point.numerator << u32::try_from(point.exponent - lowest).unwrap_or(u32::MAX)).complete();
        aligned(self).cmp(&aligned(other))
    }
}

/// The same number for GMP.
pub(super) fn integer(value: &BigInt) -> Integer {
    let magnitude = Integer::from_digits(&value.magnitude().to_u64_digits(), Order::Lsf);
    if value.is_negative() { -magnitude } else { magnitude }
}

/// The same number back.
pub(super) fn big(value: &Integer) -> BigInt {
    let magnitude = BigInt::from(BigUint::new(value.to_digits::<u32>(Order::Lsf)));
    if value.is_negative() { -magnitude } else { magnitude }
}

/// 2^exponent as a rational number.
pub(super) fn power_of_two(exponent: i64) -> BigRational {
    let power = BigInt::one() << exponent.unsigned_abs();
    if exponent >= 0 { BigRational::from_integer(power) } else { BigRational::new(BigInt::one(), power) }
}
