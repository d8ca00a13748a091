//! Values of the FloatingPoint theory's operators, by labrys-float's kernel in IEEE 754's default environment.
//!
//! Two places where SMT-LIB leaves the value open and the hardware does not: `fp.min` and `fp.max` of zeros of
//! different signs follow IEEE 754-2019 (−0 below +0), unless the model says otherwise.

use std::cmp::Ordering;

use labrys_float::{Class, Environment, Float, Rounded};

use super::bit_vector::{number, wrap};
use crate::{Op, Sort, Value};

fn environment(mode: &Value) -> Option<Environment> {
    mode.as_rounding_mode().map(Environment::with_rounding)
}

fn unary(args: &[&Value], f: impl Fn(&Float) -> Float) -> Option<Value> {
    Some(Value::float(f(args[0].as_float()?)))
}

fn binary(args: &[&Value], f: impl Fn(&Environment, &Float, &Float) -> Rounded) -> Option<Value> {
    Some(Value::float(f(&Environment::default(), args[0].as_float()?, args[1].as_float()?).value))
}

fn rounded(args: &[&Value], f: impl Fn(&Environment, &Float, &Float) -> Rounded) -> Option<Value> {
    Some(Value::float(f(&environment(args[0])?, args[1].as_float()?, args[2].as_float()?).value))
}

fn class(args: &[&Value], f: impl Fn(&Float) -> bool) -> Option<Value> {
    Some(Value::Bool(f(args[0].as_float()?)))
}

fn order(args: &[&Value], f: impl Fn(Ordering) -> bool) -> Option<Value> {
    Some(Value::Bool(args[0].as_float()?.compare(args[1].as_float()?).is_some_and(f)))
}

pub(crate) fn abs(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    unary(args, Float::abs)
}

pub(crate) fn neg(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    unary(args, Float::neg)
}

pub(crate) fn add(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    rounded(args, Environment::add)
}

pub(crate) fn sub(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    rounded(args, Environment::sub)
}

pub(crate) fn mul(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    rounded(args, Environment::mul)
}

pub(crate) fn div(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    rounded(args, Environment::div)
}

pub(crate) fn fma(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    rounded(args, |environment, a, b| match args[3].as_float() {
        Some(c) => environment.fma(a, b, c),
        None => environment.mul(a, b),
    })
}

pub(crate) fn sqrt(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::float(environment(args[0])?.sqrt(args[1].as_float()?).value))
}

pub(crate) fn rem(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, Environment::ieee_remainder)
}

pub(crate) fn fmod(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, Environment::fmod)
}

pub(crate) fn round_to_integral(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let mode = args[0].as_rounding_mode()?;
    Some(Value::float(Environment::default().round_to_integral(args[1].as_float()?, mode, false).value))
}

pub(crate) fn min(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, Environment::min_num)
}

pub(crate) fn max(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, Environment::max_num)
}

pub(crate) fn is_zero_value(value: &Value) -> bool {
    value.as_float().is_some_and(Float::is_zero)
}

/// Whether this is a minimum or maximum of zeros of different signs, which SMT-LIB leaves open.
pub(crate) fn is_unspecified_zero(op: &Op, args: &[&Value]) -> bool {
    match (op, args) {
        (Op::FpMin | Op::FpMax, [Value::Float(a), Value::Float(b)]) => {
            a.is_zero() && b.is_zero() && a.is_negative() != b.is_negative()
        }
        _ => false,
    }
}

pub(crate) fn eq(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    order(args, Ordering::is_eq)
}

pub(crate) fn lt(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    order(args, Ordering::is_lt)
}

pub(crate) fn le(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    order(args, Ordering::is_le)
}

pub(crate) fn is_normal(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    class(args, |a| a.class() == Class::Normal)
}

pub(crate) fn is_subnormal(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    class(args, |a| a.class() == Class::Subnormal)
}

pub(crate) fn is_zero(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    class(args, Float::is_zero)
}

pub(crate) fn is_infinite(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    class(args, Float::is_infinite)
}

pub(crate) fn is_nan(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    class(args, Float::is_nan)
}

pub(crate) fn is_negative(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    class(args, |a| !a.is_nan() && a.is_negative())
}

pub(crate) fn is_positive(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    class(args, |a| !a.is_nan() && !a.is_negative())
}

pub(crate) fn from_bits(op: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match op {
        Op::FpFromBits(format) => Some(Value::float(Float::from_bits(*format, args[0].as_bits()?.clone()))),
        _ => None,
    }
}

pub(crate) fn from_float(op: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match op {
        Op::FpFromFloat(format) => {
            Some(Value::float(environment(args[0])?.convert(args[1].as_float()?, *format).value))
        }
        _ => None,
    }
}

pub(crate) fn from_signed(op: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match op {
        Op::FpFromSigned(format) => {
            Some(Value::float(environment(args[0])?.from_integer(&number(args[1], true)?, *format).value))
        }
        _ => None,
    }
}

pub(crate) fn from_unsigned(op: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match op {
        Op::FpFromUnsigned(format) => {
            Some(Value::float(environment(args[0])?.from_integer(&number(args[1], false)?, *format).value))
        }
        _ => None,
    }
}

pub(crate) fn from_real(op: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match op {
        Op::FpFromReal(format) => {
            Some(Value::float(environment(args[0])?.from_rational(args[1].as_real()?, *format).value))
        }
        _ => None,
    }
}

fn to_integer(width: u32, signed: bool, args: &[&Value]) -> Option<Value> {
    let mode = args[0].as_rounding_mode()?;
    let (integer, _) = Environment::default().to_integer(args[1].as_float()?, mode, width, signed);
    Some(wrap(width, &integer?))
}

pub(crate) fn to_unsigned(op: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match op {
        Op::FpToUnsigned(width) => to_integer(*width, false, args),
        _ => None,
    }
}

pub(crate) fn to_signed(op: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match op {
        Op::FpToSigned(width) => to_integer(*width, true, args),
        _ => None,
    }
}

pub(crate) fn to_real(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    args[0].as_float()?.to_rational().map(Value::Real)
}

pub(crate) fn to_bits(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let float = args[0].as_float()?;
    Some(Value::bit_vector(float.format().width(), float.bits().clone()))
}
