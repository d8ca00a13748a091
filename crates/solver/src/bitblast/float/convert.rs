//! Conversions between formats and between numbers and integers.

use labrys_float::Format;

use super::round::Exact;
use super::{Bits, FloatCircuit, FloatCircuits, ModeBits, Signed, shift};
use crate::bitblast::{Gates, Lit, vector};
use crate::domain::FloatDomain;

impl FloatCircuits {
    /// `to_fp` of a number of another format.
    pub fn convert(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        a: &FloatCircuit,
        to: Format,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        if a.format == to {
            return self.constrained(gates, a.clone(), known);
        }
        self.round(gates, mode, to, &Exact::of(a), known)
    }

    /// `to_fp` of a signed bit vector.
    pub fn from_signed(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        bits: &[Lit],
        to: Format,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let negative = vector::sign(bits);
        // The least number's magnitude is itself read without a sign.
        let magnitude = vector::negate_if(gates, negative, bits);
        self.magnitude_as_number(gates, mode, negative, &magnitude, to, known)
    }

    /// `to_fp_unsigned`.
    pub fn from_unsigned(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        bits: &[Lit],
        to: Format,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        self.magnitude_as_number(gates, mode, Lit::FALSE, bits, to, known)
    }

    fn magnitude_as_number(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        negative: Lit,
        bits: &[Lit],
        to: Format,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        // High bits that are known to be zero need no normalisation.
        let used = bits.iter().rposition(|bit| *bit != Lit::FALSE).map_or(1, |last| last + 1);
        let word = vector::resize(bits, used, Lit::FALSE);
        let zero = vector::is_zero(gates, &word);
        let (mut significand, zeros) = shift::normalise(gates, &word, used);
        significand[used - 1] = Lit::TRUE;
        let zeros = Signed::unsigned(&zeros, used as i128 - 1);
        let exponent = Signed::constant(used as i128 - 2).difference(gates, &zeros);
        let exact =
            Exact { nan: Lit::FALSE, infinite: Lit::FALSE, zero, negative, exponent, significand, rest: Lit::FALSE };
        self.round(gates, mode, to, &exact, known)
    }

    /// `fp.to_ubv`, where the rounded number is in the range; elsewhere any bits.
    pub fn to_unsigned(&mut self, gates: &mut Gates, mode: &ModeBits, a: &FloatCircuit, width: u32) -> Bits {
        self.rounded_magnitude(gates, mode, a, width as usize)
    }

    /// `fp.to_sbv`, where the rounded number is in the range; elsewhere any bits.
    pub fn to_signed(&mut self, gates: &mut Gates, mode: &ModeBits, a: &FloatCircuit, width: u32) -> Bits {
        let magnitude = self.rounded_magnitude(gates, mode, a, width as usize);
        vector::negate_if(gates, a.negative, &magnitude)
    }

    /// |a| rounded to an integer, of so many bits, if it has no more.
    fn rounded_magnitude(&mut self, gates: &mut Gates, mode: &ModeBits, a: &FloatCircuit, width: usize) -> Bits {
        // The leading one is put at weight 2^(width − 1) and shifted down to its place; a bit below the point is the half.
        let length = a.precision().max(width + 1);
        let mut word = vec![Lit::FALSE; length - a.precision()];
        word.extend_from_slice(&a.significand);
        let down = Signed::constant(width as i128 - 2).difference(gates, &a.exponent).within(0, i128::MAX);
        let amount = down.saturated(gates, (usize::BITS - (length + 1).leading_zeros()) as usize);
        let (word, lost) = shift::right_sticky(gates, &word, &amount);
        let point = length - width;
        let below = gates.any(&word[..point - 1]);
        let rest = gates.or(below, lost);
        let up = mode.increments(gates, a.negative, word[point], word[point - 1], rest);
        let (integer, _) = vector::increment(gates, &word[point..], up);
        vector::mask(gates, !a.zero, &integer)
    }
}
