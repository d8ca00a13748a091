//! A floating-point number of any format: its encoding.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

use crate::Format;

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

    /// The number as a Rust `f64`, if its format is binary64.
    pub fn to_f64(&self) -> Option<f64> {
        (self.format == Format::BINARY64).then(|| f64::from_bits(self.bits.to_u64().unwrap_or(0)))
    }

    /// The number as a Rust `f32`, if its format is binary32.
    pub fn to_f32(&self) -> Option<f32> {
        (self.format == Format::BINARY32).then(|| f32::from_bits(self.bits.to_u32().unwrap_or(0)))
    }

    /// The number whose magnitude has the given place in the order of the format's magnitudes: 0 is zero, 1 the
    /// smallest subnormal, `infinity_magnitude` infinity.
    pub(crate) fn from_magnitude(format: Format, negative: bool, magnitude: &BigUint) -> Float {
        let fraction_bits = format.precision() - 1;
        let mut bits = magnitude.clone();
        if format.has_explicit_leading_bit() {
            let field = magnitude >> fraction_bits;
            let leading = u8::from(!field.is_zero());
            // field·2^(p−1) + fraction becomes field·2^p + leading·2^(p−1) + fraction.
            bits += (field << fraction_bits) + (BigUint::from(leading) << fraction_bits);
        }
        Float { format, bits }.with_sign(negative)
    }

    fn with_sign(mut self, negative: bool) -> Float {
        self.bits.set_bit(u64::from(self.format.width() - 1), negative);
        self
    }

    /// ±0.
    pub fn zero(format: Format, negative: bool) -> Float {
        Float { format, bits: BigUint::ZERO }.with_sign(negative)
    }

    /// 1.
    pub fn one(format: Format) -> Float {
        let exponent_field = BigUint::from(-format.min_exponent() as u64);
        Float::from_magnitude(format, false, &((exponent_field + 1u8) << (format.precision() - 1)))
    }

    /// ±∞.
    pub fn infinity(format: Format, negative: bool) -> Float {
        Float::from_magnitude(format, negative, &format.infinity_magnitude())
    }

    /// The canonical quiet NaN: positive, only the quiet bit set in its payload.
    pub fn nan(format: Format) -> Float {
        let quiet = BigUint::one() << (format.precision() - 2);
        Float::from_magnitude(format, false, &(format.infinity_magnitude() + quiet))
    }

    /// The largest finite number: Ω.
    pub fn max_finite(format: Format) -> Float {
        Float::from_magnitude(format, false, &(format.infinity_magnitude() - 1u8))
    }

    /// The smallest positive normal number: ω.
    pub fn min_normal(format: Format) -> Float {
        Float::from_magnitude(format, false, &(BigUint::one() << (format.precision() - 1)))
    }

    /// The smallest positive number.
    pub fn min_subnormal(format: Format) -> Float {
        Float::from_magnitude(format, false, &BigUint::one())
    }

    /// The sign bit: true for −0 too, and for NaNs that carry it.
    pub fn is_negative(&self) -> bool {
        self.bits.bit(u64::from(self.format.width() - 1))
    }

    /// The sign bit flipped; raises nothing, NaNs included.
    pub fn neg(&self) -> Float {
        self.clone().with_sign(!self.is_negative())
    }

    /// The sign bit cleared; raises nothing.
    pub fn abs(&self) -> Float {
        self.clone().with_sign(false)
    }

    /// This magnitude with `sign`'s sign bit; raises nothing.
    pub fn copysign(&self, sign: &Float) -> Float {
        self.clone().with_sign(sign.is_negative())
    }
}
