//! Small sets, their members, and what operations do to those.

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_formulas::Random;
use labrys_interp::{FloatOperation, Int, IntOperation, Never, Soft, class_of, evaluate};
use labrys_solver::domain::FloatDomain;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::graph::{Domain, Op};
use crate::integer::{IntDomain, signed, unsigned};

/// A format with all that formats have, and few numbers: 31 with either sign.
pub const SMALL: Format = Format::new(3, 3);
/// Width of the integers.
pub const BITS: u32 = 5;

/// One member of a set.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Float(Float),
    /// Signed.
    Int(u32, i128),
}

/// A set of floats: numbers of an interval, now and then one alone, and what may stand beside them.
pub fn some_floats(random: &mut Random, format: Format) -> Domain {
    let all: Vec<Float> = floats(format).into_iter().filter(|float| !float.is_nan()).collect();
    let mut any = || random.pick(&all);
    let (a, b) = (any(), any());
    let mut set = match random.below(4) {
        0 => FloatDomain::only(&a),
        _ => {
            let (a, b) = (rank(&a), rank(&b));
            let mut set = FloatDomain::empty(format);
            set.insert(a.min(b), a.max(b));
            set
        }
    };
    set.nan = random.below(3) == 0;
    for extra in [Float::zero(format, false), Float::zero(format, true), Float::infinity(format, false)] {
        if random.below(6) == 0 {
            set = set.hull(&FloatDomain::only(&extra));
        }
    }
    Domain::Float(set)
}

/// A set of integers.
pub fn some_ints(random: &mut Random, bits: u32) -> Domain {
    let top = IntDomain::top(bits);
    let mut any = || random.within(top.low..=top.high);
    let (a, b) = (any(), any());
    Domain::Int(match random.below(4) {
        0 => IntDomain::only(bits, a as u128),
        1 => top,
        _ => IntDomain::between(bits, a.min(b), a.max(b)),
    })
}
fn rank(float: &Float) -> i128 {
    FloatDomain::rank_of(float).unwrap_or_default()
}

/// All floats of a small format, one NaN among them.
fn floats(format: Format) -> Vec<Float> {
    let numbers =
        (0..1u128 << format.width()).map(|bits| Float::from_bits(format, bits)).filter(|float| !float.is_nan());
    numbers.chain([Float::nan(format)]).collect()
}

/// All members of a set.
pub fn members(domain: &Domain) -> Vec<Value> {
    match domain {
        Domain::Float(set) => floats(set.format).into_iter().filter(|of| set.contains(of)).map(Value::Float).collect(),
        Domain::Int(set) => {
            let top = IntDomain::top(set.bits);
            (top.low..=top.high).filter(|of| set.contains(*of)).map(|of| Value::Int(set.bits, of)).collect()
        }
        Domain::Pointer(_) => Vec::new(),
    }
}

/// Whether a set has a member.
pub fn has(domain: &Domain, value: &Value) -> bool {
    match (domain, value) {
        (Domain::Float(set), Value::Float(value)) => set.contains(value),
        (Domain::Int(set), Value::Int(bits, value)) => set.bits == *bits && set.contains(*value),
        _ => false,
    }
}

