//! Models of the terms, from values of the inputs.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Model, Sort, Store, Value};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::Translator;
use crate::bitblast::Lit;

impl Translator {
    /// The values of all variables that have words, when edges have the given ones.
    pub fn model(&self, store: &Store, value: impl Fn(Lit) -> bool) -> Model {
        let mut model = Model::new();
        for (variable, term) in &self.variables {
            let read = |word: &[Lit]| {
                let mut bits = BigUint::ZERO;
                for (place, bit) in word.iter().enumerate() {
                    bits.set_bit(place as u64, value(*bit));
                }
                bits
            };
            let bits = || self.words.get(term).map(|word| read(word)).unwrap_or_default();
            let value = match store.sort(*term) {
                Sort::Bool => Value::Bool(bits().bit(0)),
                Sort::BitVec(width) => Value::bit_vector(*width, bits()),
                Sort::Float(format) => {
                    let packed = self.floats.get(term).and_then(|number| number.packed.as_deref());
                    Value::float(stored(*format, &read(packed.unwrap_or_default())))
                }
                Sort::RoundingMode => {
                    let place = bits().to_usize().unwrap_or(0);
                    Value::RoundingMode(RoundingMode::ALL.get(place).copied().unwrap_or(RoundingMode::NearestEven))
                }
                // Nothing else has a circuit.
                sort => Value::zero(sort),
            };
            model.set(*variable, value);
        }
        model
    }
}

/// The float of an encoding whose leading bit is implied, also in formats that store it.
fn stored(format: Format, packed: &BigUint) -> Float {
    if !format.has_explicit_leading_bit() {
        return Float::from_bits(format, packed.clone());
    }
    let fraction = u64::from(format.precision()) - 1;
    let low = packed & ((BigUint::from(1u8) << fraction) - 1u8);
    let high = packed >> fraction;
    // Only zeros and subnormal numbers, whose exponent field is zero, have a leading zero.
    let normal = (0..u64::from(format.exponent_bits())).any(|place| high.bit(place));
    Float::from_bits(format, (high << (fraction + 1)) | (BigUint::from(u8::from(normal)) << fraction) | low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_leading_bit_is_put_back() {
        let format = Format::X87;
        for value in [1.0, -2.5, 0.0, -0.0, f64::INFINITY, 3e-310] {
            let float = labrys_float::Environment::default().convert(&Float::from_f64(value), format).value;
            let (fraction, bits) = (63, float.bits());
            let low = bits & ((BigUint::from(1u8) << fraction) - 1u8);
            let packed = ((bits >> (fraction + 1)) << fraction) | low;
            assert_eq!(stored(format, &packed).bits(), bits, "{value}");
        }
    }
}
