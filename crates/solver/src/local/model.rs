//! Values of a program's inputs as a model.

use labrys_term::{Model, Value};

use super::program::{Kind, Program, Register};
use super::run;

/// The inputs' values as a model.
pub(super) fn model(program: &Program, values: &[u64]) -> Model {
    let value = |register: Register, bits: u64| match &program.kinds[register as usize] {
        Kind::Bool => Value::Bool(bits != 0),
        Kind::Bits(width) => Value::bit_vector(*width, bits),
        Kind::Float(packed) => Value::Float(packed.decode(bits)),
        Kind::Mode => Value::RoundingMode(run::mode(bits)),
    };
    program.inputs.iter().zip(values).map(|((variable, register), bits)| (*variable, value(*register, *bits))).collect()
}
