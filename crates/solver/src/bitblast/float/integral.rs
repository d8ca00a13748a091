//! Rounding to integral values: a cut at the binary point.

use super::round::cut;
use super::{FloatCircuit, FloatCircuits, ModeBits, Signed, shift};
use crate::bitblast::{Gates, Lit};
use crate::domain::FloatDomain;

impl FloatCircuits {
    /// `fp.roundToIntegral`.
    pub fn round_to_integral(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        a: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let precision = a.precision();
        // The last bit has weight 2^(exponent + 1 − (precision − 1)).
        let below = Signed::constant(precision as i128 - 2).difference(gates, &a.exponent);
        let amount = below.saturated(gates, (usize::BITS - (precision + 1).leading_zeros()) as usize);
        let places = shift::thermometer(gates, &amount, precision + 1);
        let rounded = cut(gates, mode, a.negative, &a.significand, (Lit::FALSE, Lit::FALSE), &places);
        // Below a half the exponent is that of a half: a carry leads to one.
        let exponent = Signed::mux(gates, places[precision], &Signed::constant(-2), &a.exponent).within(-2, i128::MAX);
        let exponent = exponent.sum(gates, &Signed::constant(0), rounded.carry);
        let vanished = gates.and(places[precision - 1], !rounded.carry);
        let number = FloatCircuit { exponent, significand: rounded.bits, packed: None, ..a.clone() };
        self.finish(gates, mode, number, vanished, known)
    }
}
