//! Inverse projections of sums sharpened by the ULP-maximum property.
//!
//! Marre and Michel, "Improving the floating point addition and subtraction constraints", CP 2010; Bagnara, Carlier, Gori,
//! Gotlieb, "Symbolic path-oriented test data generation for floating-point programs", ICST 2013, section IV.
//!
//! **Property, in the form used here.** Let z = x ⊕ y, in any rounding mode, be finite and not zero, and u the smaller of
//! the last places of x and y. Then z is a multiple of u: the exact sum is one, and where it is rounded, it has more than
//! the precision's bits above u, so that the place where it is rounded is u's or a higher one. So if 2^k is the greatest power of two of which
//! some member of z's set is a multiple, u ≤ 2^k, and x or y is at most M = (2^p − 1)·2^k, the greatest number whose last
//! place is at most 2^k. The projection is the hull of those of the two cases. M is the papers' bound, and the cases say of the
//! other operand what they leave out.
//!
//! For products and quotients the papers' bounds |x| ≤ |z| / f_min and |x| ≤ |z|·f_max follow from 0 < f_min ≤ |y| ≤ f_max. Sets of this crate keep
//! zeros and infinities apart from the magnitudes of each sign, so the ordinary projections have those bounds: there is nothing to
//! switch on.

use super::arithmetic::Arithmetic;
use super::{forward, inverse};
use crate::domain::{FloatDomain, ModeDomain, Range};

/// The exponent of the greatest power of two, in units of the smallest subnormal, that divides a magnitude in the range.
fn greatest_power(range: Range, fraction: u32) -> u32 {
    let (low, high) = (range.low >> fraction, range.high >> fraction);
    if low != high && high > 1 {
        // The least number with this exponent field is in the range: a power of two.
        return u32::try_from(high - 1).unwrap_or(u32::MAX).saturating_add(fraction);
    }
    // One exponent, or subnormal and least normal numbers, which have one last place: of consecutive significands
    // above `low − 1` the one that keeps only the bits down to the highest in which `high` differs has most trailing zeros.
    let hidden = if low == high && high > 0 { 1u128 << fraction } else { 0 };
    let significand = |magnitude: u128| if hidden == 0 { magnitude } else { magnitude & (hidden - 1) | hidden };
    let (first, last) = (significand(range.low) - 1, significand(range.high));
    let differing = 127 - (first ^ last).leading_zeros();
    let most = last >> differing << differing;
    let exponent = if hidden == 0 { 0 } else { u32::try_from(high - 1).unwrap_or(u32::MAX) };
    exponent.saturating_add(most.trailing_zeros())
}

/// The magnitude M, if the property says anything: the result's numbers are finite and none is zero.
fn bound(r: &FloatDomain) -> Option<u128> {
    if r.minus_zero || r.plus_zero {
        return None;
    }
    let fraction = r.format.precision() - 1;
    let power = [r.negative, r.positive].into_iter().flatten().map(|range| greatest_power(range, fraction)).max()?;
    // (2^p − 1)·2^k is the number before 2^(p + k).
    let arithmetic = Arithmetic::new(r.format);
    let next = arithmetic.power(i128::from(power) + i128::from(r.format.precision()));
    (next < arithmetic.infinity).then_some(next as u128 - 1)
}

/// The numbers of magnitude up to `high`; infinities and NaN, which have no last place, too.
fn within(a: &FloatDomain, high: u128) -> FloatDomain {
    let cut = |range: Option<Range>| {
        let range = range?;
        (range.low <= high).then(|| Range { low: range.low, high: range.high.min(high) })
    };
    FloatDomain { negative: cut(a.negative), positive: cut(a.positive), ..*a }
}

/// The inverse projection of `fp.add`.
pub fn add(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    let plain = inverse::add(modes, r, a, b);
    let Some(bound) = bound(r) else {
        return plain;
    };
    let (a, b) = plain;
    let (small_a, small_b) = (within(&a, bound), within(&b, bound));
    if small_a == a || small_b == b {
        return plain;
    }
    // An infinite result has operands of any last place.
    let finite = FloatDomain { minus_infinity: false, plus_infinity: false, nan: false, ..*r };
    let rest = FloatDomain { negative: None, positive: None, ..*r };
    let first = inverse::add(modes, &finite, &small_a, &b);
    let second = inverse::add(modes, &finite, &a, &small_b);
    let third = inverse::add(modes, &rest, &a, &b);
    (first.0.hull(&second.0).hull(&third.0), first.1.hull(&second.1).hull(&third.1))
}

/// The inverse projection of `fp.sub`.
pub fn sub(modes: ModeDomain, r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    let (a, b) = add(modes, r, a, &forward::neg(b));
    (a, forward::neg(&b))
}
