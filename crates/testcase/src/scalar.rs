//! Scalars as text: what test suites and witnesses hold in place of bytes.

use labrys_float::{Float, Format};

use crate::ScalarKind;

/// The format of a float of so many bytes in memory.
fn format(bytes: usize) -> Option<Format> {
    match bytes {
        2 => Some(Format::BINARY16),
        4 => Some(Format::BINARY32),
        8 => Some(Format::BINARY64),
        // x87's 80 bits, with or without the padding.
        10 | 16 => Some(Format::X87),
        _ => None,
    }
}

/// The bits of a little-endian number of at most 16 bytes.
fn bits(bytes: &[u8]) -> Option<u128> {
    let mut wide = [0; 16];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u128::from_le_bytes(wide))
}

/// A scalar as a C compiler or `strtod` reads it: integers in decimal, floats as the shortest decimal that gives the same number,
/// `inf`, `-inf` and `nan`. `None`: there is no such scalar.
///
/// ```
/// use labrys_testcase::{ScalarKind, scalar_text};
/// assert_eq!(scalar_text(&(-7i32).to_le_bytes(), ScalarKind::Signed).as_deref(), Some("-7"));
/// assert_eq!(scalar_text(&0.1f64.to_le_bytes(), ScalarKind::Float).as_deref(), Some("0.1"));
/// ```
pub fn scalar_text(bytes: &[u8], kind: ScalarKind) -> Option<String> {
    let width = u32::try_from(bytes.len()).ok().filter(|count| (1..=16).contains(count))? * 8;
    let value = bits(bytes)?;
    Some(match kind {
        ScalarKind::Unsigned | ScalarKind::Pointer => value.to_string(),
        ScalarKind::Bool => u8::from(value != 0).to_string(),
        ScalarKind::Signed => {
            let unused = 128 - width;
            (((value << unused) as i128) >> unused).to_string()
        }
        ScalarKind::Float => {
            let format = format(bytes.len())?;
            let kept = if format == Format::X87 { value & ((1 << 80) - 1) } else { value };
            Float::from_bits(format, kept).to_shortest_decimal()
        }
    })
}

/// A finite float of so many bytes as a constant of C's that is exactly it, hexadecimal, with an L where a double could not hold it.
///
/// ```
/// use labrys_testcase::float_constant;
/// assert_eq!(float_constant(&0.1f32.to_le_bytes()).as_deref(), Some("0x1.99999ap-4"));
/// ```
pub fn float_constant(bytes: &[u8]) -> Option<String> {
    let format = format(bytes.len())?;
    let value = bits(bytes)?;
    let kept = if format == Format::X87 { value & ((1 << 80) - 1) } else { value };
    let float = Float::from_bits(format, kept);
    let suffix = if format == Format::X87 { "L" } else { "" };
    float.is_finite().then(|| format!("{}{suffix}", float.to_hex()))
}

/// The bytes, as they lie in memory, of a scalar of `size` bytes that a text says; [`scalar_text`]'s inverse, but that the payload of
/// a NaN is not in the text. Integers may also be hexadecimal (`0x2a`) or characters (`'a'`), and have C's suffixes. `None`: the
/// text says none, or one that does not fit.
pub fn scalar_bytes(text: &str, kind: ScalarKind, size: usize) -> Option<Vec<u8>> {
    let text = text.trim();
    if !(1..=16).contains(&size) {
        return None;
    }
    let value = match kind {
        ScalarKind::Float => {
            let format = format(size)?;
            float(format, text)?.to_u128()?
        }
        ScalarKind::Bool => u128::from(integer(text)? != 0),
        ScalarKind::Signed | ScalarKind::Unsigned | ScalarKind::Pointer => {
            let value = integer(text)?;
            let width = 8 * size as u32;
            // Numbers between the types' limits, whichever of them is meant.
            let fits = width == 128 || (-(1i128 << (width - 1))..1 << width).contains(&value);
            fits.then_some(value as u128)?
        }
    };
    Some(value.to_le_bytes()[..size].to_vec())
}

fn float(format: Format, text: &str) -> Option<Float> {
    let (negative, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = size.to_ascii_lowercase();
    let value = match size.as_str() {
        "inf" | "infinity" => Float::infinity(format, false),
        "nan" => Float::nan(format),
        // C's suffixes; in hexadecimal `f` is a digit before the exponent only.
        of => Float::parse_decimal(format, of.trim_end_matches(['f', 'l']))?,
    };
    Some(if negative { value.neg() } else { value })
}

fn integer(text: &str) -> Option<i128> {
    if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        let mut characters = inner.chars();
        return match (characters.next(), characters.next()) {
            (Some(one), None) if one.is_ascii() => Some(i128::from(one as u32)),
            _ => None,
        };
    }
    let (negative, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = size.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u128::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<u128>().ok()?,
    };
    // All of `unsigned __int128` comes out as its own bits.
    Some(if negative { (value as i128).wrapping_neg() } else { value as i128 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_come_back_from_their_text() {
        let samples: [(&[u8], ScalarKind); 9] = [
            (&[0xff], ScalarKind::Signed),
            (&[0xff], ScalarKind::Unsigned),
            (&i64::MIN.to_le_bytes(), ScalarKind::Signed),
            (&u64::MAX.to_le_bytes(), ScalarKind::Unsigned),
            (&u128::MAX.to_le_bytes(), ScalarKind::Unsigned),
            (&5e-324f64.to_le_bytes(), ScalarKind::Float),
            (&(-0.0f32).to_le_bytes(), ScalarKind::Float),
            (&f64::NEG_INFINITY.to_le_bytes(), ScalarKind::Float),
            (&[1], ScalarKind::Bool),
        ];
        for (bytes, kind) in samples {
            let text = scalar_text(bytes, kind).expect("a scalar");
            assert_eq!(scalar_bytes(&text, kind, bytes.len()).as_deref(), Some(bytes), "{text}");
        }
    }

    #[test]
    fn texts_that_say_no_such_scalar_are_refused() {
        for (text, kind, size) in [
            ("256", ScalarKind::Unsigned, 1),
            ("-129", ScalarKind::Signed, 1),
            ("x", ScalarKind::Signed, 4),
            ("", ScalarKind::Float, 8),
            ("1", ScalarKind::Float, 3),
            ("1", ScalarKind::Signed, 0),
            ("'ab'", ScalarKind::Signed, 1),
        ] {
            assert_eq!(scalar_bytes(text, kind, size), None, "{text}");
        }
        assert_eq!(scalar_bytes("'a'", ScalarKind::Signed, 1), Some(vec![97]));
        assert_eq!(scalar_bytes("0x10UL", ScalarKind::Unsigned, 8), Some(16u64.to_le_bytes().to_vec()));
        assert_eq!(scalar_bytes("1.5f", ScalarKind::Float, 4), Some(1.5f32.to_le_bytes().to_vec()));
    }
}
