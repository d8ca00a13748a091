//! Conversions between formats and between numbers and integers, and integral values.

use super::round::Exact;
use super::{Hardware, Packed};
use crate::RoundingMode;

impl Packed {
    /// The number in another format.
    pub fn convert(&self, mode: RoundingMode, a: u64, to: &Packed) -> u64 {
        match (self.hardware, to.hardware) {
            (Hardware::Single, Hardware::Double) => {
                return to.canonical(f64::from(f32::from_bits(a as u32)).to_bits());
            }
            (Hardware::Double, Hardware::Single) if mode == RoundingMode::NearestEven => {
                return to.canonical(u64::from((f64::from_bits(a) as f32).to_bits()));
            }
            _ => {}
        }
        if self.is_nan(a) {
            to.nan()
        } else if self.is_infinite(a) {
            to.infinity(self.sign_bit(a))
        } else if self.is_zero(a) {
            to.zero(self.sign_bit(a))
        } else {
            to.round(mode, &self.exact(a))
        }
    }

    /// A finite number other than zero.
    fn exact(&self, a: u64) -> Exact {
        let unpacked = self.unpack(a);
        Exact {
            negative: unpacked.negative,
            significand: unpacked.significand.into(),
            exponent: unpacked.exponent,
            sticky: false,
        }
    }

    /// An integer's magnitude with a sign, rounded; zero is +0.
    fn integer(&self, mode: RoundingMode, negative: bool, significand: u128) -> u64 {
        if significand == 0 {
            return 0;
        }
        self.round(mode, &Exact { negative, significand, exponent: 0, sticky: false })
    }

    /// An integer, rounded; zero is +0.
    pub fn from_signed(&self, mode: RoundingMode, value: i128) -> u64 {
        self.integer(mode, value < 0, value.unsigned_abs())
    }

    /// An integer that is not negative, rounded; zero is +0.
    pub fn from_unsigned(&self, mode: RoundingMode, value: u128) -> u64 {
        self.integer(mode, false, value)
    }

    /// The magnitude rounded to an integer, `None` if it is at least 2^128. Such numbers have no fraction: no other rounds
    /// up to that.
    fn rounded_magnitude(&self, mode: RoundingMode, a: u64) -> Option<u128> {
        if self.is_zero(a) {
            return Some(0);
        }
        let exact = self.exact(a);
        (exact.top() < 128).then(|| exact.round_at(0, mode))
    }

    /// The number rounded to a two's complement integer of `width` bits, 1 to 128; `None` for NaN, infinities and
    /// numbers out of range.
    pub fn to_signed(&self, mode: RoundingMode, a: u64, width: u32) -> Option<u128> {
        if !self.is_finite(a) {
            return None;
        }
        let magnitude = self.rounded_magnitude(mode, a)?;
        let half = 1u128 << (width - 1);
        let mask = half | (half - 1);
        if self.sign_bit(a) {
            (magnitude <= half).then_some(magnitude.wrapping_neg() & mask)
        } else {
            (magnitude < half).then_some(magnitude)
        }
    }

    /// The number rounded to an unsigned integer of `width` bits, 1 to 128; `None` for NaN, infinities and numbers out of
    /// range.
    pub fn to_unsigned(&self, mode: RoundingMode, a: u64, width: u32) -> Option<u128> {
        if !self.is_finite(a) {
            return None;
        }
        let magnitude = self.rounded_magnitude(mode, a)?;
        let in_range = magnitude == 0 || (!self.sign_bit(a) && magnitude >> (width - 1) <= 1);
        in_range.then_some(magnitude)
    }

    /// The number rounded to an integral value; a zero result has the operand's sign.
    pub fn round_to_integral(&self, mode: RoundingMode, a: u64) -> u64 {
        if self.is_nan(a) {
            return self.nan();
        }
        let unpacked = self.unpack(a);
        if self.is_infinite(a) || unpacked.significand == 0 || unpacked.exponent >= 0 {
            return a;
        }
        let magnitude = self.exact(a).round_at(0, mode);
        if magnitude == 0 {
            return self.zero(unpacked.negative);
        }
        // Exact, except in formats whose largest number is no integer; what exceeds it is infinite whatever the mode.
        self.integer(RoundingMode::NearestEven, unpacked.negative, magnitude)
    }
}
