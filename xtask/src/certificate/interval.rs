//! Intervals of MPFR's numbers, rounded outward.

use std::ops::{Add, Mul, Neg, Sub};

use rug::Float;
use rug::float::Round::{self, Down, Up};

/// Bits of the ends: beside a double's the loss does not count.
const PRECISION: u32 = 96;

/// The real numbers from `low` to `high`; everything where an end is infinite or NaN.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interval {
    pub low: Float,
    pub high: Float,
}

/// An unrounded result, rounded in a direction.
macro_rules! rounded {
    ($value:expr, $round:expr) => {
        Float::with_val_round(PRECISION, $value, $round).0
    };
}

impl Interval {
    pub(super) fn new(low: Float, high: Float) -> Interval {
        if low.is_finite() && high.is_finite() && low <= high {
            Interval { low, high }
        } else {
            Interval {
                low: Float::with_val(PRECISION, f64::NEG_INFINITY),
                high: Float::with_val(PRECISION, f64::INFINITY),
            }
        }
    }

    pub(super) fn between(low: f64, high: f64) -> Interval {
        Interval::new(Float::with_val(PRECISION, low), Float::with_val(PRECISION, high))
    }

    pub(super) fn point(value: f64) -> Interval {
        Interval::between(value, value)
    }

    pub(super) fn around(radius: &Float) -> Interval {
        Interval::new(-radius.clone(), radius.clone())
    }

    pub(super) fn everything() -> Interval {
        Interval::between(f64::NEG_INFINITY, f64::INFINITY)
    }

    /// A value rounded in both directions by `at`.
    pub(super) fn of(at: impl Fn(Round) -> Float) -> Interval {
        Interval::new(at(Down), at(Up))
    }

    pub(super) fn is_bounded(&self) -> bool {
        self.high.is_finite()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.low == 0 && self.high == 0
    }

    pub(super) fn has_zero(&self) -> bool {
        self.low <= 0 && self.high >= 0
    }

    /// The range of the members' signs: 1, −1, or both.
    pub(super) fn sign(&self) -> (f64, f64) {
        if self.low >= 0 {
            (1.0, 1.0)
        } else if self.high <= 0 {
            (-1.0, -1.0)
        } else {
            (-1.0, 1.0)
        }
    }

    /// The greatest and the least magnitude.
    pub(super) fn magnitude(&self) -> Float {
        self.high.clone().max(&-self.low.clone())
    }

    pub(super) fn mignitude(&self) -> Float {
        self.low.clone().max(&-self.high.clone()).max(&Float::with_val(PRECISION, 0))
    }

    pub(super) fn hull(&self, other: &Interval) -> Interval {
        Interval::new(self.low.clone().min(&other.low), self.high.clone().max(&other.high))
    }

    pub(super) fn abs(&self) -> Interval {
        Interval::new(self.mignitude(), self.magnitude())
    }

    pub(super) fn square(&self) -> Interval {
        let (least, greatest) = (self.mignitude(), self.magnitude());
        Interval::new(rounded!(&least * &least, Down), rounded!(&greatest * &greatest, Up))
    }

    pub(super) fn sqrt(&self) -> Interval {
        Interval::new(rounded!(self.low.sqrt_ref(), Down), rounded!(self.high.sqrt_ref(), Up))
    }

    pub(super) fn over(&self, divisor: &Interval) -> Interval {
        if divisor.has_zero() || !divisor.is_bounded() {
            return Interval::everything();
        }
        self.corners(divisor, |x, y, round| rounded!(x / y, round))
    }

    fn corners(&self, other: &Interval, at: impl Fn(&Float, &Float, Round) -> Float) -> Interval {
        let ends =
            |round: Round| [&self.low, &self.high].map(|x| [&other.low, &other.high].map(|y| at(x, y, round))).concat();
        let (lows, highs) = (ends(Down), ends(Up));
        // MPFR's minimum passes a NaN over.
        if lows.iter().chain(&highs).any(Float::is_nan) {
            return Interval::everything();
        }
        let low = lows.into_iter().reduce(|least, x| least.min(&x));
        let high = highs.into_iter().reduce(|greatest, x| greatest.max(&x));
        low.zip(high).map_or_else(Interval::everything, |(low, high)| Interval::new(low, high))
    }
}

impl Add for &Interval {
    type Output = Interval;

    fn add(self, other: &Interval) -> Interval {
        Interval::new(rounded!(&self.low + &other.low, Down), rounded!(&self.high + &other.high, Up))
    }
}

impl Sub for &Interval {
    type Output = Interval;

    fn sub(self, other: &Interval) -> Interval {
        Interval::new(rounded!(&self.low - &other.high, Down), rounded!(&self.high - &other.low, Up))
    }
}

impl Neg for &Interval {
    type Output = Interval;

    fn neg(self) -> Interval {
        Interval::new(-self.high.clone(), -self.low.clone())
    }
}

impl Mul for &Interval {
    type Output = Interval;

    fn mul(self, other: &Interval) -> Interval {
        if self.is_zero() || other.is_zero() {
            return Interval::point(0.0);
        }
        self.corners(other, |x, y, round| rounded!(x * y, round))
    }
}

/// x + y and x·y, rounded up.
pub(super) fn sum(x: &Float, y: &Float) -> Float {
    rounded!(x + y, Up)
}

pub(super) fn product(x: &Float, y: &Float) -> Float {
    if x.is_zero() || y.is_zero() { Float::with_val(PRECISION, 0) } else { rounded!(x * y, Up) }
}

pub(super) fn zero() -> Float {
    Float::with_val(PRECISION, 0)
}

/// 2^`exponent`.
pub(super) fn power(exponent: i64) -> Float {
    Float::with_val(PRECISION, 1) << i32::try_from(exponent.clamp(-5000, 5000)).unwrap_or(0)
}

/// A function's values where it is monotone, from the ends.
pub(super) fn monotone(x: &Interval, at: impl Fn(&Float, Round) -> Float) -> Interval {
    let (first, last) = (Interval::of(|round| at(&x.low, round)), Interval::of(|round| at(&x.high, round)));
    if first.is_bounded() && last.is_bounded() { first.hull(&last) } else { Interval::everything() }
}

pub(super) const fn precision() -> u32 {
    PRECISION
}
