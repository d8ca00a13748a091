//! Intervals of dyadic numbers with outward rounding.
//!
//! An [`Interval`] encloses the exact result of every operation: each end is computed exactly over the integers and then
//! cut to [`PRECISION`] bits, the lower end downward, the upper upward. Division by an interval that contains zero gives
//! no interval at all. Multiple-precision ends make the test of a solver's model decisive wherever exact rational
//! arithmetic would be, at a cost that does not grow with the depth of the term.

use std::cmp::Ordering;

use labrys_term::algebraic::{Dyadic, to_gmp};
use num_rational::BigRational;
use rug::{Complete, Integer};

/// Bits kept. Far above the 2^-40 relative margins of the conditions and the 53 bits of a double, so that only exact
/// equalities stay undecided.
const PRECISION: u32 = 256;

/// significand·2^exponent cut to [`PRECISION`] bits, toward −∞ or +∞.
fn cut(significand: Integer, exponent: i64, upward: bool) -> Dyadic {
    let surplus = significand.significant_bits().saturating_sub(PRECISION);
    if surplus == 0 {
        return Dyadic::new(significand, exponent);
    }
    // A shift rounds toward −∞; the negation of a shift of the negation rounds toward +∞.
    let significand = if upward { -((-significand) >> surplus) } else { significand >> surplus };
    Dyadic::new(significand, exponent + i64::from(surplus))
}

fn sum(one: &Dyadic, other: &Dyadic, upward: bool) -> Dyadic {
    let (high, low) = if one.exponent() >= other.exponent() { (one, other) } else { (other, one) };
    if high.is_zero() {
        return low.clone();
    }
    if low.is_zero() {
        return high.clone();
    }
    let gap = high.exponent() - low.exponent();
    // Where the smaller lies wholly below the kept bits, one unit far below stands for it: the sum is between the
    // larger and its neighbour.
    match u32::try_from(gap) {
        Ok(gap) if gap <= low.significand().significant_bits() + 2 * PRECISION => {
            cut((high.significand() << gap).complete() + low.significand(), low.exponent(), upward)
        }
        _ => {
            let shift = 2 * PRECISION;
            let nudge = match (low.significand().cmp0(), upward) {
                (Ordering::Greater, true) => 1,
                (Ordering::Less, false) => -1,
                _ => 0,
            };
            cut((high.significand() << shift).complete() + nudge, high.exponent() - i64::from(shift), upward)
        }
    }
}

fn product(one: &Dyadic, other: &Dyadic, upward: bool) -> Dyadic {
    cut((one.significand() * other.significand()).complete(), one.exponent() + other.exponent(), upward)
}

/// The quotient; the divisor is not zero.
fn quotient(dividend: &Dyadic, divisor: &Dyadic, upward: bool) -> Dyadic {
    if dividend.is_zero() {
        return Dyadic::zero();
    }
    let shift = PRECISION + divisor.significand().significant_bits();
    let scaled = (dividend.significand() << shift).complete();
    let (floor, rest) = scaled.div_rem_floor(divisor.significand().clone());
    let significand = if upward && !rest.is_zero() { floor + 1 } else { floor };
    cut(significand, dividend.exponent() - divisor.exponent() - i64::from(shift), upward)
}

/// A rational number cut to [`PRECISION`] bits.
fn rounded(value: &BigRational, upward: bool) -> Dyadic {
    match Dyadic::from_rational(value) {
        Some(exact) => cut(exact.significand().clone(), exact.exponent(), upward),
        None => {
            let part = |integer| Dyadic::new(to_gmp(integer), 0);
            quotient(&part(value.numer()), &part(value.denom()), upward)
        }
    }
}

/// All real numbers between two dyadic ones, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    low: Dyadic,
    high: Dyadic,
}

impl Interval {
    /// The smallest enclosure of a rational number.
    pub(crate) fn of(value: &BigRational) -> Interval {
        Interval::between(value, value)
    }

    /// An enclosure of all numbers between two.
    pub(crate) fn between(low: &BigRational, high: &BigRational) -> Interval {
        Interval { low: rounded(low, false), high: rounded(high, true) }
    }

    /// Its ends.
    pub(crate) fn ends(&self) -> (BigRational, BigRational) {
        (self.low.to_rational(), self.high.to_rational())
    }

    pub(crate) fn neg(&self) -> Interval {
        Interval { low: self.high.negated(), high: self.low.negated() }
    }

    pub(crate) fn abs(&self) -> Interval {
        let zero = Dyadic::zero();
        if self.low >= zero {
            self.clone()
        } else if self.high <= zero {
            self.neg()
        } else {
            let highest = self.high.clone().max(self.low.negated());
            Interval { low: zero, high: highest }
        }
    }

    pub(crate) fn add(&self, other: &Interval) -> Interval {
        Interval { low: sum(&self.low, &other.low, false), high: sum(&self.high, &other.high, true) }
    }

