//! Square root, by one subtraction for each digit.

use super::round::Exact;
use super::{Bits, FloatCircuit, FloatCircuits, ModeBits, Signed};
use crate::bitblast::{Gates, Lit, vector};
use crate::domain::FloatDomain;

/// The root of a radicand in [1, 4), of `steps` bits with the first of weight one, and whether anything remains. The
/// last two bits of the radicand are those of weight one and two's place: it has `radicand.len() − 2` places below the
/// point.
///
/// The remainder before each digit is the radicand less the square of the root so far; digit j is one if that is at
/// least 2·root·2^−j + 4^−j. Scaled by 2^j, the remainder is at most twice the root, so its width grows with the root's.
fn root(gates: &mut Gates, radicand: &[Lit], steps: usize) -> (Bits, Lit) {
    let bit =
        |from_top: usize| if from_top < radicand.len() { radicand[radicand.len() - 1 - from_top] } else { Lit::FALSE };
    // High bit first.
    let mut digits: Bits = Vec::new();
    let mut remainder: Bits = Vec::new();
    for step in 0..steps {
        // Two bits of the radicand come down, and the subtrahend is the root so far followed by 01.
        let mut grown = vec![bit(2 * step + 1), bit(2 * step)];
        grown.extend_from_slice(&remainder);
        let mut subtrahend = vec![Lit::TRUE, Lit::FALSE];
        subtrahend.extend(digits.iter().rev());
        let width = grown.len().max(subtrahend.len());
        let grown = vector::resize(&grown, width, Lit::FALSE);
        let subtrahend = vector::resize(&subtrahend, width, Lit::FALSE);
        let (less, digit) = vector::sub(gates, &grown, &subtrahend);
        remainder = vector::mux(gates, digit, &less, &grown);
        // At most twice the root: one bit more than that has.
        remainder.truncate(step + 2);
        digits.push(digit);
    }
    digits.reverse();
    (digits, gates.any(&remainder))
}

impl FloatCircuits {
    /// `fp.sqrt`.
    pub fn sqrt(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        a: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        // The exponent is held less one: where it is even the true one is odd, and the radicand is doubled.
        let odd = !a.exponent.bit(0);
        let shifted = [&[Lit::FALSE], &a.significand[..]].concat();
        let plain = [&a.significand[..], &[Lit::FALSE]].concat();
        let radicand = vector::mux(gates, odd, &shifted, &plain);
        // A number of p bits is never halfway: its root has one bit more than the precision, and something remains.
        let (mut significand, rest) = root(gates, &radicand, a.precision() + 1);
        let last = significand.len() - 1;
        significand[last] = Lit::TRUE;
        // With e = held + 1: ⌊e/2⌋ − 1 = ⌊(held − 1)/2⌋.
        let less = a.exponent.plus(gates, -1);
        let half: Bits = (1..less.width().max(2)).map(|i| less.bit(i)).collect();
        let exponent = Signed::new(half, less.low() >> 1, less.high() >> 1);
        let invalid = gates.and(a.negative, !a.zero);
        let nan = gates.or(a.nan, invalid);
        let exact = Exact {
            nan,
            infinite: gates.and(a.infinite, !nan),
            zero: gates.and(a.zero, !nan),
            negative: a.negative,
            exponent,
            significand,
            rest,
        };
        self.round(gates, mode, a.format, &exact, known)
    }
}
