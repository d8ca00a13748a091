//! Sums, products, quotients, square roots and fused multiply-adds.

use super::round::Exact;
use super::{Hardware, Packed, Unpacked};
use crate::RoundingMode;

/// Where the leading bit of a sum's operands is put: the sum of two stays below 2^127.
const TOP: i32 = 125;

/// ±significand · 2^exponent, the significand's leading bit at `TOP`.
#[derive(Clone, Copy)]
struct Aligned {
    negative: bool,
    significand: u128,
    exponent: i32,
}

impl Aligned {
    /// `significand` is neither zero nor longer than `TOP` + 1 bits.
    fn new(negative: bool, significand: u128, exponent: i32) -> Aligned {
        let lack = significand.leading_zeros() as i32 - (127 - TOP);
        Aligned { negative, significand: significand << lack, exponent: exponent - lack }
    }
}

impl From<Unpacked> for Aligned {
    fn from(unpacked: Unpacked) -> Aligned {
        Aligned::new(unpacked.negative, unpacked.significand.into(), unpacked.exponent)
    }
}

/// The exact sum, `None` if it is zero.
///
/// Operands have at most 124 bits, a product's, so that two low bits are zero: the smaller operand loses bits only if
/// it is shifted by three or more. Then the difference keeps its leading bit at `TOP` − 1 or above, and δ ≠ 0 comes with
/// more bits than any precision.
fn sum(a: Aligned, b: Aligned) -> Option<Exact> {
    let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    let distance = large.exponent - small.exponent;
    let (shifted, lost) = if distance < 128 {
        let shifted = small.significand >> distance;
        (shifted, shifted << distance != small.significand)
    } else {
        (0, true)
    };
    let significand = if large.negative == small.negative {
        large.significand + shifted
    } else {
        // L − (s + δ) = (L − s − 1) + (1 − δ).
        large.significand - shifted - u128::from(lost)
    };
    (significand != 0).then_some(Exact {
        negative: large.negative,
        significand,
        exponent: large.exponent,
        sticky: lost,
    })
}

/// Runs a machine operation on encodings in the two hardware formats, to nearest even; else goes on.
macro_rules! hardware {
    ($packed:expr, $mode:expr, |$($name:ident),+| $operation:expr) => {
        if $mode == RoundingMode::NearestEven {
            match $packed.hardware {
                Hardware::Double => {
                    $(let $name = f64::from_bits($name);)+
                    return $packed.canonical(f64::to_bits($operation));
                }
                Hardware::Single => {
                    $(let $name = f32::from_bits($name as u32);)+
                    return $packed.canonical(u64::from(f32::to_bits($operation)));
                }
                Hardware::Software => {}
            }
        }
    };
}

impl Packed {
    /// The sign of a sum that is exactly zero, its operands' signs given.
    fn zero_sum(&self, mode: RoundingMode, a: bool, b: bool) -> u64 {
        self.zero(if a == b { a } else { mode == RoundingMode::TowardNegative })
    }

    /// a + b.
    pub fn add(&self, mode: RoundingMode, a: u64, b: u64) -> u64 {
        hardware!(self, mode, |a, b| a + b);
        if !self.is_finite(a) || !self.is_finite(b) {
            return self.add_special(a, b);
        }
        match (self.is_zero(a), self.is_zero(b)) {
            (true, true) => self.zero_sum(mode, self.sign_bit(a), self.sign_bit(b)),
            (true, false) => b,
            (false, true) => a,
            (false, false) => match sum(self.unpack(a).into(), self.unpack(b).into()) {
                Some(exact) => self.round(mode, &exact),
                None => self.zero(mode == RoundingMode::TowardNegative),
            },
        }
    }

    /// The sum where an operand is infinite or NaN.
    fn add_special(&self, a: u64, b: u64) -> u64 {
        match (self.is_finite(a), self.is_finite(b)) {
            _ if self.is_nan(a) || self.is_nan(b) => self.nan(),
            (true, _) => b,
            (false, true) => a,
            (false, false) if a == b => a,
            (false, false) => self.nan(),
        }
    }

    /// a − b.
    pub fn sub(&self, mode: RoundingMode, a: u64, b: u64) -> u64 {
        self.add(mode, a, self.neg(b))
    }

    /// a · b.
    pub fn mul(&self, mode: RoundingMode, a: u64, b: u64) -> u64 {
        hardware!(self, mode, |a, b| a * b);
        let negative = self.sign_bit(a) != self.sign_bit(b);
        if !self.is_finite(a) || !self.is_finite(b) {
            return self.mul_special(negative, a, b);
        }
        if self.is_zero(a) || self.is_zero(b) {
            return self.zero(negative);
        }
        self.round(mode, &self.product(a, b))
    }

