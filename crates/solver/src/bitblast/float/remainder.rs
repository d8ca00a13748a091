//! The two remainders, by long division.
//!
//! With d the difference of the exponents, |x| = m·2^d and |y| = n in one unit, m and n being the significands: the dividend
//! is m shifted by d, and each of its bits is a step of the division. There are as many steps as the exponents may
//! differ, 277 and the precision for binary32; bounds of the exponents are worth much here. IEEE 754's remainder is
//! computed in half that unit, so that |x| ≥ |y|/2 is not below one; smaller x are their own remainder. Both
//! remainders are numbers of the format.

use super::round::Exact;
use super::{Bits, FloatCircuit, FloatCircuits, Signed, shift};
use crate::bitblast::{Gates, Lit, vector};
use crate::domain::FloatDomain;

/// The remainder of `dividend` by `divisor`, and the quotient's last bit.
fn long_division(gates: &mut Gates, dividend: &[Lit], divisor: &[Lit]) -> (Bits, Lit) {
    let width = divisor.len();
    let divisor = vector::resize(divisor, width + 1, Lit::FALSE);
    let mut remainder = vec![Lit::FALSE; width];
    let mut last = Lit::FALSE;
    for bit in dividend.iter().rev() {
        remainder.insert(0, *bit);
        let (less, digit) = vector::sub(gates, &remainder, &divisor);
        remainder = vector::mux(gates, digit, &less[..width], &remainder[..width]);
        last = digit;
    }
    (remainder, last)
}

impl FloatCircuits {
    /// `fp.rem`: x − n·y, n the integer nearest to x/y, ties to even.
    pub fn rem(
        &mut self,
        gates: &mut Gates,
        x: &FloatCircuit,
        y: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        self.remainder(gates, x, y, true, known)
    }

    /// C's `fmod`: x − n·y, n = x/y truncated.
    pub fn fmod(
        &mut self,
        gates: &mut Gates,
        x: &FloatCircuit,
        y: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        self.remainder(gates, x, y, false, known)
    }

    fn remainder(
        &mut self,
        gates: &mut Gates,
        x: &FloatCircuit,
        y: &FloatCircuit,
        nearest: bool,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let halved = usize::from(nearest);
        let difference = x.exponent.difference(gates, &y.exponent).plus(gates, halved as i128);
        let small = difference.below(gates, 0);
        let shift = difference.within(0, i128::MAX);
        let most = usize::try_from(shift.high()).unwrap_or(0);
        let dividend = vector::resize(&x.significand, x.precision() + most, Lit::FALSE);
        let dividend = vector::shift_left(gates, &dividend, &shift.word(shift.width()));
        let divisor = [&vec![Lit::FALSE; halved], &y.significand[..]].concat();
        let (mut residue, odd) = long_division(gates, &dividend, &divisor);
        let mut negative = x.negative;
        if nearest {
            // Twice the residue against the divisor: above, or equal and the quotient odd, the next integer is nearer.
            let twice = [&[Lit::FALSE], &residue[..]].concat();
            let wide = vector::resize(&divisor, twice.len(), Lit::FALSE);
            let up = vector::less(gates, &wide, &twice, odd);
            let (other, _) = vector::sub(gates, &divisor, &residue);
            residue = vector::mux(gates, up, &other, &residue);
            negative = gates.xor(negative, up);
        }
        let zero = vector::is_zero(gates, &residue);
        let (significand, zeros) = shift::normalise(gates, &residue, residue.len());
        let zeros = Signed::unsigned(&zeros, residue.len() as i128 - 1);
        let exponent = y.exponent.difference(gates, &zeros);
        let negative = gates.mux(zero, x.negative, negative);
        let exact =
            Exact { nan: Lit::FALSE, infinite: Lit::FALSE, zero, negative, exponent, significand, rest: Lit::FALSE };
        let reduced = self.exactly(gates, x.format, &exact, None);
        let unchanged = gates.any(&[small, x.zero, y.infinite]);
        let mut number = self.mux(gates, unchanged, x, &reduced, None);
        number.packed = None;
        number.infinite = Lit::FALSE;
        number.nan = gates.any(&[x.nan, y.nan, x.infinite, y.zero]);
        number.zero = gates.and(number.zero, !number.nan);
        self.constrained(gates, number, known)
    }
}
