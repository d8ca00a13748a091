//! Values of the ArraysEx theory's operators.

use crate::{ArrayValue, Op, Sort, Value};

pub(crate) fn select(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match args[0] {
        Value::Array(array) => Some(array.get(args[1]).clone()),
        _ => None,
    }
}

pub(crate) fn store(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match args[0] {
        Value::Array(array) => {
            let mut array = array.clone();
            array.set(args[1].clone(), args[2].clone());
            Some(Value::Array(array))
        }
        _ => None,
    }
}

pub(crate) fn constant(op: &Op, _: &Sort, values: &[&Value]) -> Option<Value> {
    match op {
        Op::ConstArray(index) => Some(Value::Array(Box::new(ArrayValue::constant(index.clone(), values[0].clone())))),
        _ => None,
    }
}