    /// The exact product of finite numbers other than zero: at most 2·62 bits.
    fn product(&self, a: u64, b: u64) -> Exact {
        let (a, b) = (self.unpack(a), self.unpack(b));
        Exact {
            negative: a.negative != b.negative,
            significand: u128::from(a.significand) * u128::from(b.significand),
            exponent: a.exponent + b.exponent,
            sticky: false,
        }
    }

    /// The product where an operand is infinite or NaN.
    fn mul_special(&self, negative: bool, a: u64, b: u64) -> u64 {
        if self.is_nan(a) || self.is_nan(b) || self.is_zero(a) || self.is_zero(b) {
            self.nan()
        } else {
            self.infinity(negative)
        }
    }

    /// a / b.
    pub fn div(&self, mode: RoundingMode, a: u64, b: u64) -> u64 {
        hardware!(self, mode, |a, b| a / b);
        let negative = self.sign_bit(a) != self.sign_bit(b);
        if self.is_nan(a) || self.is_nan(b) {
            return self.nan();
        }
        match (self.is_finite(a), self.is_finite(b)) {
            (false, false) => return self.nan(),
            (false, true) => return self.infinity(negative),
            (true, false) => return self.zero(negative),
            (true, true) => {}
        }
        match (self.is_zero(a), self.is_zero(b)) {
            (true, true) => self.nan(),
            (false, true) => self.infinity(negative),
            (true, false) => self.zero(negative),
            (false, false) => self.round(mode, &self.quotient(negative, a, b)),
        }
    }

    /// The quotient of finite numbers other than zero: normalised significands are less than a factor of two apart, so that p + 2
    /// bits more in the dividend, which make 2p + 2 ≤ 126, give at least p + 2 bits.
    fn quotient(&self, negative: bool, a: u64, b: u64) -> Exact {
        let (a, b) = (self.normalised(a), self.normalised(b));
        let shift = self.precision + 2;
        let exponent = a.exponent - b.exponent - shift as i32;
        // Below 2^64 the division is one instruction and not a call.
        let (significand, sticky) = if 2 * self.precision + 2 <= 64 {
            let dividend = a.significand << shift;
            (u128::from(dividend / b.significand), !dividend.is_multiple_of(b.significand))
        } else {
            let (dividend, divisor) = (u128::from(a.significand) << shift, u128::from(b.significand));
            let quotient = dividend / divisor;
            (quotient, quotient * divisor != dividend)
        };
        Exact { negative, significand, exponent, sticky }
    }

    /// The square root; √−0 is −0.
    pub fn sqrt(&self, mode: RoundingMode, a: u64) -> u64 {
        hardware!(self, mode, |a| a.sqrt());
        if self.is_nan(a) {
            return self.nan();
        }
        if self.is_zero(a) {
            return a;
        }
        if self.sign_bit(a) {
            return self.nan();
        }
        if self.is_infinite(a) {
            return a;
        }
        // A radicand of 2p + 3 or 2p + 4 bits, at most 128, has a root of p + 2.
        let mut unpacked = self.normalised(a);
        unpacked.exponent -= self.precision as i32 + 3;
        let mut radicand = u128::from(unpacked.significand) << (self.precision + 3);
        if unpacked.exponent & 1 != 0 {
            radicand <<= 1;
            unpacked.exponent -= 1;
        }
        let significand = radicand.isqrt();
        let sticky = significand * significand != radicand;
        self.round(mode, &Exact { negative: false, significand, exponent: unpacked.exponent / 2, sticky })
    }

    /// a · b + c with one rounding.
    pub fn fma(&self, mode: RoundingMode, a: u64, b: u64, c: u64) -> u64 {
        hardware!(self, mode, |a, b, c| a.mul_add(b, c));
        let negative = self.sign_bit(a) != self.sign_bit(b);
        if !self.is_finite(a) || !self.is_finite(b) {
            return self.add_special(self.mul_special(negative, a, b), c);
        }
        if !self.is_finite(c) {
            return self.canonical(c);
        }
        let zero_product = self.is_zero(a) || self.is_zero(b);
        if zero_product && self.is_zero(c) {
            return self.zero_sum(mode, negative, self.sign_bit(c));
        }
        if zero_product {
            return c;
        }
        let product = self.product(a, b);
        if self.is_zero(c) {
            return self.round(mode, &product);
        }
        let product = Aligned::new(product.negative, product.significand, product.exponent);
        match sum(product, self.unpack(c).into()) {
            Some(exact) => self.round(mode, &exact),
            None => self.zero(mode == RoundingMode::TowardNegative),
        }
    }
}
