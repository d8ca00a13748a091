//! Domains of finite floats as intervals of reals in binary64, and back.

use labrys_float::{Environment, Float, Format, RoundingMode};

use super::places::{self, Set};
use crate::domain::{Domain, FloatDomain};

/// An interval of reals whose ends are binary64 numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Real {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// The number of a magnitude's place, exactly; the format is no wider than binary64 in either field.
fn number(format: Format, magnitude: u128) -> f64 {
    let fraction = format.precision() - 1;
    let (exponent, field) = ((magnitude >> fraction) as i64, (magnitude & ((1 << fraction) - 1)) as f64);
    if format == Format::BINARY64 {
        return f64::from_bits(magnitude as u64);
    }
    let significand = if exponent == 0 { field } else { field + (1u64 << fraction) as f64 };
    // Both factors are powers of two that binary64 holds, the product a number of the format: no rounding.
    let scale = format.min_lsb_exponent() + exponent.max(1) - 1;
    let half = (scale / 2) as i32;
    significand * f64::powi(2.0, half) * f64::powi(2.0, scale as i32 - half)
}

/// The least and the greatest member; `None` if the set holds an infinity or NaN, or nothing.
pub(crate) fn bounds(domain: &FloatDomain) -> Option<Real> {
    if domain.nan || domain.minus_infinity || domain.plus_infinity {
        return None;
    }
    let zero = domain.minus_zero || domain.plus_zero;
    let value = |magnitude| number(domain.format, magnitude);
    let low = match (domain.negative, zero, domain.positive) {
        (Some(range), _, _) => -value(range.high),
        (None, true, _) => 0.0,
        (None, false, range) => value(range?.low),
    };
    let high = match (domain.positive, zero, domain.negative) {
        (Some(range), _, _) => value(range.high),
        (None, true, _) => 0.0,
        (None, false, range) => -value(range?.low),
    };
    Some(Real { low, high })
}

/// The places of a format's numbers between two reals, both zeros where 0 is; `None` if there are none.
pub(crate) fn places_between(format: Format, low: f64, high: f64) -> Option<Set> {
    let place = |value: f64, mode| {
        let rounded = Environment::with_rounding(mode).convert(&Float::from_f64(value), format).value;
        let negative = rounded.is_negative();
        let zero = Float::zero(format, mode == RoundingMode::TowardPositive);
        let rounded = if rounded.is_zero() { zero } else { rounded };
        let place = places::single(&Domain::Float(FloatDomain::only(&rounded)))?;
        // Bounds beyond the finite numbers are no bounds; the domain's line ends there.
        (!rounded.is_nan() && (!rounded.is_infinite() || negative == (mode == RoundingMode::TowardPositive)))
            .then_some(place)
    };
    let low = place(low, RoundingMode::TowardPositive)?;
    let high = place(high, RoundingMode::TowardNegative)?;
    (low <= high).then_some(Set::Within { low, high })
}
