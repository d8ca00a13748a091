//! The one function that rounds, on machine integers; the argument is `exact`'s.

use super::Packed;
use crate::RoundingMode;

/// An exact magnitude with a sign: (significand + δ)·2^exponent with 0 ≤ δ < 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub negative: bool,
    /// The integer part; not zero.
    pub significand: u128,
    /// The weight of its last bit; within ±2^20, which products of 15-bit exponents are.
    pub exponent: i32,
    /// Whether δ ≠ 0. Then the significand is longer than the precision it is rounded to.
    pub sticky: bool,
}

impl Exact {
    /// The magnitude in units of 2^`lsb`, rounded to an integer, which the caller knows to fit.
    pub fn round_at(&self, lsb: i32, mode: RoundingMode) -> u128 {
        let shift = lsb - self.exponent;
        if shift <= 0 {
            return self.significand << -shift;
        }
        let (kept, half, rest) = match shift {
            1..128 => {
                let below = self.significand << (128 - shift);
                (self.significand >> shift, below >> 127 == 1, below << 1 != 0)
            }
            128 => (0, self.significand >> 127 == 1, self.significand << 1 != 0),
            _ => (0, false, true),
        };
        kept + u128::from(mode.increments(self.negative, kept & 1 == 1, half, rest || self.sticky))
    }

    /// The exponent of the leading bit.
    pub fn top(&self) -> i32 {
        self.exponent + 127 - self.significand.leading_zeros() as i32
    }
}

impl Packed {
    /// The encoding of the rounded magnitude.
    pub(super) fn round(&self, mode: RoundingMode, exact: &Exact) -> u64 {
        debug_assert!(exact.significand != 0);
        let lsb = (exact.top() - self.precision as i32 + 1).max(self.min_lsb);
        let steps = (lsb - self.min_lsb) as u64;
        // From infinity's exponent field on, the number below would overflow the format and later the integer.
        if steps >= self.infinity >> (self.precision - 1) {
            return self.overflow(mode, exact.negative);
        }
        let number = (steps << (self.precision - 1)) + exact.round_at(lsb, mode) as u64;
        if number >= self.infinity {
            return self.overflow(mode, exact.negative);
        }
        self.signed(exact.negative, number)
    }

    /// The result where a rounded magnitude exceeds the largest finite one (IEEE 754-2019, section 7.4).
    fn overflow(&self, mode: RoundingMode, negative: bool) -> u64 {
        let outward = mode.increments(negative, true, true, true);
        self.signed(negative, self.infinity - u64::from(!outward))
    }
}
