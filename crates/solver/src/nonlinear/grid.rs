//! The numbers that a variable may take: the finite floats of a format, or integers, in order.
//!
//! Each has a place, an integer that grows with it, so that "the float below" is a subtraction and a number between two
//! others is at a place between theirs. A float's place is its ordinal, which grows as the logarithm does: places chosen
//! uniformly are values of every order of magnitude.

use std::cmp::Ordering;

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::algebraic::{Dyadic, Root, to_gmp};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rug::Integer as GmpInteger;

/// What a variable ranges over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Grid {
    /// The finite numbers of a format.
    Floats(Format),
    /// The integers from the first to the second.
    Integers(BigInt, BigInt),
}

impl Grid {
    /// The first and the last place.
    pub fn ends(&self) -> (BigInt, BigInt) {
        match self {
            Grid::Floats(format) => {
                let last = Float::max_finite(*format).ordinal().unwrap_or_else(BigInt::zero);
                (-&last, last)
            }
            Grid::Integers(low, high) => (low.clone(), high.clone()),
        }
    }

    /// The number at a place; places beyond the ends stand for the ends.
    pub fn value(&self, place: &BigInt) -> BigRational {
        self.point(place).to_rational()
    }

    /// The same for polynomials. Places are taken apart as [`Float::ordinal`] puts them together: the steps of the exponent
    /// above the least one times 2^(precision − 1), and the significand with its leading bit.
    pub fn point(&self, place: &BigInt) -> Dyadic {
        let (first, last) = self.ends();
        let place = place.clamp(&first, &last);
        let Grid::Floats(format) = self else { return Dyadic::new(to_gmp(place), 0) };
        let shift = format.precision() - 1;
        let magnitude = to_gmp(place).abs();
        let steps = (GmpInteger::from(&magnitude >> shift) - 1u32).max(GmpInteger::new());
        let significand = magnitude - GmpInteger::from(&steps << shift);
        let exponent = steps.to_i64().unwrap_or(i64::MAX / 2) + format.min_exponent() - i64::from(shift);
        Dyadic::new(if place.is_negative() { -significand } else { significand }, exponent)
    }

    /// The place of the greatest number that is not above `value`; one before the first where there is none.
    pub fn floor(&self, value: &BigRational) -> BigInt {
        let (first, last) = self.ends();
        let place = match self {
            Grid::Floats(format) => {
                let float = Float::from_rational(*format, value, RoundingMode::TowardNegative);
                float.ordinal().unwrap_or_else(BigInt::zero)
            }
            Grid::Integers(..) => value.numer().div_floor(value.denom()),
        };
        place.clamp(first - 1, last)
    }

    /// The place of the greatest number that is not above a root, and whether the two are equal; one before the first
    /// place where the root is below all numbers.
    pub fn floor_of_root(&self, root: &Root) -> (BigInt, bool) {
        let (low, high) = root.bounds();
        let is_exact = low == high;
        let mut below = self.floor(&low.to_rational());
        if is_exact {
            let (first, _) = self.ends();
            let is_equal = below >= first && self.point(&below) == *low;
            return (below, is_equal);
        }
        // The number at `above`, if any, is greater than the root.
        let mut above = self.floor(&high.to_rational()) + 1;
        loop {
            let gap: BigInt = &above - &below;
            if gap <= BigInt::one() {
                return (below, false);
            }
            let middle = &below + gap / 2;
            match root.compare(&self.point(&middle)) {
                Ordering::Less => above = middle,
                Ordering::Greater => below = middle,
                Ordering::Equal => return (middle, true),
            }
        }
    }
}