    pub(crate) fn mul(&self, other: &Interval) -> Interval {
        self.corners(other, product)
    }

    /// The quotient; `None` where the divisor may be zero.
    pub(crate) fn div(&self, other: &Interval) -> Option<Interval> {
        let zero = Dyadic::zero();
        let without_zero = other.low > zero || other.high < zero;
        without_zero.then(|| self.corners(other, quotient))
    }

    /// The hull of an operation that is monotone in each argument, from its values at the corners.
    fn corners(&self, other: &Interval, operation: fn(&Dyadic, &Dyadic, bool) -> Dyadic) -> Interval {
        let ends = |upward: bool| {
            let row = |left: &Dyadic| (operation(left, &other.low, upward), operation(left, &other.high, upward));
            let ((a, b), (c, d)) = (row(&self.low), row(&self.high));
            [a, b, c, d]
        };
        let [a, b, c, d] = ends(false);
        let low = a.min(b).min(c.min(d));
        let [a, b, c, d] = ends(true);
        Interval { low, high: a.max(b).max(c.max(d)) }
    }

    pub(crate) fn hull(&self, other: &Interval) -> Interval {
        Interval { low: (&self.low).min(&other.low).clone(), high: (&self.high).max(&other.high).clone() }
    }

    /// Whether every number here is less than every number there (`Some(true)`), none is (`Some(false)`), or some.
    pub(crate) fn less(&self, other: &Interval) -> Option<bool> {
        if self.high < other.low {
            Some(true)
        } else if self.low >= other.high {
            Some(false)
        } else {
            None
        }
    }

    /// The same for equality; it is certain only between two points.
    pub(crate) fn equal(&self, other: &Interval) -> Option<bool> {
        if self.high < other.low || other.high < self.low {
            Some(false)
        } else if self.low == self.high && self == other {
            Some(true)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_traits::{One, Signed, Zero};
    use proptest::prelude::*;

    use super::*;

    fn rational() -> impl Strategy<Value = BigRational> {
        (any::<i64>(), 1..=u32::MAX, -1100i32..1100).prop_map(|(numerator, denominator, exponent)| {
            let scale = BigRational::from_integer(BigInt::from(2)).pow(exponent);
            BigRational::new(numerator.into(), denominator.into()) * scale
        })
    }

    fn encloses(interval: &Interval, exact: &BigRational) -> bool {
        let (low, high) = interval.ends();
        let width = &high - &low;
        // Enclosing alone would allow intervals of any width: they must also be tight.
        let tight = width <= exact.abs() / BigRational::from_integer(BigInt::one() << 200);
        low <= *exact && *exact <= high && tight
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn operations_on_points_enclose_the_exact_result_tightly(a in rational(), b in rational()) {
            let (x, y) = (Interval::of(&a), Interval::of(&b));
            prop_assert!(encloses(&x.mul(&y), &(&a * &b)));
            prop_assert!(encloses(&x.abs(), &a.abs()));
            if !b.is_zero() {
                prop_assert!(x.div(&y).is_some_and(|quotient| encloses(&quotient, &(&a / &b))));
            }
            // A sum may cancel; then only the operands' size bounds the width.
            let sum = x.add(&y);
            let exact = &a + &b;
            prop_assert!(sum.low.to_rational() <= exact && exact <= sum.high.to_rational());
            let slack = (a.abs() + b.abs()) / BigRational::from_integer(BigInt::one() << 200);
            prop_assert!(sum.high.to_rational() - sum.low.to_rational() <= slack);
        }

        #[test]
        fn wide_intervals_enclose_all_their_members(a in rational(), b in rational(), c in rational(), d in rational()) {
            let (x, y) = (Interval::between((&a).min(&b), (&a).max(&b)), Interval::between((&c).min(&d), (&c).max(&d)));
            for (p, q) in [(&a, &c), (&a, &d), (&b, &c), (&b, &d)] {
                let inside = |interval: &Interval, exact: BigRational| {
                    interval.low.to_rational() <= exact && exact <= interval.high.to_rational()
                };
                prop_assert!(inside(&x.mul(&y), p * q));
                prop_assert!(inside(&x.add(&y.neg()), p - q));
                prop_assert!(inside(&x.abs(), p.abs()));
                prop_assert!(inside(&x.hull(&y), p.clone()) && inside(&x.hull(&y), q.clone()));
                if let Some(quotient) = x.div(&y) {
                    prop_assert!(inside(&quotient, p / q));
                }
            }
        }

        #[test]
        fn comparisons_agree_with_the_rationals(a in rational(), b in rational()) {
            let (x, y) = (Interval::of(&a), Interval::of(&b));
            if let Some(less) = x.less(&y) {
                prop_assert_eq!(less, a < b);
            }
            if let Some(equal) = x.equal(&y) {
                prop_assert_eq!(equal, a == b);
            }
            prop_assert_eq!(x.less(&y).is_none() && a != b, false, "far enough apart to be told apart");
        }
    }
}
