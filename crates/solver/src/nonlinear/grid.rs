//! The numbers that a variable may take: the finite floats of a format, or integers, in order.
//!
//! Each has a place, an integer that grows with it, so that "the float below" is a subtraction and a number between two
//! others is at a place between theirs. A float's place is its ordinal, which grows as the logarithm does: places chosen
//! uniformly are values of every order of magnitude.

use std::cmp::Ordering;

use labrys_float::{Float, Format, RoundingMode};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::point::Point;
use super::roots::Root;

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
        let (first, last) = self.ends();
        let place = place.clamp(&first, &last);
        match self {
            Grid::Floats(format) => Float::from_ordinal(*format, place).to_rational().unwrap_or_else(BigRational::zero),
            Grid::Integers(..) => BigRational::from_integer(place.clone()),
        }
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
        let (low, high) = (low.to_rational(), high.to_rational());
        let mut below = self.floor(&low);
        if is_exact {
            let (first, _) = self.ends();
            let is_equal = below >= first && self.value(&below) == low;
            return (below, is_equal);
        }
        // The number at `above`, if any, is greater than the root.
        let mut above = self.floor(&high) + 1;
        loop {
            let gap: BigInt = &above - &below;
            if gap <= BigInt::one() {
                return (below, false);
            }
            let middle = &below + gap / 2;
            let Some(point) = Point::from_rational(&self.value(&middle)) else { return (below, false) };
            match root.compare(&point) {
                Ordering::Less => above = middle,
                Ordering::Greater => below = middle,
                Ordering::Equal => return (middle, true),
            }
        }
    }
}
