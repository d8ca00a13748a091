//! Values of inputs, as assumptions take them.

use labrys_float::{Environment, Float, Format};
use labrys_program::{Leaf, ScalarType};
use num_bigint::BigInt;

/// An integer's or a truth value's value.
pub(super) fn integer(leaf: &Leaf, record: &[u8]) -> i128 {
    let bits = leaf.read(record) as u64;
    match leaf.scalar {
        ScalarType::Int { bits: width, signed: true } => {
            let shift = 64 - width;
            i128::from((bits << shift) as i64 >> shift)
        }
        _ => i128::from(bits),
    }
}

/// A leaf's value as binary64, which holds it exactly.
pub(super) fn double(leaf: &Leaf, record: &[u8]) -> f64 {
    match leaf.scalar {
        ScalarType::Float(float) if float.format() == Format::BINARY32 => {
            f64::from(f32::from_bits(leaf.read(record) as u32))
        }
        ScalarType::Float(float) if float.format() == Format::BINARY64 => f64::from_bits(leaf.read(record) as u64),
        ScalarType::Float(float) => {
            let value = Float::from_bits(float.format(), leaf.read(record));
            Environment::default().convert(&value, Format::BINARY64).value.to_f64().unwrap_or(f64::NAN)
        }
        ScalarType::Int { .. } | ScalarType::Bool => integer(leaf, record) as f64,
    }
}

/// A leaf's value as binary128, which holds it exactly.
pub(super) fn quadruple(leaf: &Leaf, record: &[u8]) -> Float {
    let environment = Environment::default();
    let converted = match leaf.float(record) {
        Some(float) => environment.convert(&float, Format::BINARY128),
        None => environment.from_integer(&BigInt::from(integer(leaf, record)), Format::BINARY128),
    };
    converted.value
}
