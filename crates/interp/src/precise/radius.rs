//! Upper bounds of distances, of any magnitude.
//!
//! **Claim.** Every operation here rounds up: what it returns is at least the real result of the real operands that its operands
//! bound. A significand has 53 bits, so that thousands of operations in a row inflate a bound by less than 2^−30.

use std::cmp::Ordering;

use labrys_elementary::rug;

/// 1 + 2^−50: more than an operation on significands loses.
const UP: f64 = 1.0 + 4.0 * f64::EPSILON;

/// Zero, significand · 2^exponent, or no bound at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radius {
    /// In [1, 2); 0 for zero, infinite for no bound.
    significand: f64,
    exponent: i64,
}

impl Radius {
    /// No distance.
    pub const ZERO: Radius = Radius { significand: 0.0, exponent: 0 };
    /// No bound.
    pub const UNBOUNDED: Radius = Radius { significand: f64::INFINITY, exponent: 0 };

    /// 2^exponent.
    pub fn power_of_two(exponent: i64) -> Radius {
        Radius { significand: 1.0, exponent }
    }

    /// A number that is not negative, or NaN, for which there is no bound.
    pub fn of(number: f64) -> Radius {
        Radius::of_precise(&rug::Float::with_val(53, number))
    }

    /// |value|, rounded up.
    pub fn of_precise(value: &rug::Float) -> Radius {
        match value.get_exp() {
            // MPFR's significands lie in [1/2, 1).
            Some(exponent) => {
                let significand = (value.clone() >> exponent).to_f64_round(rug::float::Round::AwayZero).abs();
                Radius { significand, exponent: i64::from(exponent) }.normal()
            }
            None if value.is_zero() => Radius::ZERO,
            None => Radius::UNBOUNDED,
        }
    }

    /// Whether it is no distance.
    pub fn is_zero(self) -> bool {
        self.significand == 0.0
    }

    /// Whether it is a bound.
    pub fn is_bounded(self) -> bool {
        self.significand.is_finite()
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Radius) -> Radius {
        if self.is_zero() || !other.is_bounded() {
            return other;
        }
        if other.is_zero() || !self.is_bounded() {
            return self;
        }
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let apart = large.exponent - small.exponent;
        // What is far below is within what rounding up adds.
        let added = if apart > 60 { 0.0 } else { small.significand * (-apart as f64).exp2() };
        Radius { significand: (large.significand + added) * UP, exponent: large.exponent }.normal()
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Radius) -> Radius {
        if self.is_zero() || other.is_zero() {
            return Radius::ZERO;
        }
        let exponent = self.exponent.saturating_add(other.exponent);
        Radius { significand: self.significand * other.significand * UP, exponent }.normal()
    }

    /// So many times it.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Radius {
        self.times(Radius::of(factor))
    }

    /// Times 2^exponent.
    #[must_use]
    pub fn shifted(self, exponent: i64) -> Radius {
        Radius { exponent: if self.is_zero() { 0 } else { self.exponent.saturating_add(exponent) }, ..self }
    }

    /// Divided by |divisor|, which is itself known within `around`; no bound where it may be zero.
    #[must_use]
    pub fn divided(self, divisor: &rug::Float, around: Radius) -> Radius {
        let Some(slack) = relative_slack(divisor, around) else { return Radius::UNBOUNDED };
        let Some(exponent) = divisor.get_exp() else { return Radius::UNBOUNDED };
        let significand = (divisor.clone() >> exponent).to_f64_round(rug::float::Round::Zero).abs();
        let quotient = Radius {
            significand: self.significand / significand * UP,
            exponent: self.exponent.saturating_sub(i64::from(exponent)),
        };
        if self.is_zero() { Radius::ZERO } else { quotient.normal().scaled(slack) }
    }

    /// The square root.
    #[must_use]
    pub fn root(self) -> Radius {
        let odd = self.exponent.rem_euclid(2);
        let significand = (self.significand * if odd == 1 { 2.0 } else { 1.0 }).sqrt() * UP;
        if self.is_zero() { self } else { Radius { significand, exponent: (self.exponent - odd) / 2 }.normal() }
    }

    /// The greater.
    #[must_use]
    pub fn max(self, other: Radius) -> Radius {
        if self.compare(other) == Ordering::Less { other } else { self }
    }

    /// Whether it is below |value| for certain.
    pub fn is_below(self, value: &rug::Float) -> bool {
        match value.get_exp() {
            Some(exponent) => {
                let significand = (value.clone() >> exponent).to_f64_round(rug::float::Round::Zero).abs();
                let value = Radius { significand, exponent: i64::from(exponent) }.normal();
                self.compare(value) == Ordering::Less
            }
            None => value.is_infinite() && self.is_bounded(),
        }
    }

    /// It as a number of 53 bits, rounded up; infinite where there is no bound or MPFR has no such exponent.
    pub fn to_precise(self) -> rug::Float {
        let exponent =
            i32::try_from(self.exponent).unwrap_or(if self.exponent < 0 { i32::MIN / 2 } else { i32::MAX / 2 });
        rug::Float::with_val(53, self.significand) << exponent
    }

    fn compare(self, other: Radius) -> Ordering {
        match (self.is_zero(), other.is_zero(), self.is_bounded(), other.is_bounded()) {
            (true, true, ..) | (_, _, false, false) => Ordering::Equal,
            (true, false, ..) | (_, _, true, false) => Ordering::Less,
            (false, true, ..) | (_, _, false, true) => Ordering::Greater,
            _ => self.exponent.cmp(&other.exponent).then(self.significand.total_cmp(&other.significand)),
        }
    }

    /// The same with a significand in [1, 2).
    fn normal(mut self) -> Radius {
        if self.significand == 0.0 {
            return Radius::ZERO;
        }
        if !self.significand.is_finite() {
            return Radius::UNBOUNDED;
        }
        while self.significand >= 2.0 {
            (self.significand, self.exponent) = (self.significand / 2.0, self.exponent.saturating_add(1));
        }
        while self.significand < 1.0 {
            (self.significand, self.exponent) = (self.significand * 2.0, self.exponent.saturating_sub(1));
        }
        self
    }
}

