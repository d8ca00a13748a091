//! A number of arbitrary precision that remembers which format the program has it in.

use std::sync::Arc;

use labrys_elementary::{from_precise, rug, to_precise};
use labrys_float::{Float, Format, Rounded, RoundingMode};

use crate::ClassMask;

/// A true value and the format that the program keeps its approximation in. Cheap to copy.
#[derive(Clone, Debug, PartialEq)]
pub struct PreciseFloat {
    value: Arc<rug::Float>,
    format: Format,
}

impl PreciseFloat {
    /// A true value in the place of a float of `format`.
    pub fn new(value: rug::Float, format: Format) -> PreciseFloat {
        PreciseFloat { value: Arc::new(value), format }
    }

    /// A float, exactly.
    pub fn exact(value: &Float) -> PreciseFloat {
        PreciseFloat::new(to_precise(value), value.format())
    }

    /// The true value.
    pub fn value(&self) -> &rug::Float {
        &self.value
    }

    /// The format of the program's approximation.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The same value in another format's place.
    pub fn in_format(&self, format: Format) -> PreciseFloat {
        PreciseFloat { value: self.value.clone(), format }
    }

    /// The nearest float of the format, ties to even, with the exceptions of that rounding.
    pub fn nearest(&self) -> Rounded {
        from_precise(&self.value, self.format, RoundingMode::NearestEven)
    }

    /// Whether a float is exactly this value; the signs of zeros are ignored.
    pub fn equals(&self, float: &Float) -> bool {
        to_precise(float) == *self.value
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
