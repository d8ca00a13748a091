//! True values that are quotients of integers, exactly.
//!
//! Of code that only adds, multiplies, divides and compares they decide what no number of bits does: that a sum of quotients is zero, that a comparison stands exactly at
//! its limit.
//!
//! **Claim.** The quotient that stands beside a number is its true value, if the run's decisions were the true ones.
//! **Argument.** A number without a radius is its own; operations on quotients are computed exactly. A quotient that has as many bits as the run
//! becomes a number without a radius.

use std::cmp::Ordering;

use labrys_elementary::rug::{self, Rational};

use super::number::PreciseFloat;
use crate::FloatOperation;

/// With fewer bits quotients are not computed: more bits decide nearly everything at less cost.
pub(super) const FROM_PRECISION: u32 = 2304;

/// Quotients of more bits, above and below together, are given up: they grow with every operation.
const MOST_BITS: u32 = 16_384;

/// The quotient that a number is; `None` where it is none that is known.
pub(super) fn quotient(of: &PreciseFloat) -> Option<Rational> {
    if let Some(quotient) = of.quotient() {
        return Some(quotient.clone());
    }
    let is_small = of.value().get_exp().is_none_or(|exponent| exponent.unsigned_abs() < MOST_BITS);
    if of.radius().is_zero() && is_small { of.value().to_rational() } else { None }
}

/// The quotient that an operation's result is.
pub(super) fn of_operation(operation: FloatOperation, operands: &[PreciseFloat]) -> Option<Rational> {
    use FloatOperation as Op;
    let operand = |index: usize| quotient(operands.get(index)?);
    let result = match operation {
        Op::Add => operand(0)? + operand(1)?,
        Op::Sub => operand(0)? - operand(1)?,
        Op::Mul => operand(0)? * operand(1)?,
        Op::Div => operand(0)? / operand(1).filter(|divisor| divisor.cmp0() != Ordering::Equal)?,
        Op::Fma => operand(0)? * operand(1)? + operand(2)?,
        Op::Neg => -operand(0)?,
        Op::Abs => operand(0)?.abs(),
        Op::CopySign => {
            let magnitude = operand(0)?.abs();
            if operands.get(1)?.value().is_sign_negative() { -magnitude } else { magnitude }
        }
        _ => return None,
    };
    is_kept(&result).then_some(result)
}

/// A quotient times a power of two.
pub(super) fn scaled(of: &PreciseFloat, exponent: i32) -> Option<Rational> {
    let result = quotient(of).filter(|_| exponent.unsigned_abs() < MOST_BITS)? << exponent;
    is_kept(&result).then_some(result)
}

fn is_kept(quotient: &Rational) -> bool {
    quotient.numer().significant_bits() + quotient.denom().significant_bits() <= MOST_BITS
}

/// The order of two true values: of quotients exactly, else of the numbers near them.
pub(super) fn order(a: &PreciseFloat, b: &PreciseFloat) -> Option<Ordering> {
    match quotients(a, b) {
        Some([a, b]) => Some(a.cmp(&b)),
        None => a.value().partial_cmp(b.value()),
    }
}

/// Both as quotients, where they are and one of them is no number of the run's bits.
pub(super) fn quotients(a: &PreciseFloat, b: &PreciseFloat) -> Option<[Rational; 2]> {
    (a.quotient().is_some() || b.quotient().is_some()).then(|| Some([quotient(a)?, quotient(b)?])).flatten()
}

/// What stands for a quotient: its nearest number of so many bits, and whether that is the quotient itself.
pub(super) fn nearest(quotient: &Rational, precision: u32) -> (rug::Float, bool) {
    let (value, order) = rug::Float::with_val_round(precision, quotient, rug::float::Round::Nearest);
    (value, order == Ordering::Equal)
}
