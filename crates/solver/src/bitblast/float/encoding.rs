//! Encodings to unpacked numbers and back.

use labrys_float::{Float, Format};

use super::{Bits, Exponents, FloatCircuit, FloatCircuits, Signed, shift};
use crate::bitblast::{Gates, Lit, vector};
use crate::domain::FloatDomain;

impl FloatCircuits {
    /// A float variable: fresh inputs, the bits of its encoding with the leading bit implied. Any NaN may be chosen.
    pub fn variable(&mut self, gates: &mut Gates, format: Format, known: Option<&FloatDomain>) -> FloatCircuit {
        let width = (format.exponent_bits() + format.precision()) as usize;
        let bits: Bits = (0..width).map(|_| gates.input()).collect();
        self.unpack(gates, &bits, format, known)
    }

    /// A constant.
    pub fn constant(&mut self, gates: &mut Gates, value: &Float) -> FloatCircuit {
        let format = value.format();
        let bits: Bits = (0..format.width()).map(|i| Lit::of(value.bits().bit(u64::from(i)))).collect();
        self.from_bits(gates, &bits, format, None)
    }

    /// `FpFromBits`: the number of an encoding as the format stores it (x87's leading bit is a stored one).
    pub fn from_bits(
        &mut self,
        gates: &mut Gates,
        bits: &[Lit],
        format: Format,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        if !format.has_explicit_leading_bit() {
            return self.unpack(gates, bits, format, known);
        }
        // Unnormals are NaNs; a pseudo-subnormal has the value that exponent field 1 gives.
        let fraction = format.precision() as usize - 1;
        let leading = bits[fraction];
        let field = &bits[fraction + 1..bits.len() - 1];
        let any = gates.any(field);
        let unnormal = gates.and(any, !leading);
        let mut packed = bits[..fraction].to_vec();
        packed.extend(field.iter().enumerate().map(|(i, bit)| {
            let one = if i == 0 { gates.and(!any, leading) } else { Lit::FALSE };
            let bit = gates.or(*bit, one);
            gates.or(bit, unnormal)
        }));
        packed.push(bits[bits.len() - 1]);
        packed[fraction - 1] = gates.or(packed[fraction - 1], unnormal);
        self.unpack(gates, &packed, format, known)
    }

    /// `FpToBits`: the encoding as the format stores it, of NaN the canonical one.
    pub fn to_bits(&mut self, gates: &mut Gates, a: &FloatCircuit) -> Bits {
        let mut bits = self.pack(gates, a);
        if a.format.has_explicit_leading_bit() {
            let fraction = a.precision() - 1;
            let leading = gates.any(&bits[fraction..bits.len() - 1]);
            bits.insert(fraction, leading);
        }
        bits
    }

    /// The number of an encoding whose leading bit is implied.
    pub fn unpack(
        &mut self,
        gates: &mut Gates,
        bits: &[Lit],
        format: Format,
        known: Option<&FloatDomain>,
    ) -> FloatCircuit {
        let bits = self.known_bits(gates, bits, format, known);
        let (fraction_bits, top) = (format.precision() as usize - 1, bits.len() - 1);
        let (fraction, field) = (&bits[..fraction_bits], &bits[fraction_bits..top]);
        let (ones, some) = (gates.all(field), gates.any(field));
        let nonzero = gates.any(fraction);
        let subnormal = gates.and(!some, nonzero);
        // The field with its sign inverted; of subnormals it is the one of the smallest normal number less one.
        let mut exponent = field.to_vec();
        exponent[field.len() - 1] = !exponent[field.len() - 1];
        let exponents = Exponents::of(format);
        let exponent = Signed::new(exponent, exponents.normal - 1, exponents.greatest);
        let (mut significand, zeros) = if subnormal == Lit::FALSE {
            (fraction.to_vec(), Vec::new())
        } else {
            // A leading zero more is shifted out: the leading one becomes the implied bit.
            let (normal, zeros) = shift::normalise(gates, fraction, fraction_bits);
            let mut moved = vec![Lit::FALSE];
            moved.extend_from_slice(&normal[..fraction_bits - 1]);
            let chosen = vector::mux(gates, some, fraction, &moved);
            (chosen, vector::mask(gates, !some, &zeros))
        };
        let zeros = Signed::unsigned(&zeros, if zeros.is_empty() { 0 } else { fraction_bits as i128 - 1 });
        let exponent = exponent.difference(gates, &zeros).within(exponents.least, exponents.greatest);
        significand.push(Lit::TRUE);
        let number = FloatCircuit {
            format,
            nan: gates.and(ones, nonzero),
            infinite: gates.and(ones, !nonzero),
            zero: gates.and(!some, !nonzero),
            negative: bits[top],
            exponent,
            significand,
            packed: Some(bits),
        };
        self.constrained(gates, number, known)
    }

    /// The encoding with the leading bit implied, of NaN the canonical one.
    pub fn pack(&mut self, gates: &mut Gates, a: &FloatCircuit) -> Bits {
        let fraction_bits = a.precision() - 1;
        let (fraction, field, negative) = match &a.packed {
            Some(packed) => {
                let top = packed.len() - 1;
                (packed[..fraction_bits].to_vec(), packed[fraction_bits..top].to_vec(), packed[top])
            }
            None => self.pack_fields(gates, a),
        };
        let mut bits = vector::mask(gates, !a.nan, &fraction);
        bits[fraction_bits - 1] = gates.or(bits[fraction_bits - 1], a.nan);
        bits.extend(field);
        bits.push(gates.and(negative, !a.nan));
        bits
    }

    /// The fraction, the exponent field and the sign of a number that is not at hand packed.
    fn pack_fields(&mut self, gates: &mut Gates, a: &FloatCircuit) -> (Bits, Bits, Lit) {
        let (fraction_bits, field_bits) = (a.precision() - 1, a.format.exponent_bits() as usize);
        let exponents = Exponents::of(a.format);
        let places = Signed::constant(exponents.normal).difference(gates, &a.exponent);
        let amount = places.saturated(gates, (usize::BITS - a.precision().leading_zeros()) as usize);
        let normal = !a.exponent.below(gates, exponents.normal);
        let (shifted, _) = shift::right_sticky(gates, &a.significand, &amount);
        let mut field = a.exponent.word(field_bits);
        field[field_bits - 1] = !field[field_bits - 1];
        let regular = a.regular(gates);
        let kept = gates.and(normal, regular);
        let special = gates.or(a.nan, a.infinite);
        let field = vector::mask(gates, kept, &field).iter().map(|bit| gates.or(*bit, special)).collect();
        (vector::mask(gates, regular, &shifted[..fraction_bits]), field, a.negative)
    }
}
