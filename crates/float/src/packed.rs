//! Arithmetic on the encodings themselves, for formats of at most 64 bits: what solvers run millions of times.
//!
//! **Claim.** Every operation gives the encoding that [`Environment`](crate::Environment) gives in the default environment with
//! the same rounding mode, with one NaN: any NaN encoding is read as the quiet one, and results are the canonical one.
//!
//! **Argument.** The kernel is that of `exact`, on machine integers: an operation forms the exact magnitude
//! (s + δ)·2^e, s an integer below 2^128, δ ≠ 0 only where s is longer than the precision, and one function rounds it
//! (`round.rs`). That s fits is argued where it is formed; a precision of at most 62 bits is what all those arguments use.
//! Where format and mode are the hardware's default, the hardware computes: IEEE 754's operations on binary32 and
//! binary64 round correctly there. Tests compare with `Environment` exhaustively on tiny formats.

mod arithmetic;
mod convert;
mod order;
mod remainder;
mod round;

use crate::{Float, Format};
use num_traits::ToPrimitive;

/// A format of at most 64 bits with an implied leading bit, and operations on its encodings.
///
/// Encodings must not have bits above the format's width. Results do not.
///
/// ```
/// use labrys_float::{Format, Packed, RoundingMode};
///
/// let double = Packed::new(Format::BINARY64).unwrap();
/// let (one, three) = (1f64.to_bits(), 3f64.to_bits());
/// let third = double.div(RoundingMode::TowardPositive, one, three);
/// assert_eq!(f64::from_bits(third), (1.0f64 / 3.0).next_up());
/// assert_eq!(double.ordinal(third), double.ordinal((1f64 / 3.0).to_bits()).map(|ordinal| ordinal + 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Packed {
    format: Format,
    hardware: Hardware,
    /// Precision in bits, leading bit included: 2 to 62.
    precision: u32,
    /// The exponent of the least significant bit of subnormal numbers.
    min_lsb: i32,
    /// The sign bit's mask; encodings are below its double.
    sign: u64,
    /// +∞'s encoding.
    infinity: u64,
}

/// Which machine type has the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Hardware {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
    /// None.
    Software,
}

/// ±significand · 2^exponent.
#[derive(Clone, Copy, Debug)]
struct Unpacked {
    negative: bool,
    /// Below 2^precision; zero for zeros.
    significand: u64,
    exponent: i32,
}

impl Packed {
    /// The format's operations; `None` if it is wider than 64 bits, stores its leading bit, or has an exponent field
    /// outside 2 to 15 bits or a precision below 2.
    pub fn new(format: Format) -> Option<Packed> {
        let (exponent, precision) = (format.exponent_bits(), format.precision());
        if format.has_explicit_leading_bit() || !(2..=15).contains(&exponent) || precision < 2 || format.width() > 64 {
            return None;
        }
        let hardware = match format {
            Format::BINARY32 => Hardware::Single,
            Format::BINARY64 => Hardware::Double,
            _ => Hardware::Software,
        };
        Some(Packed {
            format,
            hardware,
            precision,
            min_lsb: format.min_lsb_exponent() as i32,
            sign: 1 << (format.width() - 1),
            infinity: ((1 << exponent) - 1) << (precision - 1),
        })
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// A number's encoding; NaNs give the canonical one. `None` for another format's.
    pub fn encode(&self, float: &Float) -> Option<u64> {
        (float.format() == self.format).then(|| self.canonical(float.bits().to_u64().unwrap_or(0)))
    }

    /// The number of an encoding.
    pub fn decode(&self, a: u64) -> Float {
        Float::from_bits(self.format, a)
    }

    /// ±0.
    pub fn zero(&self, negative: bool) -> u64 {
        self.signed(negative, 0)
    }

    /// 1.
    pub fn one(&self) -> u64 {
        self.infinity >> 1 & !(self.implied() - 1)
    }

    /// ±∞.
    pub fn infinity(&self, negative: bool) -> u64 {
        self.signed(negative, self.infinity)
    }

    /// The canonical quiet NaN.
    pub fn nan(&self) -> u64 {
        self.infinity | self.implied() >> 1
    }

    /// The largest finite number of a sign.
    pub fn max_finite(&self, negative: bool) -> u64 {
        self.signed(negative, self.infinity - 1)
    }

    /// The smallest positive normal number.
    pub fn min_normal(&self) -> u64 {
        self.implied()
    }

    /// The encoding, or the canonical one for NaNs.
    pub fn canonical(&self, a: u64) -> u64 {
        if self.is_nan(a) { self.nan() } else { a }
    }

    /// The sign bit flipped; NaN stays.
    pub fn neg(&self, a: u64) -> u64 {
        if self.is_nan(a) { self.nan() } else { a ^ self.sign }
    }

    /// The sign bit cleared.
    pub fn abs(&self, a: u64) -> u64 {
        self.canonical(a & !self.sign)
    }

    /// Whether it is a NaN.
    pub fn is_nan(&self, a: u64) -> bool {
        self.magnitude(a) > self.infinity
    }

    /// Whether it is ±∞.
    pub fn is_infinite(&self, a: u64) -> bool {
        self.magnitude(a) == self.infinity
    }

    /// Whether it is zero, subnormal or normal.
    pub fn is_finite(&self, a: u64) -> bool {
        self.magnitude(a) < self.infinity
    }

    /// Whether it is ±0.
    pub fn is_zero(&self, a: u64) -> bool {
        self.magnitude(a) == 0
    }

    /// Whether it is subnormal.
    pub fn is_subnormal(&self, a: u64) -> bool {
        (1..self.implied()).contains(&self.magnitude(a))
    }

    /// Whether it is normal.
    pub fn is_normal(&self, a: u64) -> bool {
        (self.implied()..self.infinity).contains(&self.magnitude(a))
    }

    /// Whether it is not a NaN and has its sign bit set.
    pub fn is_negative(&self, a: u64) -> bool {
        self.sign_bit(a) && !self.is_nan(a)
    }

    /// Whether it is not a NaN and has its sign bit clear.
    pub fn is_positive(&self, a: u64) -> bool {
        !self.sign_bit(a) && !self.is_nan(a)
    }

    /// The implied leading bit's place, which is the smallest normal number.
    fn implied(&self) -> u64 {
        1 << (self.precision - 1)
    }

    fn sign_bit(&self, a: u64) -> bool {
        a & self.sign != 0
    }

    fn magnitude(&self, a: u64) -> u64 {
        a & (self.sign - 1)
    }

    fn signed(&self, negative: bool, magnitude: u64) -> u64 {
        if negative { magnitude | self.sign } else { magnitude }
    }

    /// Takes a finite number's encoding apart.
    fn unpack(&self, a: u64) -> Unpacked {
        let magnitude = self.magnitude(a);
        let field = magnitude >> (self.precision - 1);
        let fraction = magnitude & (self.implied() - 1);
        let normal = u64::from(field != 0);
        Unpacked {
            negative: self.sign_bit(a),
            significand: fraction | normal << (self.precision - 1),
            exponent: self.min_lsb + (field - normal) as i32,
        }
    }

    /// A finite number other than zero with its leading bit at the implied bit's place, also if it is subnormal.
    fn normalised(&self, a: u64) -> Unpacked {
        let mut unpacked = self.unpack(a);
        let lack = unpacked.significand.leading_zeros() - (64 - self.precision);
        unpacked.significand <<= lack;
        unpacked.exponent -= lack as i32;
        unpacked
    }
}
