//! Floating-point formats as run-time widths.

use num_bigint::BigUint;

/// A binary floating-point format: the width of its exponent field and its precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Format {
    /// Width of the exponent field in bits.
    exponent: u32,
    /// Precision in bits: the significand with its leading bit (SMT-LIB's `sb`).
    significand: u32,
    /// Whether the leading bit is stored (x87 extended precision) or implied (the interchange formats).
    explicit_leading_bit: bool,
}

impl Format {
    /// binary16, "half".
    pub const BINARY16: Format = Format::new(5, 11);
    /// bfloat16.
    pub const BFLOAT16: Format = Format::new(8, 8);
    /// binary32, C's `float`.
    pub const BINARY32: Format = Format::new(8, 24);
    /// binary64, C's `double`.
    pub const BINARY64: Format = Format::new(11, 53);
    /// x87 double-extended: 80 bits with the leading bit stored.
    pub const X87: Format = Format { exponent: 15, significand: 64, explicit_leading_bit: true };
    /// binary128, "quad".
    pub const BINARY128: Format = Format::new(15, 113);

    /// A format with an implied leading bit, SMT-LIB's `(_ FloatingPoint exponent significand)`.
    pub const fn new(exponent: u32, significand: u32) -> Format {
        Format { exponent, significand, explicit_leading_bit: false }
    }

    /// Width of the exponent field in bits.
    pub const fn exponent_bits(self) -> u32 {
        self.exponent
    }

    /// Precision in bits, leading bit included.
    pub const fn precision(self) -> u32 {
        self.significand
    }

    /// Whether the leading significand bit is stored.
    pub const fn has_explicit_leading_bit(self) -> bool {
        self.explicit_leading_bit
    }

    /// Total width of the encoding in bits: 32 for binary32, 80 for x87.
    pub const fn width(self) -> u32 {
        self.exponent + self.significand + self.explicit_leading_bit as u32
    }

    /// The largest exponent of a finite number written as 1.f × 2^e: 1023 for binary64.
    pub const fn max_exponent(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the smallest normal number: −1022 for binary64.
    pub const fn min_exponent(self) -> i64 {
        1 - self.max_exponent()
    }

    /// The exponent of the least significant bit of subnormal numbers: −1074 for binary64.
    pub const fn min_lsb_exponent(self) -> i64 {
        self.min_exponent() - (self.significand as i64 - 1)
    }

    /// Whether every number of another format is one of this.
    pub const fn holds_all(self, other: Format) -> bool {
        self.precision() >= other.precision()
            && self.max_exponent() >= other.max_exponent()
            && self.min_lsb_exponent() <= other.min_lsb_exponent()
    }

    /// Bits of the significand field: 52 for binary64, 64 for x87.
    pub const fn stored_significand_bits(self) -> u32 {
        self.width() - 1 - self.exponent
    }

    /// Infinity's place in the order of magnitudes, where zero is 0 and the smallest subnormal 1.
    pub(crate) fn infinity_magnitude(self) -> BigUint {
        ((BigUint::from(1u8) << self.exponent) - 1u8) << (self.significand - 1)
    }
}
