//! Operations on known floats: results bit for bit as on x86-64, and the exceptions raised.
//!
//! Numbers are `labrys_float`'s, which are IEEE 754's; where the result is a NaN, [`super::nan`] says which. To nearest, and
//! where nobody reads flags, the processor computes binary32 and binary64 itself.

use std::cmp::Ordering;

use labrys_float::{Environment, Flags, Float, Format, Rounded, RoundingMode};
use labrys_interp::{FloatComparison, FloatOperation, Soft, Stop};
use labrys_program::FloatPredicate;
use smallvec::SmallVec;

use super::nan::{
    Encoding, FACTOR_OF_TINY, has_zeros_of_differences, is_tiny_divisor, reads_fields, refuse_odd, refuse_unusual,
};

/// A result's encoding and the exceptions raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Computed {
    pub(super) bits: u128,
    pub(super) flags: Flags,
}

/// The result of a hardware operation to nearest; `None` for NaNs and where there is none.
pub(super) fn hardware(operation: FloatOperation, format: Format, operands: &[u128]) -> Option<u128> {
    if format.width() > 64 {
        return None;
    }
    let words: SmallVec<[u64; 3]> = operands.iter().map(|bits| *bits as u64).collect();
    hardware_words(operation, format, &words).map(u128::from)
}

/// The same on encodings of at most 64 bits.
#[inline]
pub(super) fn hardware_words(operation: FloatOperation, format: Format, operands: &[u64]) -> Option<u64> {
    macro_rules! compute {
        ($float:ty, $bits:ty) => {{
            let float = |index: usize| operands.get(index).map(|bits| <$float>::from_bits(*bits as $bits));
            let a = float(0)?;
            let result = match operation {
                // On the encoding, NaNs' too.
                FloatOperation::Neg => return Some(u64::from((-a).to_bits())),
                FloatOperation::Abs => return Some(u64::from(a.abs().to_bits())),
                FloatOperation::Add => a + float(1)?,
                FloatOperation::Sub => a - float(1)?,
                FloatOperation::Mul => a * float(1)?,
                FloatOperation::Div => a / float(1)?,
                FloatOperation::Sqrt => a.sqrt(),
                FloatOperation::Fma => a.mul_add(float(1)?, float(2)?),
                FloatOperation::Convert(Format::BINARY64) => {
                    let result = f64::from(a);
                    return (!result.is_nan()).then(|| result.to_bits());
                }
                FloatOperation::Convert(Format::BINARY32) => {
                    let result = a as f32;
                    return (!result.is_nan()).then(|| u64::from(result.to_bits()));
                }
                _ => return None,
            };
            (!result.is_nan()).then(|| u64::from(result.to_bits()))
        }};
    }
    match format {
        Format::BINARY64 => compute!(f64, u64),
        Format::BINARY32 => compute!(f32, u32),
        _ => None,
    }
}

/// Whether a quiet comparison of two encodings of binary32 or binary64 holds; `None` for NaNs, which may raise an exception.
#[inline]
pub(super) fn compare_words(predicate: FloatPredicate, format: Format, a: u64, b: u64) -> Option<bool> {
    let order = match format {
        Format::BINARY64 => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        Format::BINARY32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        _ => None,
    };
    Some(match order? {
        Ordering::Less => predicate.less,
        Ordering::Equal => predicate.equal,
        Ordering::Greater => predicate.greater,
    })
}

/// Formats whose operations are modelled: those that x86-64 has, and `_Float16`, which is computed in binary32.
pub(super) fn is_modelled(format: Format) -> bool {
    matches!(format, Format::BINARY64 | Format::BINARY32 | Format::X87 | Format::BINARY16)
}

/// Why other formats stop a path.
pub(super) fn refuse(format: Format) -> Stop {
    Stop::unsupported(format!("arithmetic on floats of {} bits", format.width()))
}

