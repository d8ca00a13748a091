//! Dyadic numbers m·2^e with outward rounding, and intervals of them.
//!
//! An [`Interval`] encloses the exact result of every operation: each end is computed exactly over the integers and then
//! cut to [`PRECISION`] bits, the lower end downward, the upper upward. Division by an interval that contains zero gives
//! no interval at all. Multiple-precision ends make the test of a solver's model decisive wherever exact rational
//! arithmetic would be, at a cost that does not grow with the depth of the term.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Bits kept. Far above the 2^-40 relative margins of the conditions and the 53 bits of a double, so that only exact
/// equalities stay undecided.
const PRECISION: u64 = 256;

/// m·2^e.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

impl Dyadic {
    fn zero() -> Dyadic {
        Dyadic { mantissa: BigInt::zero(), exponent: 0 }
    }

    /// Cuts to [`PRECISION`] bits, toward −∞ or +∞.
    fn cut(mantissa: BigInt, exponent: i64, upward: bool) -> Dyadic {
        let surplus = mantissa.bits().saturating_sub(PRECISION);
        if surplus == 0 {
            return Dyadic { mantissa, exponent };
        }
        // A shift of a BigInt rounds toward −∞; the negation of a shift of the negation rounds toward +∞.
        let mantissa = if upward { -((-mantissa) >> surplus) } else { mantissa >> surplus };
        Dyadic { mantissa, exponent: exponent + surplus as i64 }
    }

    fn negated(&self) -> Dyadic {
        Dyadic { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    fn sum(&self, other: &Dyadic, upward: bool) -> Dyadic {
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        if high.mantissa.is_zero() {
            return low.clone();
        }
        if low.mantissa.is_zero() {
            return high.clone();
        }
        let gap = (high.exponent - low.exponent) as u64;
        // Where the smaller lies wholly below the kept bits, one unit far below stands for it: the sum is between the
        // larger and its neighbour.
        if gap > low.mantissa.bits() + 2 * PRECISION {
            let shift = 2 * PRECISION;
            let nudge = match (low.mantissa.sign(), upward) {
                (Sign::Plus, true) => BigInt::one(),
                (Sign::Minus, false) => -BigInt::one(),
                _ => BigInt::zero(),
            };
            return Dyadic::cut((&high.mantissa << shift) + nudge, high.exponent - shift as i64, upward);
        }
        Dyadic::cut((&high.mantissa << gap) + &low.mantissa, low.exponent, upward)
    }

    fn product(&self, other: &Dyadic, upward: bool) -> Dyadic {
        Dyadic::cut(&self.mantissa * &other.mantissa, self.exponent + other.exponent, upward)
    }

    /// The quotient; the divisor is not zero.
    fn quotient(&self, other: &Dyadic, upward: bool) -> Dyadic {
        if self.mantissa.is_zero() {
            return Dyadic::zero();
        }
        let shift = PRECISION + other.mantissa.bits();
        let dividend = &self.mantissa << shift;
        let floor = dividend.div_floor(&other.mantissa);
        let mantissa = if upward && &floor * &other.mantissa != dividend { floor + 1 } else { floor };
        Dyadic::cut(mantissa, self.exponent - other.exponent - shift as i64, upward)
    }

    fn to_rational(&self) -> BigRational {
        // In lowest terms without a division: the denominator is a power of two.
        let zeros = self.mantissa.trailing_zeros().unwrap_or(u64::MAX);
        let cancelled = zeros.min(u64::try_from(-self.exponent).unwrap_or(0));
        if self.mantissa.is_zero() || self.exponent >= 0 {
            return BigRational::from_integer(&self.mantissa << self.exponent.max(0));
        }
        let denominator = BigInt::one() << (self.exponent.unsigned_abs() - cancelled);
        BigRational::new_raw(&self.mantissa >> cancelled, denominator)
    }

    fn from_rational(value: &BigRational, upward: bool) -> Dyadic {
        let places = value.denom().bits() - 1;
        if value.denom().trailing_zeros() == Some(places) {
            return Dyadic::cut(value.numer().clone(), -(places as i64), upward);
        }
        let part = |integer: &BigInt| Dyadic { mantissa: integer.clone(), exponent: 0 };
        part(value.numer()).quotient(&part(value.denom()), upward)
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Dyadic) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Dyadic) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Dyadic) -> Ordering {
        let signs = self.mantissa.sign().cmp(&other.mantissa.sign());
        if signs.is_ne() || self.mantissa.is_zero() {
            return signs;
        }
        // Equal signs: by the position of the leading bit first, which bounds the shift below by the mantissas' lengths.
        let top = |number: &Dyadic| number.exponent + number.mantissa.bits() as i64;
        let by_size = top(self).cmp(&top(other));
        if by_size.is_ne() {
            return if self.mantissa.is_negative() { by_size.reverse() } else { by_size };
        }
        let lowest = self.exponent.min(other.exponent);
        let aligned = |number: &Dyadic| &number.mantissa << (number.exponent - lowest) as u64;
        aligned(self).cmp(&aligned(other))
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
        Interval { low: Dyadic::from_rational(low, false), high: Dyadic::from_rational(high, true) }
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
        Interval { low: self.low.sum(&other.low, false), high: self.high.sum(&other.high, true) }
    }

    pub(crate) fn mul(&self, other: &Interval) -> Interval {
        self.corners(other, Dyadic::product)
    }

    /// The quotient; `None` where the divisor may be zero.
    pub(crate) fn div(&self, other: &Interval) -> Option<Interval> {
        let zero = Dyadic::zero();
        let without_zero = other.low > zero || other.high < zero;
        without_zero.then(|| self.corners(other, Dyadic::quotient))
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
    use super::*;
    use proptest::prelude::*;

    fn rational() -> impl Strategy<Value = BigRational> {
        (any::<i64>(), 1..=u32::MAX, -1100i32..1100).prop_map(|(numerator, denominator, exponent)| {
            let scale = BigRational::from_integer(BigInt::from(2)).pow(exponent);
            BigRational::new(numerator.into(), denominator.into()) * scale
        })
    }

    fn value(number: &Dyadic) -> BigRational {
        let power = BigRational::from_integer(BigInt::from(2)).pow(number.exponent as i32);
        BigRational::from_integer(number.mantissa.clone()) * power
    }

    fn encloses(interval: &Interval, exact: &BigRational) -> bool {
        let (low, high) = (value(&interval.low), value(&interval.high));
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
            prop_assert!(value(&sum.low) <= exact && exact <= value(&sum.high));
            let slack = (a.abs() + b.abs()) / BigRational::from_integer(BigInt::one() << 200);
            prop_assert!(value(&sum.high) - value(&sum.low) <= slack);
        }

        #[test]
        fn wide_intervals_enclose_all_their_members(a in rational(), b in rational(), c in rational(), d in rational()) {
            let (x, y) = (Interval::between((&a).min(&b), (&a).max(&b)), Interval::between((&c).min(&d), (&c).max(&d)));
            for (p, q) in [(&a, &c), (&a, &d), (&b, &c), (&b, &d)] {
                let inside = |interval: &Interval, exact: BigRational| {
                    value(&interval.low) <= exact && exact <= value(&interval.high)
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
