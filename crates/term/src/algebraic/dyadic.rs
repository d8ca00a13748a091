//! Dyadic numbers n·2^e, exact: the points at which polynomials' signs are asked for, and the ends of intervals.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use rug::{Complete, Integer};

use super::gmp::{from_gmp, to_gmp};

/// significand·2^exponent. The significand may be even; equality and order are those of the numbers.
///
/// ```
/// use labrys_term::algebraic::Dyadic;
///
/// let (half, two) = (Dyadic::power_of_two(-1), Dyadic::power_of_two(1));
/// assert!(half < two && half.middle(&two).to_rational() == num_rational::BigRational::new(5.into(), 4.into()));
/// ```
#[derive(Clone, Debug)]
pub struct Dyadic {
    significand: Integer,
    exponent: i64,
}

impl Dyadic {
    /// significand·2^exponent.
    pub fn new(significand: Integer, exponent: i64) -> Dyadic {
        Dyadic { significand, exponent }
    }

    /// 0.
    pub fn zero() -> Dyadic {
        Dyadic::new(Integer::new(), 0)
    }

    /// 2^exponent.
    pub fn power_of_two(exponent: i64) -> Dyadic {
        Dyadic::new(Integer::from(1), exponent)
    }

    /// The rational number, if its denominator is a power of two.
    pub fn from_rational(value: &BigRational) -> Option<Dyadic> {
        let places = value.denom().bits() - 1;
        let is_power = value.denom().trailing_zeros() == Some(places);
        is_power.then(|| Dyadic::new(to_gmp(value.numer()), -(places as i64)))
    }

    /// The same number.
    pub fn to_rational(&self) -> BigRational {
        let zeros = self.significand.find_one(0).unwrap_or(0);
        let denominator = u32::try_from(-self.exponent).unwrap_or(0);
        // In lowest terms without a division: the denominator is a power of two.
        let cancelled = zeros.min(denominator);
        let numerator = (&self.significand >> cancelled).complete();
        let shift = u32::try_from(self.exponent.max(0)).unwrap_or(u32::MAX);
        let denominator = if self.is_zero() { 0 } else { denominator - cancelled };
        BigRational::new_raw(from_gmp(&(numerator << shift)), BigInt::one() << denominator)
    }

    /// The significand as given.
    pub fn significand(&self) -> &Integer {
        &self.significand
    }

