//! Integers that are made of a true value's encoding.
//!
//! A program may look at the encoding of a value that no float equals: clang reads the sign bit for `isinf`, libraries
//! read exponents. It then sees the nearest float's. Control and integers may depend on that as natively. What must not
//! go unnoticed is a float made of such bits, which has lost what was beyond the format: a plain copy gives the true
//! value back, anything else sets [`super::Marks::rounded_encoding`].

use labrys_float::Format;
use num_bigint::BigUint;

use super::number::PreciseFloat;

/// An integer that depends on the encoding of a value that is no float of its format.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoding {
    /// The integer, from the nearest float's encoding.
    value: BigUint,
    /// The true value whose whole encoding this is.
    whole: Option<PreciseFloat>,
}

impl Encoding {
    /// The encoding of a value, rounded.
    pub(super) fn of(value: &PreciseFloat, nearest: u128) -> Encoding {
        Encoding { value: nearest.into(), whole: Some(value.clone()) }
    }

    /// An integer computed from encodings.
    pub(super) fn derived(value: BigUint) -> Encoding {
        Encoding { value, whole: None }
    }

    /// The integer, without sign.
    pub fn value(&self) -> &BigUint {
        &self.value
    }

    /// The same, where it has at most 128 bits.
    pub fn word(&self) -> Option<u128> {
        u128::try_from(&self.value).ok()
    }

    /// The true value that these bits are a copy of.
    pub(super) fn copied(&self, format: Format) -> Option<&PreciseFloat> {
        self.whole.as_ref().filter(|whole| whole.format() == format)
    }
}
