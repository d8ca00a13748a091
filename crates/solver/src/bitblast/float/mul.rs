//! Multiplication: the product of the significands has its leading bit in one of two places.

use super::round::Exact;
use super::{Bits, FloatCircuit, FloatCircuits, ModeBits};
use crate::bitblast::{Gates, Lit, vector};
use crate::domain::FloatDomain;

/// a² in twice the width: the products of different bits occur twice, so each is added once, one place higher.
fn square(gates: &mut Gates, a: &[Lit]) -> Bits {
    let mut sum = vec![Lit::FALSE; 2 * a.len()];
    for (i, row) in a.iter().enumerate() {
        let mut addend = vec![*row, Lit::FALSE];
        addend.extend(a[i + 1..].iter().map(|bit| gates.and(*row, *bit)));
        addend.resize(sum.len() - 2 * i, Lit::FALSE);
        let (total, _) = vector::add(gates, &sum[2 * i..], &addend, Lit::FALSE);
        sum[2 * i..].copy_from_slice(&total);
    }
    sum
}

impl FloatCircuits {
    /// `fp.mul`.
    pub fn mul(
        &mut self,
        gates: &mut Gates,
        mode: &ModeBits,
        a: &FloatCircuit,
        b: &FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let exact = self.exact_product(gates, a, b);
        self.round(gates, mode, a.format, &exact, known)
    }

    /// The product, of both precisions together, and nothing below.
    pub(super) fn exact_product(&mut self, gates: &mut Gates, a: &FloatCircuit, b: &FloatCircuit) -> Exact {
        let product = if a.significand == b.significand {
            square(gates, &a.significand)
        } else {
            vector::multiply(gates, &a.significand, &b.significand, 2 * a.precision())
        };
        let high = product[product.len() - 1];
        let mut shifted = vec![Lit::FALSE];
        shifted.extend_from_slice(&product[..product.len() - 1]);
        let mut significand = vector::mux(gates, high, &product, &shifted);
        let last = significand.len() - 1;
        significand[last] = Lit::TRUE;
        // Exponents are held less one: (ea + 1) + (eb + 1) = (ea + eb + 1) + 1, and the carry of the significands.
        let exponent = a.exponent.sum(gates, &b.exponent, Lit::TRUE);
        let exponent = exponent.sum(gates, &super::Signed::constant(0), high);
        let (zero, infinite) = (gates.or(a.zero, b.zero), gates.or(a.infinite, b.infinite));
        let invalid = gates.and(zero, infinite);
        let nan = gates.any(&[a.nan, b.nan, invalid]);
        Exact {
            nan,
            infinite: gates.and(infinite, !nan),
            zero: gates.and(zero, !nan),
            negative: gates.xor(a.negative, b.negative),
            exponent,
            significand,
            rest: Lit::FALSE,
        }
    }
}
