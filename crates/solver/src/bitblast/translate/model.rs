//! Models of the terms, from values of the inputs.

use labrys_float::{Float, RoundingMode};
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
            let mut bits = BigUint::ZERO;
            for (place, bit) in self.words[term].iter().enumerate() {
                bits.set_bit(place as u64, value(*bit));
            }
            let value = match store.sort(*term) {
                Sort::Bool => Value::Bool(bits.bit(0)),
                Sort::BitVec(width) => Value::bit_vector(*width, bits),
                Sort::Float(format) => Value::float(Float::from_bits(*format, bits)),
                Sort::RoundingMode => {
                    let place = bits.to_usize().unwrap_or(0);
                    Value::RoundingMode(RoundingMode::ALL.get(place).copied().unwrap_or(RoundingMode::NearestEven))
                }
                // Nothing else has a word.
                sort => Value::zero(sort),
            };
            model.set(*variable, value);
        }
        model
    }
}
