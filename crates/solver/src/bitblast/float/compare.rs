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
        let ordered = gates.and(!a.nan, !b.nan);
        let both_zero = gates.and(a.zero, b.zero);
        let by_sign = self.order_of_signs(gates, a, b);
        // Of one sign: magnitudes in order, exchanged if both are negative. Zeros and infinities have an order too.
        let (left, right) = self.order_words(gates, a, b);
        let swap = a.negative;
        let (first, second) = (vector::mux(gates, swap, &right, &left), vector::mux(gates, swap, &left, &right));
        let within = vector::less(gates, &first, &second, Lit::of(or_equal));
        let same_sign = !gates.xor(a.negative, b.negative);
        let within = gates.and(same_sign, within);
        let below = gates.or(by_sign, within);
        let below = gates.and(below, !both_zero);
        let below = if or_equal { gates.or(below, both_zero) } else { below };
        gates.and(ordered, below)
    }

    /// a is negative and b positive.
    fn order_of_signs(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> Lit {
        gates.and(a.negative, !b.negative)
    }

    /// Words in the order of the magnitudes, zeros and infinities included.
    fn order_words(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> (Bits, Bits) {
        if let (Some(left), Some(right)) = (&a.packed, &b.packed) {
            let top = left.len() - 1;
            return (left[..top].to_vec(), right[..top].to_vec());
        }
        let (mut left, mut right) = magnitudes(&FloatCircuit { packed: None, ..a.clone() }, b);
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