    /// The exponent as given.
    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.significand.is_zero()
    }

    /// The exponent of the leading bit, and one.
    fn top(&self) -> i64 {
        self.exponent + i64::from(self.significand.significant_bits())
    }

    /// A number between two of the same sign, or next to 0: the middle of their exponents where these are far apart.
    pub fn middle(&self, other: &Dyadic) -> Dyadic {
        let has_zero = self.is_zero() || other.is_zero();
        if !has_zero && (self.top() - other.top()).abs() > 2 {
            // 2^(e - 1) is at most, and 2^(e + 1) more than, a number with its leading bit at e - 1 or e.
            let one = if self.significand.is_negative() { Integer::from(-1) } else { Integer::from(1) };
            return Dyadic::new(one, (self.top() + other.top()).div_euclid(2));
        }
        let lowest = self.exponent.min(other.exponent);
        Dyadic::new(self.aligned(lowest) + other.aligned(lowest), lowest - 1)
    }

    /// Whether the distance to another number is at most 2^-bits of this one's magnitude.
    pub fn is_within(&self, other: &Dyadic, bits: u32) -> bool {
        if (self.top() - other.top()).abs() > 1 {
            return false;
        }
        let lowest = self.exponent.min(other.exponent);
        let (here, there) = (self.aligned(lowest), other.aligned(lowest));
        (Integer::from(&here - &there).abs() << bits) <= here.abs()
    }

    /// The significand over 2^-exponent, for exponents that are no larger than this number's.
    fn aligned(&self, exponent: i64) -> Integer {
        (&self.significand << u32::try_from(self.exponent - exponent).unwrap_or(u32::MAX)).complete()
    }

    /// The number with a significand of exactly so many bits that is nearest among those not farther from 0; 0 for 0.
    pub(super) fn truncated(&self, bits: u32) -> Dyadic {
        let length = self.significand.significant_bits();
        let magnitude = self.significand.clone().abs();
        let magnitude = if length > bits { magnitude >> (length - bits) } else { magnitude << (bits - length) };
        let exponent = self.exponent + i64::from(length) - i64::from(bits);
        Dyadic::new(if self.significand.is_negative() { -magnitude } else { magnitude }, exponent)
    }

    /// The next number with a significand of so many bits that is farther from 0, for one that is not 0.
    pub(super) fn next_away(&self, bits: u32) -> Dyadic {
        let Dyadic { significand, exponent } = self.truncated(bits);
        Dyadic::new(if significand.is_negative() { significand - 1 } else { significand + 1 }, exponent)
    }

    /// The number with the opposite sign.
    pub fn negated(&self) -> Dyadic {
        Dyadic { significand: (-&self.significand).complete(), exponent: self.exponent }
    }

    /// Numerator and denominator.
    pub(super) fn ratio(&self) -> (Integer, Integer) {
        let shift = u32::try_from(self.exponent.unsigned_abs()).unwrap_or(u32::MAX);
        if self.exponent >= 0 {
            ((&self.significand << shift).complete(), Integer::from(1))
        } else {
            (self.significand.clone(), Integer::from(1) << shift)
        }
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
        let signs = self.significand.cmp0().cmp(&other.significand.cmp0());
        if signs.is_ne() || self.is_zero() {
            return signs;
        }
        // By the leading bit's position first, which bounds the shift below by the significands' lengths.
        let by_size = self.top().cmp(&other.top());
        if by_size.is_ne() {
            return if self.significand.is_negative() { by_size.reverse() } else { by_size };
        }
        let lowest = self.exponent.min(other.exponent);
        self.aligned(lowest).cmp(&other.aligned(lowest))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dyadic() -> impl Strategy<Value = Dyadic> {
        (any::<i64>(), 0u32..64, -300i64..300).prop_map(|(n, cut, e)| Dyadic::new(Integer::from(n >> cut), e))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn dyadic_numbers_are_the_rational_ones(a in dyadic(), b in dyadic(), bits in 1u32..80) {
            let (x, y) = (a.to_rational(), b.to_rational());
            prop_assert_eq!(x.clone(), BigRational::new(x.numer().clone(), x.denom().clone()), "in lowest terms");
            prop_assert_eq!(Dyadic::from_rational(&x), Some(a.clone()));
            prop_assert_eq!(a.cmp(&b), x.cmp(&y));
            prop_assert_eq!(a == b, x == y);
            prop_assert_eq!(a.negated().to_rational(), -x.clone());
            let (n, d) = a.ratio();
            prop_assert_eq!(BigRational::new(from_gmp(&n), from_gmp(&d)), x.clone());
            let same_side = a.significand().cmp0() != b.significand().cmp0().reverse() || a.is_zero();
            if same_side && a != b {
                let middle = a.middle(&b);
                prop_assert!(a.clone().min(b.clone()) < middle && middle < a.clone().max(b));
            }
            if !a.is_zero() {
                let (near, far) = (a.truncated(bits), a.next_away(bits));
                let size = |number: &Dyadic| number.negated().max(number.clone());
                prop_assert!(size(&near) <= size(&a) && size(&a) < size(&far));
                prop_assert!(near.is_within(&far, bits - 1) && near.significand().significant_bits() == bits);
            }
        }
    }

    #[test]
    fn thirds_are_not_dyadic() {
        assert_eq!(Dyadic::from_rational(&BigRational::new(1.into(), 3.into())), None);
        assert_eq!(Dyadic::zero(), Dyadic::new(Integer::new(), -7));
    }
}
