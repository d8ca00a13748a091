//! Ranges of floats, and their places in the order of the format.
//!
//! The *rank* of a number is its place: +0 is 0, −0 is −1, adjacent numbers differ by 1, infinities are the ends.

use labrys_float::{Float, Format};
use num_bigint::{BigInt, BigUint, Sign};

/// The floats from one to another, −0 below +0, infinities included, NaN never.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Of one format, neither NaN, in order.
    low: Float,
    high: Float,
}

impl Range {
    /// From `low` to `high`; `None` if either is NaN, the formats differ or are wider than 128 bits, or `high` is less.
    pub fn new(low: Float, high: Float) -> Option<Range> {
        let ordered = low.format() == high.format() && rank(&low)? <= rank(&high)?;
        ordered.then_some(Range { low, high })
    }

    /// One number; `None` for NaN.
    pub fn only(value: Float) -> Option<Range> {
        Range::new(value.clone(), value)
    }

    /// From −∞ to +∞; `None` for formats wider than 128 bits.
    pub fn numbers(format: Format) -> Option<Range> {
        Range::new(Float::infinity(format, true), Float::infinity(format, false))
    }

    /// The least.
    pub fn low(&self) -> &Float {
        &self.low
    }

    /// The greatest.
    pub fn high(&self) -> &Float {
        &self.high
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.low.format()
    }

    /// Whether a number of the same format lies within.
    pub fn contains(&self, value: &Float) -> bool {
        let (low, high) = self.ranks();
        rank(value).is_some_and(|rank| low <= rank && rank <= high)
    }

    /// The ends' ranks.
    pub(crate) fn ranks(&self) -> (i128, i128) {
        (rank(&self.low).unwrap_or(i128::MIN), rank(&self.high).unwrap_or(i128::MAX))
    }

    /// From a rank to another that is not less; ranks beyond the infinities give them.
    pub(crate) fn of_ranks(format: Format, low: i128, high: i128) -> Range {
        Range { low: ranked(format, low), high: ranked(format, high) }
    }
}

/// The rank of a number of at most 128 bits; `None` for NaN.
pub(crate) fn rank(value: &Float) -> Option<i128> {
    let magnitude = i128::try_from(value.ordinal()?.magnitude()).ok()?;
    Some(if value.is_negative() { !magnitude } else { magnitude })
}

/// The number of a rank; ranks beyond the infinities give them.
pub(crate) fn ranked(format: Format, rank: i128) -> Float {
    let magnitude = (if rank < 0 { !rank } else { rank }) as u128;
    let value = Float::from_ordinal(format, &BigInt::from_biguint(Sign::Plus, BigUint::from(magnitude)));
    if rank < 0 { value.neg() } else { value }
}

/// +∞'s rank; −∞'s is its complement.
pub(crate) fn infinity(format: Format) -> i128 {
    ((1i128 << format.exponent_bits()) - 1) << (format.precision() - 1)
}

/// The last rank of `low..=high` at which `holds` is as at `low`, if it changes once at most: by bisection.
pub(crate) fn last_like_first(low: i128, high: i128, holds: impl Fn(i128) -> bool) -> i128 {
    let first = holds(low);
    if holds(high) == first {
        return high;
    }
    let (mut like, mut unlike) = (low, high);
    while unlike - like > 1 {
        let middle = like + (unlike - like) / 2;
        if holds(middle) == first { like = middle } else { unlike = middle }
    }
    like
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_zeros_apart() {
        let format = Format::BINARY32;
        for value in [-1.5f32, -1e-45, -0.0, 0.0, 1e-45, f32::INFINITY] {
            let value = Float::from_f32(value);
            assert_eq!(ranked(format, rank(&value).unwrap()), value);
        }
        assert_eq!(rank(&Float::from_f32(-0.0)), Some(-1));
        assert_eq!(rank(&Float::from_f32(f32::INFINITY)), Some(infinity(format)));
        assert_eq!(rank(&Float::infinity(format, true)), Some(!infinity(format)));
        assert!(Range::new(Float::from_f32(0.0), Float::from_f32(-0.0)).is_none());
        assert!(Range::only(Float::nan(format)).is_none());
    }

    #[test]
    fn bisection_finds_the_last_place() {
        assert_eq!(last_like_first(-5, 90, |place| place > 17), 17);
        assert_eq!(last_like_first(3, 3, |_| true), 3);
    }
}
