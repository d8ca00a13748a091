//! A floating-point number of any format.

use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use crate::exact::{Exact, quotient, round};
use crate::unpacked::{Finite, Unpacked};
use crate::{Environment, Format, RoundingMode};

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

    /// Its class, by value: x87's pseudo-subnormals are normal, its invalid encodings are NaNs.
    pub fn class(&self) -> Class {
        match self.unpack() {
            Unpacked::Nan { .. } => Class::Nan,
            Unpacked::Infinite { .. } => Class::Infinite,
            Unpacked::Finite(finite) if finite.is_zero() => Class::Zero,
            Unpacked::Finite(finite) if finite.top() < self.format.min_exponent() => Class::Subnormal,
            Unpacked::Finite(_) => Class::Normal,
        }
    }

    /// Whether it is a NaN, quiet or signaling, or one of x87's invalid encodings.
    pub fn is_nan(&self) -> bool {
        self.class() == Class::Nan
    }

    /// Whether using it as an operand raises invalid.
    pub fn is_signaling_nan(&self) -> bool {
        matches!(self.unpack(), Unpacked::Nan { signaling: true })
    }

    /// Whether it is ±∞.
    pub fn is_infinite(&self) -> bool {
        self.class() == Class::Infinite
    }

    /// Whether it is ±0.
    pub fn is_zero(&self) -> bool {
        self.class() == Class::Zero
    }

    /// Whether it is zero, subnormal or normal.
    pub fn is_finite(&self) -> bool {
        !matches!(self.class(), Class::Nan | Class::Infinite)
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

    /// Equality of encodings, except that all NaNs are equal.
    pub fn same_value(&self, other: &Float) -> bool {
        self.format == other.format && (self.bits == other.bits || (self.is_nan() && other.is_nan()))
    }

    /// The exact value; `None` for infinities and NaNs. Both zeros give 0.
    pub fn to_rational(&self) -> Option<BigRational> {
        let finite = self.to_finite()?;
        let sign = if finite.negative { Sign::Minus } else { Sign::Plus };
        let significand = BigInt::from_biguint(sign, finite.significand);
        Some(if finite.exponent >= 0 {
            BigRational::from_integer(significand << finite.exponent)
        } else {
            BigRational::new(significand, BigInt::one() << -finite.exponent)
        })
    }

    /// The number nearest to an exact value in the given direction; beyond the largest number as IEEE 754 says.
    pub fn from_rational(format: Format, value: &BigRational, mode: RoundingMode) -> Float {
        Environment::with_rounding(mode).from_rational(value, format).value
    }

    /// ±significand · 2^exponent, rounded.
    pub fn from_parts(
        format: Format,
        negative: bool,
        significand: &BigUint,
        exponent: i64,
        mode: RoundingMode,
    ) -> Float {
        if significand.is_zero() {
            return Float::zero(format, negative);
        }
        // Far beyond every format's range, and sums of exponents stay within i64.
        let exponent = exponent.clamp(-(1 << 61), 1 << 61);
        let exact = Exact { negative, significand: significand.clone(), exponent, sticky: false };
        round(format, &Environment::with_rounding(mode), &exact).value
    }

    /// The e of 1.f × 2^e, also for subnormals; `None` for zeros, infinities and NaNs.
    pub fn exponent(&self) -> Option<i64> {
        self.to_finite().filter(|finite| !finite.is_zero()).map(|finite| finite.top())
    }

    pub(crate) fn to_finite(&self) -> Option<Finite> {
        match self.unpack() {
            Unpacked::Finite(finite) => Some(finite),
            _ => None,
        }
    }
}

impl Environment {
    /// An exact value rounded to `format`, with flags; zero is +0.
    pub fn from_rational(&self, value: &BigRational, format: Format) -> crate::Rounded {
        if value.is_zero() {
            return crate::Rounded::exact(Float::zero(format, false));
        }
        let negative = value.numer().sign() == Sign::Minus;
        let exact = quotient(negative, value.numer().magnitude(), value.denom().magnitude(), format.precision());
        round(format, &self.of(format), &exact)
    }
}
