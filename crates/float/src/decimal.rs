//! Decimal notation: correctly rounded reading, shortest round-trip printing.
//!
//! Printing is the free-format algorithm of Robert G. Burger and R. Kent Dybvig, "Printing Floating-Point Numbers Quickly
//! and Accurately", PLDI 1996, section 2.2, over exact integers: it yields the shortest digit string that reads back as the number
//! under rounding to nearest even, and among those of that length the closest. For binary32 and binary64 Rust's own
//! formatting yields the same and is faster.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use crate::exact::{Exact, quotient, round};
use crate::unpacked::{Finite, Unpacked};
use crate::{Environment, Float, Format, Rounded};

/// Decimal exponents written without an exponent part.
const PLAIN: std::ops::RangeInclusive<i64> = -5..=15;

impl Float {
    /// The number nearest to a numeral, ties to even: decimal (`-1.5e-3`), hexadecimal (`0x1.8p+3`), `inf`, `infinity`
    /// or `nan` in any case, with an optional sign. `None` if the text is none of these.
    pub fn parse_decimal(format: Format, text: &str) -> Option<Float> {
        Environment::default().parse(format, text).map(|rounded| rounded.value)
    }

    /// The digits of the shortest decimal that reads back as this number, and the exponent x of its reading d.ddd × 10^x,
    /// sign apart; no trailing zeros. `None` for zeros, infinities and NaNs.
    pub fn shortest_digits(&self) -> Option<(Vec<u8>, i64)> {
        let finite = self.to_finite().filter(|finite| !finite.is_zero())?;
        let native = match (self.to_f64(), self.to_f32()) {
            (Some(value), _) => Some(format!("{:e}", value.abs())),
            (_, Some(value)) => Some(format!("{:e}", value.abs())),
            _ => None,
        };
        if let Some((mantissa, exponent)) = native.as_deref().and_then(|text| text.split_once('e')) {
            let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
            return Some((digits, exponent.parse().ok()?));
        }
        Some(free_format(&finite, self.format()))
    }

    /// The shortest decimal that reads back as this number: plain for decimal exponents −5 to 15 (`1`, `0.1`, `-0`,
    /// `1500`), scientific beyond (`6.25e-152`, `1e+300`), `inf`, `-inf`, `nan`.
    pub fn to_shortest_decimal(&self) -> String {
        let sign = if self.is_negative() { "-" } else { "" };
        let Some((digits, exponent)) = self.shortest_digits() else {
            return match self.unpack() {
                Unpacked::Nan { .. } => "nan".to_owned(),
                Unpacked::Infinite { .. } => format!("{sign}inf"),
                Unpacked::Finite(_) => format!("{sign}0"),
            };
        };
        let digits: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let body = if !PLAIN.contains(&exponent) {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{first}{point}{rest}e{exponent:+}")
        } else if exponent < 0 {
            format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize))
        } else {
            let whole = exponent as usize + 1;
            if digits.len() <= whole {
                format!("{digits}{}", "0".repeat(whole - digits.len()))
            } else {
                format!("{}.{}", &digits[..whole], &digits[whole..])
            }
        };
        format!("{sign}{body}")
    }
}

impl Environment {
    /// Reads a numeral as [`Float::parse_decimal`] does, in this environment's rounding direction.
    pub fn parse(&self, format: Format, text: &str) -> Option<Rounded> {
        let environment = self.of(format);
        let text = text.trim();
        let (negative, body) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let lower = body.to_ascii_lowercase();
        match lower.as_str() {
            "inf" | "infinity" => return Some(Rounded::exact(Float::infinity(format, negative))),
            "nan" => return Some(Rounded::exact(Float::nan(format))),
            _ => {}
        }
        match lower.strip_prefix("0x") {
            Some(digits) => crate::hexadecimal::parse(format, &environment, negative, digits),
            None => parse_digits(format, &environment, negative, &lower),
        }
    }
}

/// Reads a decimal exponent with an optional sign; exponents too large for i64 saturate.
pub(crate) fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

