//! What is known of a number, put into its circuit.

use labrys_float::Format;

use super::{Bits, Exponents, FloatCircuit, FloatCircuits};
use crate::bitblast::{Gates, Lit};
use crate::domain::{FloatDomain, Range};

/// What a domain says of a number's parts.
struct Parts {
    nan: bool,
    infinite: bool,
    zero: bool,
    /// The sign, if all members but NaN have the same one.
    negative: Option<bool>,
    /// The least and greatest magnitude of members that are neither NaN nor infinite nor zero, if there are any.
    magnitudes: Option<Range>,
}

impl Parts {
    fn of(domain: &FloatDomain) -> Parts {
        let negative = domain.negative.is_some() || domain.minus_zero || domain.minus_infinity;
        let positive = domain.positive.is_some() || domain.plus_zero || domain.plus_infinity;
        Parts {
            nan: domain.nan,
            infinite: domain.minus_infinity || domain.plus_infinity,
            zero: domain.minus_zero || domain.plus_zero,
            negative: if negative == positive { None } else { Some(negative) },
            magnitudes: match (domain.negative, domain.positive) {
                (Some(a), Some(b)) => Some(Range { low: a.low.min(b.low), high: a.high.max(b.high) }),
                (a, b) => a.or(b),
            },
        }
    }
}

/// The exponent (one less than usual) and the significand of a magnitude, which is not zero.
fn unpacked(format: Format, magnitude: u128) -> (i128, u128) {
    let (fraction_bits, exponents) = (format.precision() - 1, Exponents::of(format));
    let field = magnitude >> fraction_bits;
    let fraction = magnitude & ((1 << fraction_bits) - 1);
    if field > 0 {
        (exponents.normal + field as i128 - 1, fraction | 1 << fraction_bits)
    } else {
        let zeros = fraction.leading_zeros() - (128 - format.precision());
        (exponents.normal - i128::from(zeros), fraction << zeros)
    }
}

impl FloatCircuits {
    /// The encoding's bits, those that the domain fixes as constants; that they are so is constrained.
    pub(super) fn known_bits(
        &mut self,
        gates: &mut Gates,
        bits: &[Lit],
        format: Format,
        known: Option<&FloatDomain>,
    ) -> Bits {
        let mut bits = bits.to_vec();
        let Some(known) = known.filter(|known| known.format == format) else { return bits };
        let parts = Parts::of(known);
        if parts.nan {
            return bits;
        }
        let infinity = ((1u128 << format.exponent_bits()) - 1) << (format.precision() - 1);
        let mut low = if parts.zero { 0 } else { infinity };
        let mut high = if parts.infinite { infinity } else { 0 };
        if let Some(range) = parts.magnitudes {
            (low, high) = (low.min(range.low), high.max(range.high));
        }
        let top = bits.len() - 1;
        if let Some(negative) = parts.negative {
            bits[top] = self.fixed(gates, Lit::TRUE, bits[top], negative);
        }
        for i in (0..top).rev() {
            if (low ^ high) >> i & 1 == 1 {
                break;
            }
            bits[i] = self.fixed(gates, Lit::TRUE, bits[i], low >> i & 1 == 1);
        }
        bits
    }

    /// The literal, known to have a value where `condition` holds and not to matter elsewhere: the constant, and the
    /// fact as a constraint.
    fn fixed(&mut self, gates: &mut Gates, condition: Lit, lit: Lit, value: bool) -> Lit {
        if lit.constant() != Some(value) {
            let holds = if value { lit } else { !lit };
            let fact = gates.or(!condition, holds);
            if fact != Lit::TRUE {
                self.constraints.push(fact);
            }
        }
        Lit::of(value)
    }

    /// The number, of which it is known that it lies in the domain.
    pub(super) fn constrained(
        &mut self,
        gates: &mut Gates,
        mut number: FloatCircuit,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let Some(known) = known.filter(|known| known.format == number.format && !known.is_empty()) else {
            return number;
        };
        let parts = Parts::of(known);
        let regular = number.regular(gates);
        if !parts.nan {
            number.nan = self.fixed(gates, Lit::TRUE, number.nan, false);
        }
        if !parts.infinite {
            number.infinite = self.fixed(gates, Lit::TRUE, number.infinite, false);
        }
        if !parts.zero {
            number.zero = self.fixed(gates, Lit::TRUE, number.zero, false);
        }
        if let Some(negative) = parts.negative {
            let condition = !number.nan;
            number.negative = self.fixed(gates, condition, number.negative, negative);
        }
        let Some(range) = parts.magnitudes else {
            self.fixed(gates, Lit::TRUE, regular, false);
            return number;
        };
        let ((low, least), (high, greatest)) =
            (unpacked(number.format, range.low), unpacked(number.format, range.high));
        let exponent = number.exponent.within(low, high);
        // All of the bounds, not only the bits that they fix: what is made of the number later may rest on either.
        let outside = [number.exponent.below(gates, low), number.exponent.above(gates, high)];
        for outside in outside {
            self.fixed(gates, regular, outside, false);
        }
        number.exponent = exponent;
        if low == high {
            for i in (0..number.precision()).rev() {
                if (least ^ greatest) >> i & 1 == 1 {
                    break;
                }
                number.significand[i] = self.fixed(gates, regular, number.significand[i], least >> i & 1 == 1);
            }
        }
        number
    }
}
