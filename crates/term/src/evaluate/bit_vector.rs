//! Values of the FixedSizeBitVectors theory's operators.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::{Op, Sort, Value};

/// The result's or, for predicates, the arguments' width.
fn width(value: &Value) -> u32 {
    match value {
        Value::BitVec { width, .. } => *width,
        _ => 0,
    }
}

fn ones(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u8
}

/// The number that the bits are in two's complement.
fn signed(value: &Value) -> Option<BigInt> {
    let (bits, width) = (value.as_bits()?, width(value));
    let number = BigInt::from(bits.clone());
    Some(if width > 0 && bits.bit(u64::from(width) - 1) { number - (BigInt::one() << width) } else { number })
}

/// The bits of a number modulo 2^width.
pub(super) fn wrap(width: u32, number: &BigInt) -> Value {
    let bits = number.mod_floor(&(BigInt::one() << width)).magnitude().clone();
    Value::BitVec { width, bits }
}

fn unary(args: &[&Value], f: impl Fn(&BigUint, u32) -> BigUint) -> Option<Value> {
    let width = width(args[0]);
    Some(Value::bit_vector(width, f(args[0].as_bits()?, width)))
}

fn binary(args: &[&Value], f: impl Fn(&BigUint, &BigUint, u32) -> BigUint) -> Option<Value> {
    let width = width(args[0]);
    Some(Value::bit_vector(width, f(args[0].as_bits()?, args[1].as_bits()?, width)))
}

pub(crate) fn not(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    unary(args, |a, width| ones(width) ^ a)
}

pub(crate) fn neg(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    unary(args, |a, width| (BigUint::one() << width) - a)
}

pub(crate) fn and(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, b, _| a & b)
}

pub(crate) fn or(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, b, _| a | b)
}

pub(crate) fn xor(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, b, _| a ^ b)
}

pub(crate) fn add(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, b, _| a + b)
}

pub(crate) fn sub(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, b, width| (BigUint::one() << width) + a - b)
}

pub(crate) fn mul(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, b, _| a * b)
}

pub(crate) fn udiv(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, b, width| if b.is_zero() { ones(width) } else { a / b })
}

pub(crate) fn urem(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, b, _| if b.is_zero() { a.clone() } else { a % b })
}

/// SMT-LIB defines the signed operators through the unsigned ones on magnitudes; this fixes their values at zero.
pub(crate) fn sdiv(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let (a, b) = (signed(args[0])?, signed(args[1])?);
    let quotient = if !b.is_zero() {
        a / b
    } else if a.is_negative() {
        BigInt::one()
    } else {
        -BigInt::one()
    };
    Some(wrap(width(args[0]), &quotient))
}

pub(crate) fn srem(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let (a, b) = (signed(args[0])?, signed(args[1])?);
    Some(wrap(width(args[0]), &if b.is_zero() { a } else { a % b }))
}

pub(crate) fn smod(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let (a, b) = (signed(args[0])?, signed(args[1])?);
    Some(wrap(width(args[0]), &if b.is_zero() { a } else { a.mod_floor(&b) }))
}

/// The distance of a shift, `None` where everything is shifted out.
fn distance(by: &BigUint, width: u32) -> Option<u32> {
    by.to_u32().filter(|by| *by < width)
}

pub(crate) fn shl(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, by, width| distance(by, width).map_or(BigUint::ZERO, |by| a << by))
}

pub(crate) fn lshr(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    binary(args, |a, by, width| distance(by, width).map_or(BigUint::ZERO, |by| a >> by))
}

pub(crate) fn ashr(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let (number, width) = (signed(args[0])?, width(args[0]));
    let by = distance(args[1].as_bits()?, width).unwrap_or(width);
    // `>>` of a BigInt rounds toward −∞.
    Some(wrap(width, &(number >> by)))
}

pub(crate) fn ult(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Bool(args[0].as_bits()? < args[1].as_bits()?))
}

pub(crate) fn ule(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Bool(args[0].as_bits()? <= args[1].as_bits()?))
}

pub(crate) fn slt(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Bool(signed(args[0])? < signed(args[1])?))
}

pub(crate) fn sle(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Bool(signed(args[0])? <= signed(args[1])?))
}

pub(crate) fn concat(_: &Op, sort: &Sort, args: &[&Value]) -> Option<Value> {
    let Sort::BitVec(total) = sort else { return None };
    let mut bits = BigUint::ZERO;
    for arg in args {
        bits = (bits << width(arg)) | arg.as_bits()?;
    }
    Some(Value::BitVec { width: *total, bits })
}

pub(crate) fn extract(op: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    match *op {
        Op::Extract { high, low } => Some(Value::bit_vector(high - low + 1, args[0].as_bits()? >> low)),
        _ => None,
    }
}

pub(crate) fn zero_extend(_: &Op, sort: &Sort, args: &[&Value]) -> Option<Value> {
    match sort {
        Sort::BitVec(width) => Some(Value::BitVec { width: *width, bits: args[0].as_bits()?.clone() }),
        _ => None,
    }
}

pub(crate) fn sign_extend(_: &Op, sort: &Sort, args: &[&Value]) -> Option<Value> {
    match sort {
        Sort::BitVec(width) => Some(wrap(*width, &signed(args[0])?)),
        _ => None,
    }
}

/// The number that the bits are, signed or not.
pub(super) fn number(value: &Value, is_signed: bool) -> Option<BigInt> {
    if is_signed { signed(value) } else { value.as_bits().cloned().map(BigInt::from) }
}