/// Reads an unsigned decimal in lower case.
fn parse_digits(format: Format, environment: &Environment, negative: bool, text: &str) -> Option<Rounded> {
    let (mantissa, power) = match text.split_once('e') {
        Some((mantissa, power)) => (mantissa, parse_exponent(power)?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    let trailing = significant.len() - significant.trim_end_matches('0').len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return Some(Rounded::exact(Float::zero(format, negative)));
    }
    // The value is `significant` × 10^power; its leading digit has weight 10^leading.
    let power = power.saturating_add(trailing as i64).saturating_sub(fraction.len() as i64);
    let leading = power.saturating_add(significant.len() as i64 - 1);
    // 10^x is above 2^(3x): past these bounds only the side of the range matters, and the power need not be formed.
    let above = format.max_exponent() / 3 + 2;
    let below = (format.min_lsb_exponent() - 2) / 3 - 2;
    let stand_in = |exponent| Exact { negative, significand: BigUint::from(1u8), exponent, sticky: false };
    let exact = if leading > above {
        stand_in(format.max_exponent() + 2)
    } else if leading < below {
        stand_in(format.min_lsb_exponent() - 2)
    } else {
        let significand = BigUint::parse_bytes(significant.as_bytes(), 10)?;
        let ten_to = BigUint::from(10u8).pow(power.unsigned_abs().to_u32()?);
        if power >= 0 {
            Exact { negative, significand: significand * ten_to, exponent: 0, sticky: false }
        } else {
            quotient(negative, &significand, &ten_to, format.precision())
        }
    };
    Some(round(format, environment, &exact))
}

/// Burger and Dybvig's free-format algorithm. The number is r/s, half the gaps to its neighbours are `above`/s and
/// `below`/s; a decimal within them, or on their ends if the significand is even, reads back as the number.
fn free_format(finite: &Finite, format: Format) -> (Vec<u8>, i64) {
    let even = !finite.significand.bit(0);
    let power_of_two = finite.significand.bits() == finite.significand.trailing_zeros().unwrap_or(0) + 1;
    let is_normal = finite.top() >= format.min_exponent();
    // Below a power of two the gap is half as wide, except where subnormals begin.
    let narrow = power_of_two && is_normal && finite.top() > format.min_exponent();
    let scale = 1 + u8::from(narrow);
    let up = finite.exponent.max(0);
    let down = (-finite.exponent).max(0);
    let mut r = &finite.significand << (up + i64::from(scale));
    let mut s = BigUint::from(1u8) << (down + i64::from(scale));
    let mut below = BigUint::from(1u8) << up;
    let mut above = if narrow { &below << 1u8 } else { below.clone() };

    let reaches = |r: &BigUint, above: &BigUint, s: &BigUint| {
        let high = r + above;
        if even { high >= *s } else { high > *s }
    };
    // The estimate is the right power of ten or one less.
    let mut k = (finite.top() as f64 * std::f64::consts::LOG10_2 - 1e-10).ceil() as i64;
    let ten_to = BigUint::from(10u8).pow(k.unsigned_abs() as u32);
    if k >= 0 {
        s *= ten_to;
    } else {
        r *= &ten_to;
        below *= &ten_to;
        above *= ten_to;
    }
    if reaches(&r, &above, &s) {
        k += 1;
        s *= 10u8;
    }

    let mut digits = Vec::new();
    loop {
        r *= 10u8;
        below *= 10u8;
        above *= 10u8;
        let (digit, rest) = r.div_rem(&s);
        r = rest;
        // A digit is below 10: r < s before the multiplication.
        let digit = digit.to_u8().unwrap_or(9);
        let low = if even { r <= below } else { r < below };
        let high = reaches(&r, &above, &s);
        match (low, high) {
            (false, false) => digits.push(digit),
            (true, false) => digits.push(digit),
            (false, true) => digits.push(digit + 1),
            (true, true) => digits.push(digit + u8::from(&r << 1u8 >= s)),
        }
        if low || high {
            break;
        }
    }
    while digits.last().is_some_and(Zero::is_zero) {
        digits.pop();
    }
    (digits, k - 1)
}
