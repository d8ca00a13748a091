//! Comparisons, classifications, signs, minima and maxima.

use super::{Bits, Exponents, FloatCircuit, FloatCircuits, Signed};
use crate::bitblast::{Gates, Lit, vector};
use crate::domain::FloatDomain;

/// The magnitudes of two regular numbers as unsigned words of one width.
pub(super) fn magnitudes(a: &FloatCircuit, b: &FloatCircuit) -> (Bits, Bits) {
    if let (Some(left), Some(right)) = (&a.packed, &b.packed) {
        let top = left.len() - 1;
        return (left[..top].to_vec(), right[..top].to_vec());
    }
    let word = |number: &FloatCircuit, exponent: Bits| {
        let mut word = number.significand[..number.precision() - 1].to_vec();
        word.extend(exponent);
        word
    };
    (word(a, a.exponent.ordered(&b.exponent)), word(b, b.exponent.ordered(&a.exponent)))
}

/// Words in the order of the magnitudes, zeros and infinities included.
fn order_words(gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> (Bits, Bits) {
    if a.packed.is_some() && b.packed.is_some() {
        return magnitudes(a, b);
    }
    let (mut left, mut right) = magnitudes(a, b);
    for (word, number) in [(&mut left, a), (&mut right, b)] {
        for bit in word.iter_mut() {
            let kept = gates.and(*bit, !number.zero);
            *bit = gates.or(kept, number.infinite);
        }
        // One bit more tells infinities from numbers, and one below tells the least number from zero.
        word.push(number.infinite);
        word.insert(0, !number.zero);
    }
    (left, right)
}

/// The unsigned word whose order is that of the signed magnitudes, −0 below +0.
fn signed_word(gates: &mut Gates, magnitude: &[Lit], negative: Lit) -> Bits {
    let mut word: Bits = magnitude.iter().map(|bit| gates.xor(*bit, negative)).collect();
    word.push(!negative);
    word
}

impl FloatCircuits {
    /// `fp.lt`.
    pub fn less(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> Lit {
        self.ordered(gates, a, b, false)
    }

    /// `fp.leq`.
    pub fn less_equal(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> Lit {
        self.ordered(gates, a, b, true)
    }

    fn ordered(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit, or_equal: bool) -> Lit {
        let (left, right) = order_words(gates, a, b);
        // Magnitudes of negative numbers inverted, and the sign on top: one order for all. A number has the same word in
        // all its comparisons.
        let (left, right) = (signed_word(gates, &left, a.negative), signed_word(gates, &right, b.negative));
        let below = vector::less(gates, &left, &right, Lit::of(or_equal));
        let both_zero = gates.and(a.zero, b.zero);
        let below = if or_equal { gates.or(below, both_zero) } else { gates.and(below, !both_zero) };
        gates.all(&[below, !a.nan, !b.nan])
    }

    /// `fp.eq`: zeros are equal, NaN is not.
    pub fn ieee_equal(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> Lit {
        let same = self.same_numbers(gates, a, b);
        let zeros = gates.and(a.zero, b.zero);
        let equal = gates.or(same, zeros);
        gates.all(&[equal, !a.nan, !b.nan])
    }

    /// `=`: NaN equals NaN, and −0 does not equal +0.
    pub fn same(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> Lit {
        let same = self.same_numbers(gates, a, b);
        let numbers = gates.all(&[same, !a.nan, !b.nan]);
        let nans = gates.and(a.nan, b.nan);
        gates.or(numbers, nans)
    }

    /// Whether two numbers that are not NaN are the same.
    fn same_numbers(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> Lit {
        if let (Some(left), Some(right)) = (&a.packed, &b.packed) {
            return vector::equal(gates, left, right);
        }
        let sign = !gates.xor(a.negative, b.negative);
        let exponents = a.exponent.equal(gates, &b.exponent);
        let significands = vector::equal(gates, &a.significand, &b.significand);
        let fields = gates.and(exponents, significands);
        let flags = [(a.zero, b.zero), (a.infinite, b.infinite)].map(|(a, b)| !gates.xor(a, b));
        let fields = gates.any(&[fields, a.zero, a.infinite]);
        gates.all(&[sign, flags[0], flags[1], fields])
    }

    /// `fp.isNormal`.
    pub fn is_normal(&mut self, gates: &mut Gates, a: &FloatCircuit) -> Lit {
        let (regular, subnormal) = (a.regular(gates), a.exponent.below(gates, Exponents::of(a.format).normal));
        gates.and(regular, !subnormal)
    }

    /// `fp.isSubnormal`.
    pub fn is_subnormal(&mut self, gates: &mut Gates, a: &FloatCircuit) -> Lit {
        let (regular, subnormal) = (a.regular(gates), a.exponent.below(gates, Exponents::of(a.format).normal));
        gates.and(regular, subnormal)
    }

    /// `fp.isZero`.
    pub fn is_zero(&mut self, a: &FloatCircuit) -> Lit {
        a.zero
    }

    /// `fp.isInfinite`.
    pub fn is_infinite(&mut self, a: &FloatCircuit) -> Lit {
        a.infinite
    }

    /// `fp.isNaN`.
    pub fn is_nan(&mut self, a: &FloatCircuit) -> Lit {
        a.nan
    }

    /// `fp.isNegative`: of NaN neither this nor the next holds.
    pub fn is_negative(&mut self, gates: &mut Gates, a: &FloatCircuit) -> Lit {
        gates.and(!a.nan, a.negative)
    }

    /// `fp.isPositive`.
    pub fn is_positive(&mut self, gates: &mut Gates, a: &FloatCircuit) -> Lit {
        gates.and(!a.nan, !a.negative)
    }

    /// `fp.neg`.
    pub fn neg(&mut self, a: &FloatCircuit) -> FloatCircuit {
        self.with_sign(a, !a.negative)
    }

    /// `fp.abs`.
    pub fn abs(&mut self, a: &FloatCircuit) -> FloatCircuit {
        self.with_sign(a, Lit::FALSE)
    }

    fn with_sign(&mut self, a: &FloatCircuit, negative: Lit) -> FloatCircuit {
        let mut number = a.clone();
        number.negative = negative;
        if let Some(sign) = number.packed.as_mut().and_then(|bits| bits.last_mut()) {
            *sign = negative;
        }
        number
    }

    /// `yes` where `condition` holds, else `no`; of one format.
    pub fn mux(
        &mut self,
        gates: &mut Gates,
        condition: Lit,
        yes: &FloatCircuit,
        no: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let number = FloatCircuit {
            format: yes.format,
            nan: gates.mux(condition, yes.nan, no.nan),
            infinite: gates.mux(condition, yes.infinite, no.infinite),
            zero: gates.mux(condition, yes.zero, no.zero),
            negative: gates.mux(condition, yes.negative, no.negative),
            exponent: Signed::mux(gates, condition, &yes.exponent, &no.exponent),
            significand: vector::mux(gates, condition, &yes.significand, &no.significand),
            packed: match (&yes.packed, &no.packed) {
                (Some(yes), Some(no)) => Some(vector::mux(gates, condition, yes, no)),
                _ => None,
            },
        };
        self.constrained(gates, number, known)
    }

    /// `fp.min`: a number wins over NaN; of zeros of different signs either may come out.
    pub fn min(
        &mut self,
        gates: &mut Gates,
        a: &FloatCircuit,
        b: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let less = self.less(gates, a, b);
        let first = gates.or(less, b.nan);
        self.mux(gates, first, a, b, known)
    }

    /// `fp.max`: a number wins over NaN; of zeros of different signs either may come out.
    pub fn max(
        &mut self,
        gates: &mut Gates,
        a: &FloatCircuit,
        b: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let less = self.less(gates, b, a);
        let first = gates.or(less, b.nan);
        self.mux(gates, first, a, b, known)
    }
}
