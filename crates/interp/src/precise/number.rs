//! A number of arbitrary precision that remembers which format the program has it in.

use std::sync::Arc;

use labrys_elementary::rug::float::Round;
use labrys_elementary::{from_precise, rug, to_precise};
use labrys_float::{Float, Format, Rounded, RoundingMode};

use super::quotients;
use super::radius::Radius;
use crate::ClassMask;

/// A true value, or one near it, and the format that the program keeps its approximation in. Cheap to copy.
#[derive(Clone, Debug, PartialEq)]
pub struct PreciseFloat {
    value: Arc<rug::Float>,
    /// The true value is at most so far from `value`.
    radius: Radius,
    /// The true value, where it is known to be a quotient of integers and `value` is not that.
    quotient: Option<Arc<rug::Rational>>,
    format: Format,
}

impl PreciseFloat {
    /// A true value in the place of a float of `format`.
    pub fn new(value: rug::Float, format: Format) -> PreciseFloat {
        PreciseFloat::within(value, Radius::ZERO, format)
    }

    /// A true value that is at most `radius` from `value`, in the place of a float of `format`.
    pub fn within(value: rug::Float, radius: Radius, format: Format) -> PreciseFloat {
        PreciseFloat { value: Arc::new(value), radius, quotient: None, format }
    }

    /// A quotient of integers, to so many bits, in the place of a float of `format`.
    pub(super) fn of_quotient(quotient: rug::Rational, precision: u32, format: Format) -> PreciseFloat {
        let (value, is_exact) = quotients::nearest(&quotient, precision);
        let near = PreciseFloat::rounded(value, is_exact, format);
        PreciseFloat { quotient: (!is_exact).then(|| Arc::new(quotient)), ..near }
    }

    /// The true value, where it is known to be a quotient of integers of more bits than the run has.
    pub(super) fn quotient(&self) -> Option<&rug::Rational> {
        self.quotient.as_deref()
    }

    /// A value that was rounded to nearest at its precision, or is exact, in the place of a float of `format`.
    pub fn rounded(value: rug::Float, is_exact: bool, format: Format) -> PreciseFloat {
        let radius = if is_exact { Radius::ZERO } else { super::bounds::rounding(&value) };
        PreciseFloat::within(value, radius, format)
    }

    /// A float, exactly.
    pub fn exact(value: &Float) -> PreciseFloat {
        PreciseFloat::new(to_precise(value), value.format())
    }

    /// The true value, to within the radius.
    pub fn value(&self) -> &rug::Float {
        &self.value
    }

    /// How far the true value is from [`PreciseFloat::value`] at most, if the run's decisions were the true ones
    /// ([`super::Marks::undecided`]).
    pub fn radius(&self) -> Radius {
        self.radius
    }

    /// The ends of what the true value is between, at the precision of the value and a little more.
    pub fn ends(&self) -> [rug::Float; 2] {
        let precision = self.value.prec() + 64;
        let radius = self.radius.to_precise();
        let (low, _) = rug::Float::with_val_round(precision, &*self.value - &radius, Round::Down);
        let (high, _) = rug::Float::with_val_round(precision, &*self.value + &radius, Round::Up);
        [low, high]
    }

    /// The floats of the format that are nearest to the ends, ties to even.
    pub fn nearest_to_ends(&self) -> [Float; 2] {
        self.ends().map(|end| self.nearest_to(&end))
    }

    fn nearest_to(&self, end: &rug::Float) -> Float {
        from_precise(end, self.format, RoundingMode::NearestEven).value
    }

    /// Whether the true value's nearest float is that of [`PreciseFloat::value`], and its sign is known.
    pub fn rounds_alike(&self) -> bool {
        if self.radius.is_zero() {
            return true;
        }
        let [low, high] = self.ends();
        let are_apart_from_zero = low.is_finite() && high.is_finite() && self.radius.is_below(&self.value);
        are_apart_from_zero && self.nearest_to(&low) == self.nearest_to(&high)
    }

    /// The format of the program's approximation.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The same value in another format's place.
    pub fn in_format(&self, format: Format) -> PreciseFloat {
        PreciseFloat { format, ..self.clone() }
    }

    /// The nearest float of the format, ties to even, with the exceptions of that rounding.
    pub fn nearest(&self) -> Rounded {
        from_precise(&self.value, self.format, RoundingMode::NearestEven)
    }

    /// Whether the sign is that of the true value: zeros that are exact have theirs.
    pub fn has_sign(&self) -> bool {
        self.radius.is_zero() || self.radius.is_below(&self.value)
    }

    /// Whether a float is exactly [`PreciseFloat::value`]; the signs of zeros are ignored.
    pub fn equals(&self, float: &Float) -> bool {
        to_precise(float) == *self.value
    }

    /// Whether the true value is known to be on the same side of `bound` as [`PreciseFloat::value`], or equal to it as that is.
    pub fn is_apart_from(&self, bound: &rug::Float) -> bool {
        let precision = self.value.prec().max(bound.prec()) + 64;
        self.radius.is_zero() || self.radius.is_below(&rug::Float::with_val(precision, &*self.value - bound))
    }

    /// The class in the program's format of a number with these magnitudes; what is merely large is normal.
    pub fn class(&self) -> ClassMask {
        let negative = self.value.is_sign_negative();
        let signed = |if_positive, if_negative| if negative { if_negative } else { if_positive };
        if self.value.is_nan() {
            ClassMask::QUIET_NAN
        } else if self.value.is_infinite() {
            signed(ClassMask::POSITIVE_INFINITY, ClassMask::NEGATIVE_INFINITY)
        } else if self.value.is_zero() {
            signed(ClassMask::POSITIVE_ZERO, ClassMask::NEGATIVE_ZERO)
        } else if self.value.cmp_abs(&to_precise(&Float::min_normal(self.format))) == Some(std::cmp::Ordering::Less) {
            signed(ClassMask::POSITIVE_SUBNORMAL, ClassMask::NEGATIVE_SUBNORMAL)
        } else {
            signed(ClassMask::POSITIVE_NORMAL, ClassMask::NEGATIVE_NORMAL)
        }
    }
}
