//! Values of the Reals theory's operators, exact.

use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::{Op, Sort, Value};

fn fold(args: &[&Value], f: impl Fn(BigRational, &BigRational) -> BigRational) -> Option<Value> {
    let first = args[0].as_real()?.clone();
    let result = args[1..].iter().try_fold(first, |result, arg| Some(f(result, arg.as_real()?)))?;
    Some(Value::Real(result))
}

pub(crate) fn add(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    fold(args, |a, b| a + b)
}

pub(crate) fn sub(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    fold(args, |a, b| a - b)
}

pub(crate) fn mul(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    fold(args, |a, b| a * b)
}

pub(crate) fn div(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let divisor = args[1].as_real()?;
    if divisor.is_zero() { None } else { Some(Value::Real(args[0].as_real()? / divisor)) }
}

pub(crate) fn neg(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Real(-args[0].as_real()?.clone()))
}

pub(crate) fn abs(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Real(args[0].as_real()?.abs()))
}

pub(crate) fn lt(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Bool(args[0].as_real()? < args[1].as_real()?))
}

pub(crate) fn le(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Bool(args[0].as_real()? <= args[1].as_real()?))
}
