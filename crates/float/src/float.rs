//! A floating-point number of any format.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::Format;

/// IEEE 754's classes, signs apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Not a number.
    Nan,
    /// ±∞.
    Infinite,
    /// ±0.
    Zero,
    /// Smaller than the smallest normal number.
    Subnormal,
    /// Everything else.
    Normal,
}

/// A datum of a floating-point format, held as its encoding. Equality is of encodings: NaNs equal themselves, −0 ≠ +0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Float {
    format: Format,
    /// The encoding; below 2^width.
    bits: BigUint,
}

impl Float {
    /// The datum whose encoding is `bits`; bits above the format's width are dropped.
    pub fn from_bits(format: Format, bits: impl Into<BigUint>) -> Float {
        let mask = (BigUint::from(1u8) << format.width()) - 1u8;
        Float { format, bits: bits.into() & mask }
    }

    /// A binary64 datum.
    pub fn from_f64(value: f64) -> Float {
        Float::from_bits(Format::BINARY64, value.to_bits())
    }

    /// A binary32 datum.
    pub fn from_f32(value: f32) -> Float {
        Float::from_bits(Format::BINARY32, value.to_bits())
    }

    /// The number's format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The encoding.
    pub fn bits(&self) -> &BigUint {
        &self.bits
    }

    /// The encoding, where the format is at most 128 bits wide.
    pub fn to_u128(&self) -> Option<u128> {
        self.bits.to_u128()
    }
}
