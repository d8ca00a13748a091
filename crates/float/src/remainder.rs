//! The two remainders: C's `fmod` (quotient truncated) and IEEE 754's (quotient rounded to nearest, ties to even).
//!
//! Both are exact: the result is a multiple of the smaller operand's last bit and smaller than the divisor, hence
//! representable. A quotient may have as many bits as the exponents differ, so it is never formed: with both operands
//! as integers over a common unit, 2^k·m mod n is computed by modular exponentiation.

use num_bigint::BigUint;

use crate::exact::round_finite;
use crate::operand::propagate_nan;
use crate::unpacked::{Finite, Unpacked};
use crate::{Environment, Float, Rounded};

/// |x| mod (2^`doublings`·|y|) and |y| over a common unit, and the unit's exponent. Neither is zero and |x| ≥ |y|/4, which bounds the
/// integers by the precision and not by the exponents.
fn residue(x: &Finite, y: &Finite, doublings: u32) -> (BigUint, BigUint, i64) {
    let unit = x.exponent.min(y.exponent);
    let divisor = &y.significand << (y.exponent - unit);
    let modulus = &divisor << doublings;
    let power = BigUint::from(2u8).modpow(&BigUint::from((x.exponent - unit) as u64), &modulus);
    (power * &x.significand % &modulus, divisor, unit)
}

impl Environment {
    /// The operands of a remainder, or the result where one of them is special.
    fn remainder_operands(&self, x: &Float, y: &Float) -> Result<(Finite, Finite), Rounded> {
        let (a, b) = (self.operand(x), self.operand(y));
        if let Some(nan) = propagate_nan(x.format(), &[&a, &b]) {
            return Err(nan);
        }
        match (a, b) {
            (Unpacked::Finite(a), Unpacked::Finite(b)) if !b.is_zero() => Ok((a, b)),
            (Unpacked::Finite(a), Unpacked::Infinite { .. }) => Err(round_finite(x.format(), self, a)),
            _ => Err(Rounded::invalid(x.format())),
        }
    }

    /// C's `fmod`, LLVM's `frem`: x − n·y, n = x/y truncated; exact, with x's sign. Invalid for infinite x or zero y.
    pub fn fmod(&self, x: &Float, y: &Float) -> Rounded {
        let (format, environment) = (x.format(), self.of(x.format()));
        let (a, b) = match environment.remainder_operands(x, y) {
            Ok(operands) => operands,
            Err(result) => return result,
        };
        if a.is_zero() || a.top() < b.top() {
            return round_finite(format, &environment, a);
        }
        let (significand, _, exponent) = residue(&a, &b, 0);
        round_finite(format, &environment, Finite { negative: a.negative, significand, exponent })
    }

    /// IEEE 754's remainder, SMT-LIB's `fp.rem`, C's `remainder`: x − n·y, n the integer nearest to x/y, ties to even;
    /// exact. A zero result has x's sign.
    pub fn ieee_remainder(&self, x: &Float, y: &Float) -> Rounded {
        let (format, environment) = (x.format(), self.of(x.format()));
        let (a, b) = match environment.remainder_operands(x, y) {
            Ok(operands) => operands,
            Err(result) => return result,
        };
        // |x| < |y|/2: the quotient rounds to 0.
        if a.is_zero() || a.top() + 1 < b.top() {
            return round_finite(format, &environment, a);
        }
        let (residue, divisor, exponent) = residue(&a, &b, 1);
        let odd = residue >= divisor;
        let remainder = if odd { residue - &divisor } else { residue };
        let twice = &remainder << 1u8;
        let finite = if twice > divisor || (twice == divisor && odd) {
            Finite { negative: !a.negative, significand: divisor - remainder, exponent }
        } else {
            Finite { negative: a.negative, significand: remainder, exponent }
        };
        round_finite(format, &environment, finite)
    }
}
