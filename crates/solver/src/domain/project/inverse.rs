//! Inverse projections: the members of the operands' sets that have partners with which the result is a member of its set.
//!
//! Results are subsets of the operands' sets. If one is empty so are the others, or nothing can be said of them.

use super::arithmetic::Arithmetic;
use super::forward;
use super::monotone::inverse;
use super::operation::{Add, Convert, Div, Fma, Mul, RoundToIntegral, Sqrt};
use super::{encoding, integer, remainder, select};
use crate::domain::{BitVecDomain, FloatDomain, ModeDomain};

/// `fp.add`.
pub fn add(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    inverse(&Add(Arithmetic::new(a.format)), modes, r, [a, b]).into()
}

/// `fp.sub`.
pub fn sub(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    let (a, b) = add(modes, r, a, &forward::neg(b));
    (a, forward::neg(&b))
}

/// `fp.mul`.
pub fn mul(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    inverse(&Mul(Arithmetic::new(a.format)), modes, r, [a, b]).into()
}

/// `fp.div`.
pub fn div(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    inverse(&Div(Arithmetic::new(a.format)), modes, r, [a, b]).into()
}

/// `fp.fma`.
pub fn fma(
    modes: ModeDomain,
    r: &FloatDomain,
    a: &FloatDomain,
    b: &FloatDomain,
    c: &FloatDomain,
) -> (FloatDomain, FloatDomain, FloatDomain) {
    inverse(&Fma(Arithmetic::new(a.format)), modes, r, [a, b, c]).into()
}

/// `fp.sqrt`.
pub fn sqrt(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain) -> FloatDomain {
    let [a] = inverse(&Sqrt(Arithmetic::new(a.format)), modes, r, [a]);
    a
}

/// `fp.roundToIntegral`.
pub fn round_to_integral(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain) -> FloatDomain {
    let [a] = inverse(&RoundToIntegral(Arithmetic::new(a.format)), modes, r, [a]);
    a
}

/// `to_fp` of another format, which is `r`'s.
pub fn from_float(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain) -> FloatDomain {
    let operation = Convert { from: Arithmetic::new(a.format), to: Arithmetic::new(r.format) };
    let [a] = inverse(&operation, modes, r, [a]);
    a
}

/// `fp.rem`: IEEE 754's remainder.
pub fn rem(r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    remainder::inverse(remainder::Kind::Nearest, r, a, b)
}

/// C's fmod.
pub fn fmod(r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    remainder::inverse(remainder::Kind::Truncated, r, a, b)
}

/// `fp.min`; of zeros of different signs either.
pub fn min(r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    select::inverse_min(r, a, b)
}

/// `fp.max`; of zeros of different signs either.
pub fn max(r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    let (a, b) = select::inverse_min(&forward::neg(r), &forward::neg(a), &forward::neg(b));
    (forward::neg(&a), forward::neg(&b))
}

/// `fp.neg`.
pub fn neg(r: &FloatDomain, a: &FloatDomain) -> FloatDomain {
    a.intersect(&forward::neg(r))
}

/// `fp.abs`.
pub fn abs(r: &FloatDomain, a: &FloatDomain) -> FloatDomain {
    let absolute = FloatDomain { negative: None, minus_zero: false, minus_infinity: false, ..*r };
    a.intersect(&absolute.hull(&forward::neg(&absolute)))
}

/// `to_fp` of a signed bit vector.
pub fn from_signed(modes: ModeDomain, r: &FloatDomain, a: &BitVecDomain) -> BitVecDomain {
    integer::inverse_to_float(modes, r, a, true)
}

/// `to_fp_unsigned` of a bit vector.
pub fn from_unsigned(modes: ModeDomain, r: &FloatDomain, a: &BitVecDomain) -> BitVecDomain {
    integer::inverse_to_float(modes, r, a, false)
}

/// `fp.to_sbv`; out of range any vector.
pub fn to_signed(modes: ModeDomain, r: &BitVecDomain, a: &FloatDomain) -> FloatDomain {
    integer::inverse_to_integer(modes, r, a, true)
}

/// `fp.to_ubv`; out of range any vector.
pub fn to_unsigned(modes: ModeDomain, r: &BitVecDomain, a: &FloatDomain) -> FloatDomain {
    integer::inverse_to_integer(modes, r, a, false)
}

/// `to_fp` of an encoding.
pub fn from_bits(r: &FloatDomain, a: &BitVecDomain) -> BitVecDomain {
    encoding::inverse_from_bits(r, a)
}

/// The encoding; NaN's is the canonical one.
pub fn to_bits(r: &BitVecDomain, a: &FloatDomain) -> FloatDomain {
    encoding::inverse_to_bits(r, a)
}
