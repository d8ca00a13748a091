//! Hexadecimal notation, C's `%a`: always exact.

use num_bigint::BigUint;
use num_traits::Zero;

use crate::exact::{Exact, round};
use crate::unpacked::Unpacked;
use crate::{Environment, Float, Format, Rounded};

impl Float {
    /// Hexadecimal notation with a leading 1 (also for subnormals) and no trailing zeros: `0x1.8p+3`, `-0x0p+0`, `inf`,
    /// `nan`.
    pub fn to_hex(&self) -> String {
        let sign = if self.is_negative() { "-" } else { "" };
        let finite = match self.unpack() {
            Unpacked::Nan { .. } => return "nan".to_owned(),
            Unpacked::Infinite { .. } => return format!("{sign}inf"),
            Unpacked::Finite(finite) if finite.is_zero() => return format!("{sign}0x0p+0"),
            Unpacked::Finite(finite) => finite,
        };
        let top = finite.top();
        let fraction_bits = finite.significand.bits() - 1;
        // Whole hexadecimal digits after the point.
        let digits = fraction_bits.div_ceil(4);
        let aligned = finite.significand << (4 * digits - fraction_bits);
        let text = format!("{aligned:x}");
        let fraction = text[1..].trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}0x1{point}{fraction}p{top:+}")
    }
}

/// Reads the part after `0x`: hexadecimal digits with an optional point, and an optional binary exponent.
pub(crate) fn parse(format: Format, environment: &Environment, negative: bool, text: &str) -> Option<Rounded> {
    let (mantissa, power) = match text.split_once(['p', 'P']) {
        Some((mantissa, power)) => (mantissa, crate::decimal::parse_exponent(power)?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let significand = BigUint::parse_bytes(digits.as_bytes(), 16)?;
    if significand.is_zero() {
        return Some(Rounded::exact(Float::zero(format, negative)));
    }
    // Keeps the sum of exponents within i64; far beyond any format's range.
    let power = power.clamp(-(1 << 61), 1 << 61);
    let exponent = power.saturating_sub(4 * fraction.len() as i64);
    Some(round(format, environment, &Exact { negative, significand, exponent, sticky: false }))
}
