//! Signatures to search.

use labrys_float::Float;
use labrys_fuzz::Space;
use labrys_program::{Access, FloatType, Length, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};

pub const F32: ScalarType = ScalarType::Float(FloatType::F32);
pub const F64: ScalarType = ScalarType::Float(FloatType::F64);
pub const X87: ScalarType = ScalarType::Float(FloatType::X87);
pub const I8: ScalarType = ScalarType::Int { bits: 8, signed: true };
pub const I32: ScalarType = ScalarType::Int { bits: 32, signed: true };
pub const U64: ScalarType = ScalarType::Int { bits: 64, signed: false };

pub fn value(name: &str, scalar: ScalarType) -> Parameter {
    Parameter { name: name.to_owned(), ty: ParameterType::Value(Pointee::Scalar(scalar)) }
}

pub fn array(name: &str, scalar: ScalarType, length: Length) -> Parameter {
    let ty = ParameterType::Pointer { pointee: Pointee::Scalar(scalar), length, access: Access::In };
    Parameter { name: name.to_owned(), ty }
}

pub fn signature(parameters: Vec<Parameter>) -> Signature {
    Signature {
        name: "f".to_owned(),
        symbol: "f".to_owned(),
        parameters,
        result: ResultType::Value(Pointee::Scalar(F64)),
    }
}

/// `double f(double v, double w)` and the like.
pub fn doubles(count: usize) -> Signature {
    signature((0..count).map(|i| value(&format!("x{i}"), F64)).collect())
}

/// One parameter of each kind, an array and its length.
pub fn mixed() -> Signature {
    signature(vec![
        value("d", F64),
        value("f", F32),
        value("l", X87),
        value("i", I32),
        value("c", I8),
        value("u", U64),
        value("b", ScalarType::Bool),
        array("w", F64, Length::Parameter { index: 3, max: 4, beyond: 0 }),
    ])
}

/// Keeps a leaf within doubles.
pub fn restrict(space: &mut Space, leaf: usize, low: f64, high: f64) {
    space.restrict(leaf, &Float::from_f64(low), &Float::from_f64(high));
}

/// A record of doubles.
pub fn record(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| [value.to_le_bytes(), [0; 8]].concat()).collect()
}

/// The doubles of a record.
pub fn values(record: &[u8]) -> Vec<f64> {
    record.chunks(16).map(|chunk| f64::from_le_bytes(chunk[..8].try_into().unwrap())).collect()
}
