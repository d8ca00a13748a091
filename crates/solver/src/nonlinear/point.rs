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

    pub fn to_rational(&self) -> BigRational {
        let zeros = self.numerator.find_one(0).unwrap_or(0);
        let denominator = u32::try_from(-self.exponent).unwrap_or(0);
        // In lowest terms without a division: the denominator is a power of two.
        let cancelled = zeros.min(denominator);
        let numerator = (&self.numerator >> cancelled).complete();
        let shift = u32::try_from(self.exponent.max(0)).unwrap_or(u32::MAX);
        let denominator = if self.numerator.is_zero() { 0 } else { denominator - cancelled };
        BigRational::new_raw(big(&(numerator << shift)), BigInt::one() << denominator)
    }

    pub fn numerator(&self) -> &Integer {
        &self.numerator
    }

    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The exponent of the leading bit, and one.
    fn top(&self) -> i64 {
        self.exponent + i64::from(self.numerator.significant_bits())
    }

    /// A point between two of the same sign, or next to 0: the middle of their exponents where these are far apart.
    pub fn middle(&self, other: &Point) -> Point {
        let has_zero = self.numerator.is_zero() || other.numerator.is_zero();
        if !has_zero && (self.top() - other.top()).abs() > 2 {
            // 2^(e - 1) is at most, and 2^(e + 1) more than, a number with its leading bit at e - 1 or e.
            let one = if self.numerator.is_negative() { Integer::from(-1) } else { Integer::from(1) };
            return Point::new(one, (self.top() + other.top()).div_euclid(2));
        }
        let lowest = self.exponent.min(other.exponent);
        Point::new(self.aligned(lowest) + other.aligned(lowest), lowest - 1)
    }

    /// Whether the distance to another point is at most 2^-bits of this one's magnitude.
    pub fn is_within(&self, other: &Point, bits: u32) -> bool {
        if (self.top() - other.top()).abs() > 1 {
            return false;
        }
        let lowest = self.exponent.min(other.exponent);
        let (here, there) = (self.aligned(lowest), other.aligned(lowest));
        (Integer::from(&here - &there).abs() << bits) <= here.abs()
    }

    /// The numerator over 2^-exponent, for exponents that are no larger.
    fn aligned(&self, exponent: i64) -> Integer {
        (&self.numerator << u32::try_from(self.exponent - exponent).unwrap_or(u32::MAX)).complete()
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
        let by_size = self.top().cmp(&other.top());
        if by_size.is_ne() {
            return if self.numerator.is_negative() { by_size.reverse() } else { by_size };
        }
        let lowest = self.exponent.min(other.exponent);
        self.aligned(lowest).cmp(&other.aligned(lowest))
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