/// By how much 1/|x| may exceed 1/|value| for an x within `around` of it; `None` where that is more than twice.
fn relative_slack(value: &rug::Float, around: Radius) -> Option<f64> {
    if around.is_zero() {
        return value.is_finite().then_some(1.0);
    }
    if around.shifted(30).is_below(value) {
        // 1 / (1 − 2^−30)
        return Some(1.0 + 1e-9);
    }
    if around.shifted(10).is_below(value) {
        return Some(1.001);
    }
    around.shifted(1).is_below(value).then_some(2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn precise(value: f64) -> rug::Float {
        rug::Float::with_val(53, value)
    }

    /// Against 200 bits: never below, and hardly above.
    #[test]
    fn operations_round_up() {
        let numbers = [1e-300, 3.7e-17, 0.1, 1.0, 1.5, 2.0, 7.3e9, 1e200];
        let holds = |bound: Radius, exact: rug::Float| {
            let bound = bound.to_precise();
            assert!(bound >= exact && bound <= rug::Float::with_val(200, &exact * 1.000_000_01f64), "{bound} {exact}");
        };
        for a in numbers {
            for b in numbers {
                let (x, y) = (rug::Float::with_val(200, a), rug::Float::with_val(200, b));
                holds(Radius::of(a).plus(Radius::of(b)), x.clone() + &y);
                holds(Radius::of(a).times(Radius::of(b)), x.clone() * &y);
                holds(Radius::of(a).divided(&precise(-b), Radius::ZERO), x.clone() / &y);
                holds(Radius::of(a).root(), x.clone().sqrt());
                assert_eq!(Radius::of(a).is_below(&precise(-b)), a < b);
                assert_eq!(Radius::of(a).max(Radius::of(b)), Radius::of(a.max(b)));
            }
        }
    }

    #[test]
    fn zero_and_no_bound_keep_to_themselves() {
        let some = Radius::of(3.0);
        assert_eq!(Radius::ZERO.plus(some), some);
        assert_eq!(some.plus(Radius::UNBOUNDED), Radius::UNBOUNDED);
        assert_eq!(Radius::ZERO.times(some), Radius::ZERO);
        assert_eq!(Radius::ZERO.times(Radius::UNBOUNDED), Radius::ZERO);
        assert_eq!(some.divided(&precise(0.0), Radius::ZERO), Radius::UNBOUNDED);
        assert_eq!(some.divided(&precise(1.0), Radius::of(0.75)), Radius::UNBOUNDED);
        assert!(!Radius::UNBOUNDED.is_below(&precise(f64::INFINITY)));
        assert!(!Radius::of(f64::NAN).is_bounded());
        assert!(!Radius::ZERO.is_below(&precise(0.0)));
    }
}
