//! The two remainders, exact: 2^k·m mod n without the quotient, some bits of the power at a time. C's library functions,
//! one bit at a time, are slower also where they apply.

use super::round::Exact;
use super::{Packed, Unpacked};
use crate::RoundingMode;

/// 2^`power`·`m` mod `n`, m and n below 2^63.
fn scaled_residue(m: u64, mut power: u32, n: u64) -> u64 {
    let modulus = u128::from(n);
    let mut residue = m % n;
    while power > 0 && residue != 0 {
        // A residue below 2^63 leaves 65 bits of 128, more if it is shorter.
        let step = power.min(64 + residue.leading_zeros());
        residue = ((u128::from(residue) << step) % modulus) as u64;
        power -= step;
    }
    residue
}

impl Packed {
    /// The result where it needs no division: special operands, and |a| < |b|/2.
    fn trivial_remainder(&self, a: u64, b: u64) -> Option<u64> {
        if self.is_nan(a) || self.is_nan(b) || self.is_infinite(a) || self.is_zero(b) {
            return Some(self.nan());
        }
        (self.is_infinite(b) || self.is_zero(a)).then_some(a)
    }

    /// |a| mod 2^`doublings`·|b| and |b|, both in units of the exponent given, and that exponent. Both are normalised, a's
    /// exponent at least b's less one, and `doublings` at most 1: the modulus has at most 62 + 2 bits.
    fn residue(&self, a: Unpacked, b: Unpacked, doublings: u32) -> (u64, u64, i32) {
        let unit = a.exponent.min(b.exponent);
        let divisor = u128::from(b.significand) << (b.exponent - unit) as u32;
        let modulus = divisor << doublings;
        let power = (a.exponent - unit) as u32;
        let residue = if modulus < 1 << 63 {
            scaled_residue(a.significand, power, modulus as u64)
        } else {
            // 64 bits, which only a precision of 62 makes, and only where b's exponent is the greater: the power is 0.
            ((u128::from(a.significand) << power) % modulus) as u64
        };
        (residue, divisor as u64, unit)
    }

    /// An exact result.
    fn exact_remainder(&self, negative: bool, significand: u64, exponent: i32) -> u64 {
        if significand == 0 {
            return self.zero(negative);
        }
        let exact = Exact { negative, significand: significand.into(), exponent, sticky: false };
        self.round(RoundingMode::NearestEven, &exact)
    }

    /// C's `fmod`: a − n·b, n = a/b truncated; a zero result has a's sign.
    pub fn fmod(&self, a: u64, b: u64) -> u64 {
        if let Some(trivial) = self.trivial_remainder(a, b) {
            return trivial;
        }
        if self.magnitude(a) < self.magnitude(b) {
            return a;
        }
        let (a, b) = (self.normalised(a), self.normalised(b));
        let (residue, _, exponent) = self.residue(a, b, 0);
        self.exact_remainder(a.negative, residue, exponent)
    }

    /// IEEE 754's remainder, SMT-LIB's `fp.rem`: a − n·b, n the integer nearest to a/b, ties to even; a zero result
    /// has a's sign.
    pub fn remainder(&self, a: u64, b: u64) -> u64 {
        if let Some(trivial) = self.trivial_remainder(a, b) {
            return trivial;
        }
        let original = a;
        let (a, b) = (self.normalised(a), self.normalised(b));
        if a.exponent + 1 < b.exponent {
            return original;
        }
        let (residue, divisor, exponent) = self.residue(a, b, 1);
        let odd = residue >= divisor;
        let remainder = if odd { residue - divisor } else { residue };
        let rest = divisor - remainder;
        if remainder > rest || (remainder == rest && odd) {
            self.exact_remainder(!a.negative, rest, exponent)
        } else {
            self.exact_remainder(a.negative, remainder, exponent)
        }
    }
}