/// The result of an operation on operands of one format.
pub(super) fn compute(
    operation: FloatOperation,
    mode: RoundingMode,
    format: Format,
    operands: &[u128],
) -> Result<Computed, Stop> {
    let encoding = Encoding::of(format);
    let quiet = |bits: u128| Ok(Computed { bits, flags: Flags::empty() });
    match (operation, operands) {
        (FloatOperation::Neg, &[a]) => return quiet(a ^ encoding.sign),
        (FloatOperation::Abs, &[a]) => return quiet(a & !encoding.sign),
        (FloatOperation::CopySign, &[a, b]) => return quiet(a & !encoding.sign | b & encoding.sign),
        _ => {}
    }
    if !is_modelled(format) {
        return Err(refuse(format));
    }
    refuse_unusual(operation, format)?;
    if let FloatOperation::Convert(to) = operation {
        if to == format {
            return quiet(operands.first().copied().unwrap_or_default());
        }
        if !is_modelled(to) {
            return Err(refuse(to));
        }
    }
    if encoding.leading != 0 && reads_fields(operation) && operands.iter().any(|&bits| encoding.is_odd(bits)) {
        return Err(refuse_odd());
    }
    if operation == FloatOperation::Canonicalize {
        // A product by 1, as code generation has it.
        let one = Float::one(format).to_u128().unwrap_or_default();
        return compute(FloatOperation::Mul, mode, format, &[operands.first().copied().unwrap_or_default(), one]);
    }
    let floats: Vec<Float> = operands.iter().map(|&bits| Float::from_bits(format, bits)).collect();
    let soft = Soft::new(Environment::with_rounding(mode));
    let Rounded { mut value, mut flags } = soft.compute(operation, &floats)?;
    if operation == FloatOperation::IeeeRemainder
        && format == Format::BINARY64
        && value.is_zero()
        && operands.get(1).is_some_and(|&divisor| is_tiny_divisor(divisor))
    {
        let factor = Float::from_f64(f64::from_bits(FACTOR_OF_TINY));
        let multiple = soft.compute(FloatOperation::Mul, &[floats[1].abs(), factor])?.value;
        let first = soft.compute(operation, &[floats[0].clone(), multiple])?.value;
        value = Float::zero(format, first.is_negative());
    }
    if operation == FloatOperation::IeeeRemainder && has_zeros_of_differences(format, mode) && value.is_zero() {
        let [x, y] = [&floats[0], &floats[1]].map(Float::abs);
        let nearest = Soft::new(Environment::default());
        let twice = nearest.compute(FloatOperation::Add, &[y.clone(), y.clone()])?.value;
        let rest = nearest.compute(FloatOperation::Rem, &[x.clone(), twice])?.value;
        if !rest.is_zero() && !x.same_value(&y) {
            value = value.neg();
        }
    }
    if !value.is_nan() {
        return Ok(Computed { bits: value.to_u128().unwrap_or_default(), flags });
    }
    let invalid_product = operation == FloatOperation::Fma && {
        let product = soft.compute(FloatOperation::Mul, &floats[..2])?;
        product.value.is_nan() && !floats[..2].iter().any(Float::is_nan)
    };
    if invalid_product && encoding.leading != 0 {
        flags |= Flags::INVALID;
    }
    Ok(Computed { bits: encoding.propagated(operation, operands, invalid_product), flags })
}

/// Whether a comparison of two encodings holds, and the exceptions raised.
pub(super) fn compare(comparison: FloatComparison, format: Format, a: u128, b: u128) -> (bool, Flags) {
    let native = match format {
        Format::BINARY64 => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        Format::BINARY32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        _ => Float::from_bits(format, a).compare(&Float::from_bits(format, b)),
    };
    let holds = match native {
        Some(Ordering::Less) => comparison.predicate.less,
        Some(Ordering::Equal) => comparison.predicate.equal,
        Some(Ordering::Greater) => comparison.predicate.greater,
        None => comparison.predicate.unordered,
    };
    let encoding = Encoding::of(format);
    let invalid = native.is_none() && (comparison.signaling || encoding.is_signaling(a) || encoding.is_signaling(b));
    (holds, if invalid { Flags::INVALID } else { Flags::empty() })
}
