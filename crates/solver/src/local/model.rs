//! Values of a program's registers as terms' values.

use labrys_term::{Model, Value};

use super::program::{Kind, Program};
use super::run;
use super::wide::Table;

/// What a register of the kind stands for.
pub(super) fn value(kind: &Kind, value: u64, table: &Table) -> Value {
    match kind {
        Kind::Bool => Value::Bool(value != 0),
        Kind::Bits(width) => Value::BitVec { width: *width, bits: value.into() },
        Kind::Wide(width) => Value::BitVec { width: *width, bits: table.bits(value).clone() },
        Kind::Float(packed) => Value::Float(packed.decode(value)),
        Kind::Mode => Value::RoundingMode(run::mode(value)),
    }
}

/// The inputs' values as a model.
pub(super) fn model(program: &Program, values: &[u64], table: &Table) -> Model {
    let kind = |register: u32| &program.kinds[register as usize];
    let inputs = program.inputs.iter().zip(values);
    inputs.map(|((variable, register), bits)| (*variable, value(kind(*register), *bits, table))).collect()
}
