//! Between the floats of a format and MPFR's numbers.

use labrys_float::{Environment, Flags, Float, Format, Rounded, RoundingMode};
use num_bigint::BigUint;
use rug::float::Special;
use rug::integer::Order;

/// The same value in MPFR, at the format's precision; NaNs lose their payload.
pub fn to_precise(value: &Float) -> rug::Float {
    let format = value.format();
    let precision = format.precision();
    if let Some(value) = value.to_f64() {
        return rug::Float::with_val(precision, value);
    }
    let special = |special| rug::Float::with_val(precision, special);
    if value.is_nan() {
        return special(Special::Nan);
    }
    let magnitude = if value.is_infinite() {
        special(Special::Infinity)
    } else {
        let stored = format.stored_significand_bits();
        let field = value.abs().bits() >> stored;
        let mut significand = value.bits() % (BigUint::from(1u8) << stored);
        let is_normal = field != BigUint::ZERO;
        if is_normal && !format.has_explicit_leading_bit() {
            significand.set_bit(u64::from(precision - 1), true);
        }
        let steps = u32::try_from(&field).unwrap_or(u32::MAX).max(1) - 1;
        let digits = rug::Integer::from_digits(&significand.to_u64_digits(), Order::Lsf);
        // Formats have exponents of at most 30 bits; MPFR's have 31.
        rug::Float::with_val(precision, digits) << (i64::from(steps) + format.min_lsb_exponent()) as i32
    };
    if value.is_negative() { -magnitude } else { magnitude }
}

/// The number rounded to a format, with the exceptions that raises. An infinity becomes one without an exception.
///
/// ```
/// use labrys_elementary::{from_precise, rug};
/// use labrys_float::{Format, RoundingMode};
///
/// let third = rug::Float::with_val(200, 1) / 3;
/// assert_eq!(from_precise(&third, Format::BINARY64, RoundingMode::NearestEven).value.to_f64(), Some(1.0 / 3.0));
/// ```
pub fn from_precise(value: &rug::Float, format: Format, mode: RoundingMode) -> Rounded {
    round(value, false, format, &Environment::with_rounding(mode))
}

/// Rounds `value`, or if `sticky` a number just farther from zero than it: nearer than half a unit in its last place.
/// Then `value` has at least two bits more than the format.
pub(crate) fn round(value: &rug::Float, sticky: bool, format: Format, environment: &Environment) -> Rounded {
    let negative = value.is_sign_negative();
    let exact = |value| Rounded { value, flags: Flags::empty() };
    if value.is_nan() {
        return exact(Float::nan(format));
    }
    if value.is_infinite() {
        return exact(Float::infinity(format, negative));
    }
    let (mut significand, mut exponent) = match value.to_integer_exp() {
        Some((significand, exponent)) => (magnitude(&significand), i64::from(exponent)),
        None => (BigUint::ZERO, 0),
    };
    if significand == BigUint::ZERO {
        if !sticky {
            return exact(Float::zero(format, negative));
        }
        // Below MPFR's range, and far below every format's.
        exponent = -(1 << 34);
    }
    if sticky {
        significand = (significand << 1u8) + 1u8;
        exponent -= 1;
    }
    // A number beyond the format's range rounds like any other beyond it.
    let reach = format.max_exponent() + i64::from(format.precision()) + significand.bits() as i64 + 8;
    let exponent = exponent.clamp(-2 * reach, 2 * reach);
    let wide = Format::new(36, (significand.bits() as u32).max(2));
    let held = Float::from_parts(wide, negative, &significand, exponent, RoundingMode::TowardZero);
    environment.convert(&held, format)
}

fn magnitude(value: &rug::Integer) -> BigUint {
    BigUint::from_bytes_le(&value.to_digits::<u8>(Order::Lsf))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [Format; 6] =
        [Format::BINARY16, Format::BFLOAT16, Format::BINARY32, Format::BINARY64, Format::X87, Format::BINARY128];

    #[test]
    fn values_survive_the_way_there_and_back() {
        for format in FORMATS {
            let one = Float::one(format);
            let values = [
                Float::zero(format, false),
                Float::min_subnormal(format),
                Float::min_normal(format).next_down(),
                Float::min_normal(format),
                one.next_down(),
                one.clone(),
                one.next_up(),
                Float::max_finite(format),
                Float::infinity(format, false),
                Float::nan(format),
            ];
            for value in values.iter().flat_map(|value| [value.clone(), value.neg()]) {
                let back = from_precise(&to_precise(&value), format, RoundingMode::NearestEven);
                assert!(back.value.same_value(&value), "{format:?} {}", value.to_hex());
                assert_eq!(back.flags, Flags::empty());
            }
            let rational = Float::max_finite(format).to_rational().unwrap();
            let numerator = rational.numer().to_string();
            let direct = rug::Integer::from_str_radix(&numerator, 10).unwrap();
            assert_eq!(to_precise(&Float::max_finite(format)), direct);
        }
    }

    #[test]
    fn numbers_beyond_a_format_overflow_and_vanish() {
        let huge = rug::Float::with_val(10, 3) << 100_000_000;
        let rounded = from_precise(&huge, Format::BINARY128, RoundingMode::NearestEven);
        assert!(rounded.value.is_infinite());
        assert_eq!(rounded.flags, Flags::OVERFLOW | Flags::INEXACT);
        let tiny = -rug::Float::with_val(10, 3) >> 100_000_000;
        let rounded = from_precise(&tiny, Format::BINARY64, RoundingMode::TowardNegative);
        assert_eq!(rounded.value.to_f64(), Some(-f64::from_bits(1)));
        assert_eq!(rounded.flags, Flags::UNDERFLOW | Flags::INEXACT);
    }
}
