//! Rounding: the one place where results become numbers of a format.
//!
//! A significand is cut at a place that depends on the exponent where the result may be subnormal. Nothing is shifted for
//! that: with `t[i]` saying that bit i is cut off (a thermometer code of the places), filling the cut bits with ones lets
//! the carry run to the place of the cut, and masking them afterwards leaves the rounded significand where it was, still
//! normalised. If all bits are cut off, the carry out of the top is the smallest subnormal number.

use labrys_float::Format;

use super::{Bits, Exponents, FloatCircuit, FloatCircuits, ModeBits, Signed, shift};
use crate::bitblast::{Gates, Lit, vector};
use crate::domain::FloatDomain;

/// An operation's exact result.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    pub nan: Lit,
    pub infinite: Lit,
    /// Exactly zero; the sign is the zero's.
    pub zero: Lit,
    pub negative: Lit,
    /// Of the leading bit, less one.
    pub exponent: Signed,
    /// The last bit is one wherever no flag holds; as many bits as are there.
    pub significand: Bits,
    /// Whether anything lies below the significand's bits.
    pub rest: Lit,
}

impl Exact {
    /// A number as it is.
    pub fn of(number: &FloatCircuit) -> Exact {
        Exact {
            nan: number.nan,
            infinite: number.infinite,
            zero: number.zero,
            negative: number.negative,
            exponent: number.exponent.clone(),
            significand: number.significand.clone(),
            rest: Lit::FALSE,
        }
    }
}

/// A significand cut and rounded.
pub(super) struct Cut {
    /// As many bits as went in; those cut off are zero.
    pub bits: Bits,
    /// Whether rounding carried out of the top: then all bits are zero.
    pub carry: Lit,
}

/// Rounds `word` where the first bits are cut off: bit i if `cut[i]`, a thermometer code as long as the word plus one
/// (more than all bits are cut off where its last holds). Below the word are the bit `half` and whether there is a `rest`.
pub(super) fn cut(
    gates: &mut Gates,
    mode: &ModeBits,
    negative: Lit,
    word: &[Lit],
    (half, rest): (Lit, Lit),
    cut: &[Lit],
) -> Cut {
    // at[i]: bit i is the last one kept.
    let at: Bits = (0..=word.len()).map(|i| if i == 0 { !cut[0] } else { gates.and(cut[i - 1], !cut[i]) }).collect();
    let mut halves = vec![gates.and(at[0], half)];
    let mut rests = vec![rest, gates.and(cut[0], half)];
    let mut odds = Vec::new();
    for (i, bit) in word.iter().enumerate() {
        halves.push(gates.and(at[i + 1], *bit));
        rests.push(gates.and(cut[i + 1], *bit));
        odds.push(gates.and(at[i], *bit));
    }
    let (half, rest, odd) = (gates.any(&halves), gates.any(&rests), gates.any(&odds));
    let up = mode.increments(gates, negative, odd, half, rest);
    let filled: Bits = word.iter().zip(cut).map(|(bit, cut)| gates.or(*bit, *cut)).collect();
    let (sum, carry) = vector::increment(gates, &filled, up);
    let bits = sum.iter().zip(cut).map(|(bit, cut)| gates.and(*bit, !*cut)).collect();
    Cut { bits, carry }
}

impl FloatCircuits {
    /// The number of `format` that an exact result is rounded to.
    pub(super) fn round(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        format: Format,
        exact: &Exact,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let (precision, exponents) = (format.precision() as usize, Exponents::of(format));
        let (mut word, half, rest) = split(gates, exact, precision);
        // The leading bit is one wherever it matters.
        word[precision - 1] = Lit::TRUE;

        let under = Signed::constant(exponents.normal).difference(gates, &exact.exponent);
        let amount_bits = (usize::BITS - (precision + 1).leading_zeros()) as usize;
        let amount = under.saturated(gates, amount_bits);
        let places = shift::thermometer(gates, &amount, precision + 1);
        let rounded = cut(gates, mode, exact.negative, &word, (half, rest), &places);

        // Below half the smallest subnormal number the exponent is that of half of it: a carry leads to the number itself.
        let floor = Signed::constant(exponents.least - 1);
        let exponent = Signed::mux(gates, places[precision], &floor, &exact.exponent);
        let exponent = exponent.within(exponents.least - 1, i128::MAX);
        let exponent = exponent.sum(gates, &Signed::constant(0), rounded.carry);
        let vanished = gates.and(places[precision - 1], !rounded.carry);

        let rounded = FloatCircuit {
            format,
            nan: exact.nan,
            infinite: exact.infinite,
            zero: exact.zero,
            negative: exact.negative,
            exponent,
            significand: rounded.bits,
            packed: None,
        };
        self.finish(gates, mode, rounded, vanished, known)
    }

    /// The number whose significand is rounded already: too great an exponent overflows, and what has `vanished` is zero.
    pub(super) fn finish(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        mut number: FloatCircuit,
        vanished: Lit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let (exponents, regular) = (Exponents::of(number.format), number.regular(gates));
        let over = number.exponent.above(gates, exponents.greatest);
        let over = gates.and(over, regular);
        let to_infinity = mode.overflows_to_infinity(gates, number.negative);
        let (infinite, greatest) = (gates.and(over, to_infinity), gates.and(over, !to_infinity));
        let exponent = Signed::mux(gates, greatest, &Signed::constant(exponents.greatest), &number.exponent);
        number.exponent = exponent.within(exponents.least, exponents.greatest);
        number.significand.iter_mut().for_each(|bit| *bit = gates.or(*bit, greatest));
        if let Some(leading) = number.significand.last_mut() {
            *leading = Lit::TRUE;
        }
        number.infinite = gates.or(number.infinite, infinite);
        let vanished = gates.and(vanished, regular);
        number.zero = gates.or(number.zero, vanished);
        self.constrained(gates, number, known)
    }

    /// The number that an exact result is, of which it is known that the format has it.
    pub(super) fn exactly(
        &mut self,
        gates: &mut Gates,
        format: Format,
        exact: &Exact,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let (precision, exponents) = (format.precision() as usize, Exponents::of(format));
        let (mut significand, _, _) = split(gates, exact, precision);
        significand[precision - 1] = Lit::TRUE;
        let number = FloatCircuit {
            format,
            nan: exact.nan,
            infinite: exact.infinite,
            zero: exact.zero,
            negative: exact.negative,
            exponent: exact.exponent.within(exponents.least, exponents.greatest),
            significand,
            packed: None,
        };
        self.constrained(gates, number, known)
    }
}

/// The first bits, as many as the precision, the bit after them, and whether there is anything below.
fn split(gates: &mut Gates, exact: &Exact, precision: usize) -> (Bits, Lit, Lit) {
    let bits = &exact.significand;
    if bits.len() <= precision {
        let mut word = vec![Lit::FALSE; precision - bits.len()];
        word.extend_from_slice(bits);
        return (word, Lit::FALSE, exact.rest);
    }
    let below = bits.len() - precision;
    let mut rest = bits[..below - 1].to_vec();
    rest.push(exact.rest);
    (bits[below..].to_vec(), bits[below - 1], gates.any(&rest))
}
