//! Direct projections: the results of an operator on members of given sets.

use labrys_float::Format;

use super::arithmetic::Arithmetic;
use super::monotone::forward;
use super::operation::{Add, Convert, Div, Fma, Mul, RoundToIntegral, Sqrt};
use super::{encoding, integer, remainder, select};
use crate::domain::{BitVecDomain, FloatDomain, ModeDomain};

/// `fp.add`.
pub fn add(modes: ModeDomain, a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    forward(&Add(Arithmetic::new(a.format)), modes, a.format, [a, b])
}

/// `fp.sub`: the sum with the second operand negated.
pub fn sub(modes: ModeDomain, a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    add(modes, a, &neg(b))
}

/// `fp.mul`.
pub fn mul(modes: ModeDomain, a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    forward(&Mul(Arithmetic::new(a.format)), modes, a.format, [a, b])
}

/// `fp.div`.
pub fn div(modes: ModeDomain, a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    forward(&Div(Arithmetic::new(a.format)), modes, a.format, [a, b])
}

/// `fp.fma`.
pub fn fma(modes: ModeDomain, a: &FloatDomain, b: &FloatDomain, c: &FloatDomain) -> FloatDomain {
    forward(&Fma(Arithmetic::new(a.format)), modes, a.format, [a, b, c])
}

/// `fp.sqrt`.
pub fn sqrt(modes: ModeDomain, a: &FloatDomain) -> FloatDomain {
    forward(&Sqrt(Arithmetic::new(a.format)), modes, a.format, [a])
}

/// `fp.roundToIntegral`.
pub fn round_to_integral(modes: ModeDomain, a: &FloatDomain) -> FloatDomain {
    forward(&RoundToIntegral(Arithmetic::new(a.format)), modes, a.format, [a])
}

/// `to_fp` of another format.
pub fn from_float(modes: ModeDomain, a: &FloatDomain, to: Format) -> FloatDomain {
    let operation = Convert { from: Arithmetic::new(a.format), to: Arithmetic::new(to) };
    forward(&operation, modes, to, [a])
}

/// `fp.rem`: IEEE 754's remainder.
pub fn rem(a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    remainder::forward(remainder::Kind::Nearest, a, b)
}

/// C's fmod.
pub fn fmod(a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    remainder::forward(remainder::Kind::Truncated, a, b)
}

/// `fp.min`; of zeros of different signs either.
pub fn min(a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    select::min(a, b)
}

/// `fp.max`; of zeros of different signs either.
pub fn max(a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    neg(&select::min(&neg(a), &neg(b)))
}

/// `fp.neg`.
pub fn neg(a: &FloatDomain) -> FloatDomain {
    FloatDomain {
        format: a.format,
        negative: a.positive,
        positive: a.negative,
        minus_zero: a.plus_zero,
        plus_zero: a.minus_zero,
        minus_infinity: a.plus_infinity,
        plus_infinity: a.minus_infinity,
        nan: a.nan,
    }
}

/// `fp.abs`.
pub fn abs(a: &FloatDomain) -> FloatDomain {
    let both = a.hull(&neg(a));
    FloatDomain { negative: None, minus_zero: false, minus_infinity: false, ..both }
}

/// `to_fp` of a signed bit vector.
pub fn from_signed(modes: ModeDomain, a: &BitVecDomain, to: Format) -> FloatDomain {
    integer::to_float(modes, a, to, true)
}

/// `to_fp_unsigned` of a bit vector.
pub fn from_unsigned(modes: ModeDomain, a: &BitVecDomain, to: Format) -> FloatDomain {
    integer::to_float(modes, a, to, false)
}

/// `fp.to_sbv`; out of range any vector.
pub fn to_signed(modes: ModeDomain, a: &FloatDomain, width: u32) -> BitVecDomain {
    integer::to_integer(modes, a, width, true)
}

/// `fp.to_ubv`; out of range any vector.
pub fn to_unsigned(modes: ModeDomain, a: &FloatDomain, width: u32) -> BitVecDomain {
    integer::to_integer(modes, a, width, false)
}

/// `to_fp` of an encoding.
pub fn from_bits(a: &BitVecDomain, format: Format) -> FloatDomain {
    encoding::from_bits(a, format)
}

/// The encoding; NaN's is the canonical one.
pub fn to_bits(a: &FloatDomain) -> BitVecDomain {
    encoding::to_bits(a)
}