/// What an operation gives and raises; `None` where that is open.
pub fn concrete(op: Op, args: &[Value], shape: &Domain) -> Option<(Value, Flags)> {
    let environment = Environment::default();
    let float = |i: usize| match args.get(i) {
        Some(Value::Float(value)) => Some(value.clone()),
        _ => None,
    };
    let int = |i: usize| match args.get(i) {
        Some(Value::Int(bits, value)) => Some((*bits, *value)),
        _ => None,
    };
    let truth = |holds: bool| Value::Int(1, -i128::from(holds));
    let quiet = |value: Value| Some((value, Flags::empty()));
    let bits_of = |shape: &Domain| match shape {
        Domain::Int(set) => set.bits,
        _ => 0,
    };
    let format_of = |shape: &Domain| match shape {
        Domain::Float(set) => set.format,
        _ => SMALL,
    };
    match op {
        Op::Float(operation) => {
            let operands: Vec<Float> = (0..args.len()).map(float).collect::<Option<_>>()?;
            // Which zero a minimum gives is open.
            let rounded = Soft::new(environment).compute(operation, &operands).ok()?;
            Some((Value::Float(canonical(rounded.value)), rounded.flags & Flags::NOTABLE))
        }
        Op::FloatCompare(predicate) => {
            let (a, b) = (float(0)?, float(1)?);
            let holds = match environment.compare_quiet(&a, &b).0 {
                Some(std::cmp::Ordering::Less) => predicate.less,
                Some(std::cmp::Ordering::Equal) => predicate.equal,
                Some(std::cmp::Ordering::Greater) => predicate.greater,
                None => predicate.unordered,
            };
            quiet(truth(holds))
        }
        Op::Class(mask) => quiet(truth(mask.contains(class_of(&float(0)?)))),
        Op::FloatToInt { signed: is_signed } => {
            let bits = bits_of(shape);
            let (value, flags) = environment.to_integer(&float(0)?, RoundingMode::TowardZero, bits, is_signed);
            let value = match value {
                Some(value) => signed(bits, value.to_i128()? as u128),
                None => return Some((Value::Int(0, 0), flags & Flags::NOTABLE)),
            };
            Some((Value::Int(bits, value), flags & Flags::NOTABLE))
        }
        Op::IntToFloat { signed: is_signed } => {
            let (bits, value) = int(0)?;
            let value = if is_signed { value } else { unsigned(bits, value) as i128 };
            let rounded = environment.from_integer(&BigInt::from(value), format_of(shape));
            Some((Value::Float(rounded.value), rounded.flags & Flags::NOTABLE))
        }
        Op::IntBinary(op) => {
            let ((bits, a), (_, b)) = (int(0)?, int(1)?);
            let is_shift = matches!(op, labrys_program::IntBinary::Shl | labrys_program::IntBinary::LShr)
                || op == labrys_program::IntBinary::AShr;
            if is_shift && !(0..i128::from(bits)).contains(&b) {
                return None;
            }
            quiet(Value::Int(bits, evaluated(IntOperation::Binary(op), bits, &[a, b])?))
        }
        Op::IntCompare(predicate) => {
            let ((bits, a), (_, b)) = (int(0)?, int(1)?);
            quiet(Value::Int(1, evaluated(IntOperation::Compare(predicate), bits, &[a, b])?))
        }
        Op::Resize { signed: is_signed } => {
            let ((bits, value), to) = (int(0)?, bits_of(shape));
            let value = if is_signed { value } else { unsigned(bits, value) as i128 };
            quiet(Value::Int(to, signed(to, value as u128)))
        }
        Op::Select => quiet(args[if int(0)?.1 != 0 { 1 } else { 2 }].clone()),
        Op::ToBits => {
            let value = float(0)?;
            let bits = value.format().width();
            quiet(Value::Int(bits, signed(bits, value.to_u128()?)))
        }
        Op::FromBits => {
            let (bits, value) = int(0)?;
            quiet(Value::Float(canonical(Float::from_bits(format_of(shape), unsigned(bits, value)))))
        }
        Op::Opaque | Op::Library(_) => None,
    }
}

/// The one NaN.
fn canonical(float: Float) -> Float {
    if float.is_nan() { Float::nan(float.format()) } else { float }
}

fn evaluated(operation: IntOperation, bits: u32, args: &[i128]) -> Option<i128> {
    let operands: Vec<Int<Never>> = args.iter().map(|value| Int::new(bits, *value as u128)).collect();
    evaluate(operation, &operands)?.signed()
}

/// The operations on floats, each with its number of operands.
pub fn operations() -> Vec<(FloatOperation, usize)> {
    use FloatOperation as F;
    let round = |mode| F::RoundToIntegral { mode, inexact: false };
    let mut all = vec![(F::Fma, 3)];
    all.extend([F::Add, F::Sub, F::Mul, F::Div, F::Rem, F::IeeeRemainder].map(|of| (of, 2)));
    all.extend([F::MinNum, F::MaxNum, F::Minimum, F::Maximum, F::MinimumNumber, F::MaximumNumber].map(|of| (of, 2)));
    all.extend([F::CopySign, F::X86Min, F::X86Max].map(|of| (of, 2)));
    all.extend([F::Sqrt, F::Neg, F::Abs, F::Canonicalize, F::Convert(Format::new(2, 2))].map(|of| (of, 1)));
    let modes =
        [None, Some(RoundingMode::TowardZero), Some(RoundingMode::TowardPositive), Some(RoundingMode::NearestAway)];
    all.extend(modes.map(|mode| (round(mode), 1)));
    all
}
