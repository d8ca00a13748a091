//! Addition.
//!
//! The greater magnitude goes first, so the exponents' difference is not negative and neither is the sum of significands.
//! Two bits and a sticky bit below the smaller one are enough: if it was shifted by two places or more, the sum loses at
//! most one leading bit. A sum never needs rounding at a subnormal's place: it is a multiple of the smallest
//! number. A zero operand is a zero significand, which leaves the other as it is.

use labrys_float::RoundingMode;

use super::round::Exact;
use super::{Bits, FloatCircuit, FloatCircuits, ModeBits, Signed, compare, shift};
use crate::bitblast::{Gates, Lit, vector};
use crate::domain::FloatDomain;

impl FloatCircuits {
    /// `fp.add`.
    pub fn add(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        a: &FloatCircuit,
        b: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let (left, right) = compare::magnitudes(a, b);
        let greater = vector::less(gates, &right, &left, Lit::TRUE);
        let exact = exact_sum(gates, mode, &Exact::of(a), &Exact::of(b), greater);
        self.round(gates, mode, a.format, &exact, known)
    }

    /// `fp.sub`.
    pub fn sub(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        a: &FloatCircuit,
        b: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        // NaN has no sign that matters.
        let b = self.neg(b);
        self.add(gates, mode, a, &b, known)
    }

    /// `fp.fma`: the product is exact, and so is the sum but for bits below a sticky one.
    pub fn fma(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        a: &FloatCircuit,
        b: &FloatCircuit,
        c: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let product = self.exact_product(gates, a, b);
        let mut addend = Exact::of(c);
        let mut significand = vec![Lit::FALSE; product.significand.len() - c.precision()];
        significand.append(&mut addend.significand);
        addend.significand = significand;
        let word = |number: &Exact, exponent: Bits| [&number.significand[..], &exponent].concat();
        let left = word(&product, product.exponent.ordered(&addend.exponent));
        let right = word(&addend, addend.exponent.ordered(&product.exponent));
        let greater = vector::less(gates, &right, &left, Lit::TRUE);
        let exact = exact_sum(gates, mode, &product, &addend, greater);
        self.round(gates, mode, a.format, &exact, known)
    }
}

/// The sum of two numbers whose significands have the same width. `greater` tells, of two regular numbers, whether the
/// magnitude of the first is at least that of the second.
fn exact_sum(gates: &mut Gates, mode: &ModeBits, a: &Exact, b: &Exact, greater: Lit) -> Exact {
    let width = a.significand.len();
    let greater = gates.or(greater, b.zero);
    let a_first = gates.and(greater, !a.zero);

    let first = Signed::mux(gates, a_first, &a.exponent, &b.exponent);
    let difference = if a.exponent.low() > b.exponent.high() {
        a.exponent.difference(gates, &b.exponent)
    } else if b.exponent.low() > a.exponent.high() {
        b.exponent.difference(gates, &a.exponent)
    } else {
        let second = Signed::mux(gates, a_first, &b.exponent, &a.exponent);
        first.difference(gates, &second)
    };
    let difference = difference.within(0, i128::MAX);
    let amount = difference.word(difference.width() - 1);
    let large = vector::mux(gates, a_first, &a.significand, &b.significand);
    let small = vector::mux(gates, a_first, &b.significand, &a.significand);
    let absent = gates.or(a.zero, b.zero);
    let small = vector::mask(gates, !absent, &small);

    let pad = |word: &[Lit]| [&[Lit::FALSE, Lit::FALSE], word].concat();
    let (shifted, sticky) = shift::right_sticky(gates, &pad(&small), &amount);
    let subtract = gates.xor(a.negative, b.negative);
    let flip = |gates: &mut Gates, word: &[Lit]| word.iter().map(|bit| gates.xor(*bit, subtract)).collect::<Vec<Lit>>();
    let second = flip(gates, &shifted);
    // −(shifted + sticky) = ¬shifted + 1, less one where the sticky bit borrows.
    let carry = gates.and(subtract, !sticky);
    let (mut sum, out) = vector::add(gates, &pad(&large), &second, carry);
    sum.insert(0, sticky);
    sum.push(gates.and(out, !subtract));
    let cancelled = if subtract == Lit::FALSE { Lit::FALSE } else { !gates.any(&sum) };

    // Where nothing is subtracted at most the top bit is missing.
    let most = if subtract == Lit::FALSE { 1 } else { width + 2 };
    let (significand, zeros) = shift::normalise(gates, &sum, most);
    let zeros = Signed::unsigned(&zeros, most as i128);
    let exponent = first.plus(gates, 1).difference(gates, &zeros);

    let opposite = gates.all(&[a.infinite, b.infinite, subtract]);
    let both_zero = gates.and(a.zero, b.zero);
    let sign = gates.mux(a_first, a.negative, b.negative);
    let sign = gates.mux(a.infinite, a.negative, sign);
    let b_rules = gates.and(b.infinite, !a.infinite);
    let sign = gates.mux(b_rules, b.negative, sign);
    let down = mode.is(RoundingMode::TowardNegative);
    let both = gates.and(a.negative, b.negative);
    let zero = gates.or(both_zero, cancelled);
    let zero_sign = gates.mux(subtract, down, both);
    let infinite = gates.or(a.infinite, b.infinite);
    let zero = gates.and(zero, !infinite);
    let nan = gates.any(&[a.nan, b.nan, opposite]);
    Exact {
        nan,
        infinite: gates.and(infinite, !nan),
        zero: gates.and(zero, !nan),
        negative: gates.mux(zero, zero_sign, sign),
        exponent,
        significand,
        rest: Lit::FALSE,
    }
}
