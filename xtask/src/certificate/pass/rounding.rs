//! How far rounding moves numbers, and on which grids they lie.

use std::cmp::Ordering;

use rug::Float;

use super::super::interval::{Interval, power, zero};
use super::super::statement::Rounding;

pub(super) const COARSEST: i64 = 1 << 20;
pub(super) const FINEST: i64 = -(1 << 20);

/// ⌊log₂⌋ of a positive number; MPFR's significands lie in [1/2, 1).
pub(super) fn exponent(value: &Float) -> i64 {
    value.get_exp().map_or(FINEST, |exponent| i64::from(exponent) - 1)
}

pub(super) fn is_power_of_two(value: &Float) -> bool {
    *value == power(exponent(value))
}

/// The largest rounding error of numbers up to a magnitude.
pub(super) fn half_ulp(rounding: Rounding, magnitude: &Float) -> Float {
    let below = if is_power_of_two(magnitude) { exponent(magnitude) - 1 } else { exponent(magnitude) };
    power(below.max(rounding.least_exponent) - rounding.precision)
}

pub(in super::super) fn rounding_error(rounding: Rounding, magnitude: &Float) -> Float {
    match magnitude.is_zero() {
        true => zero(),
        false => half_ulp(rounding, magnitude) * if rounding.is_nearest { 1 } else { 2 },
    }
}

/// The nearest floats of the format outside a range: rounding is monotone.
pub(super) fn outward(rounding: Rounding, range: &Interval) -> Interval {
    let end = |x: &Float, round: fn(Float) -> Float| {
        let unit = (exponent(x).max(rounding.least_exponent) + 1 - rounding.precision) as i32;
        if x.is_zero() { x.clone() } else { round(x.clone() >> unit) << unit }
    };
    Interval::new(end(&range.low, Float::floor), end(&range.high, Float::ceil))
}

/// The grid on which all floats of a range lie.
pub(super) fn by_size(rounding: Rounding, range: &Interval) -> i64 {
    let finest = rounding.least_exponent + 1 - rounding.precision;
    let least = range.mignitude();
    match least.cmp0() {
        Some(Ordering::Greater) => finest.max(exponent(&least) + 1 - rounding.precision),
        _ if range.is_zero() => COARSEST,
        _ => finest,
    }
}

/// The exponent of the last significant bit of a double.
pub(super) fn trailing(value: f64) -> i64 {
    if value == 0.0 {
        return COARSEST;
    }
    let mut exponent = exponent(&Float::with_val(53, value).abs());
    while !Float::with_val(60, Float::with_val(60, value) >> exponent as i32).is_integer() {
        exponent -= 1;
    }
    exponent
}
