//! Numbers taken apart.
//!
//! x87 has encodings that no operation produces since the 80387: unnormals (a non-zero exponent field with the leading
//! bit clear), pseudo-infinities and pseudo-NaNs. Processors treat them as invalid operands, and so do we: they unpack
//! to signaling NaNs. Pseudo-subnormals (exponent field 0 with the leading bit set) are valid and have the value that
//! exponent field 1 would give.

use num_bigint::BigUint;
use num_traits::Zero;

use crate::Float;

/// What an encoding denotes.
#[derive(Clone, Debug)]
pub(crate) enum Unpacked {
    /// Not a number.
    Nan {
        /// Whether using it as an operand is invalid.
        signaling: bool,
    },
    /// ±∞.
    Infinite {
        /// Its sign.
        negative: bool,
    },
    /// ±significand · 2^exponent.
    Finite(Finite),
}

/// ±significand · 2^exponent.
#[derive(Clone, Debug)]
pub(crate) struct Finite {
    /// Its sign; zeros have one.
    pub negative: bool,
    /// At most the format's precision in bits; zero for zeros.
    pub significand: BigUint,
    /// The exponent of the significand's last bit.
    pub exponent: i64,
}

impl Finite {
    /// Whether it is ±0.
    pub fn is_zero(&self) -> bool {
        self.significand.is_zero()
    }

    /// The exponent of the leading bit; meaningless for zeros.
    pub fn top(&self) -> i64 {
        self.exponent + self.significand.bits() as i64 - 1
    }
}

/// The bits below `count`.
fn mask(count: u32) -> BigUint {
    (BigUint::from(1u8) << count) - 1u8
}

impl Float {
    /// The exponent field and the significand field.
    pub(crate) fn fields(&self) -> (BigUint, BigUint) {
        let format = self.format();
        let stored = format.stored_significand_bits();
        ((self.bits() >> stored) & mask(format.exponent_bits()), self.bits() & mask(stored))
    }

    /// Takes the encoding apart.
    pub(crate) fn unpack(&self) -> Unpacked {
        let format = self.format();
        let negative = self.is_negative();
        let fraction_bits = format.precision() - 1;
        let (field, mut significand) = self.fields();
        let leading = BigUint::from(1u8) << fraction_bits;
        let top = field == mask(format.exponent_bits());
        if format.has_explicit_leading_bit() {
            if !field.is_zero() && !significand.bit(u64::from(fraction_bits)) {
                return Unpacked::Nan { signaling: true };
            }
            if top {
                significand -= &leading;
            }
        } else if !field.is_zero() && !top {
            significand += &leading;
        }
        if top && significand.is_zero() {
            return Unpacked::Infinite { negative };
        }
        if top {
            return Unpacked::Nan { signaling: !significand.bit(u64::from(fraction_bits) - 1) };
        }
        // An exponent field is below 2^62, see `Format::max_exponent`.
        let field = field.iter_u64_digits().next().unwrap_or(0) as i64;
        Unpacked::Finite(Finite { negative, significand, exponent: format.min_lsb_exponent() + (field - 1).max(0) })
    }

    /// The number taken apart; `None` for infinities and NaNs.
    pub(crate) fn to_finite(&self) -> Option<Finite> {
        match self.unpack() {
            Unpacked::Finite(finite) => Some(finite),
            _ => None,
        }
    }
}
