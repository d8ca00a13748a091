//! Literals of terms: numerals, bit vectors, special floats.

use labrys_float::Float;
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

use super::apply::format;
use super::builtins::{Builtin, Indexed};
use super::checks::{MAX_WIDTH, checked_width, too_wide};
use super::error::Fault;
use super::lexer::Token;
use super::names::Meaning;
use super::reader::Reader;
use crate::TermId;

/// Longer decimal literals are refused: their conversion takes time quadratic in their length.
const MAX_DIGITS: usize = 20_000;

impl Reader<'_, '_> {
    /// A `#b` or `#x` literal, by its digits.
    pub(super) fn bits_literal(&mut self, digits: &[u8], bits_each: u32) -> Result<TermId, Fault> {
        let width = digits.len() as u64 * u64::from(bits_each);
        if width > u64::from(MAX_WIDTH) {
            return Err(too_wide(self.lexer.begin(), width));
        }
        // The lexer lets only such digits through.
        let value = BigUint::parse_bytes(digits, 1 << bits_each).unwrap_or_default();
        Ok(self.store.bv_const(width as u32, value))
    }

    /// A natural number or a decimal: a Real, there being no integers here.
    pub(super) fn real_literal(&mut self, digits: &[u8]) -> Result<TermId, Fault> {
        let value = self.decimal(digits)?;
        Ok(self.store.real_const(value))
    }

    fn decimal(&self, digits: &[u8]) -> Result<BigRational, Fault> {
        if digits.len() > MAX_DIGITS {
            let what = format!("a number of {} digits; {MAX_DIGITS} are", digits.len());
            return Err(Fault::unsupported(self.lexer.begin(), what));
        }
        let point = digits.iter().position(|&digit| digit == b'.');
        let (whole, fraction) = match point {
            Some(point) => (&digits[..point], &digits[point + 1..]),
            None => (digits, &digits[..0]),
        };
        let number = BigUint::parse_bytes(&[whole, fraction].concat(), 10).unwrap_or_default();
        let scale = BigInt::from(10u8).pow(fraction.len() as u32);
        Ok(BigRational::new(number.into(), scale))
    }

    /// `(_ bvN w)`, `(_ +oo e s)` and their like, behind `(_`.
    pub(super) fn indexed_constant(&mut self) -> Result<TermId, Fault> {
        let text = self.symbol("a constant's name behind `(_`")?;
        let at = self.lexer.begin();
        if let Some(digits) = text.strip_prefix(b"bv")
            && !digits.is_empty()
            && digits.iter().all(u8::is_ascii_digit)
        {
            return self.numbered_bits(digits, at);
        }
        let make: fn(labrys_float::Format, bool) -> Float;
        let negative = match self.script.names.find(text) {
            Meaning::Builtin(Builtin::Indexed(Indexed::Infinity(negative))) => {
                make = Float::infinity;
                negative
            }
            Meaning::Builtin(Builtin::Indexed(Indexed::Zero(negative))) => {
                make = Float::zero;
                negative
            }
            Meaning::Builtin(Builtin::Indexed(Indexed::Nan)) => {
                make = |format, _| Float::nan(format);
                false
            }
            Meaning::Builtin(Builtin::Indexed(_)) => {
                let found = Token::Symbol(text).shown();
                return Err(Fault::expected(at, "a constant, or `((_ ` before a function with indices", &found));
            }
            _ if text == b"char" || text == b"Char" => return Err(Fault::unsupported(at, "characters")),
            _ => {
                let found = Token::Symbol(text).shown();
                return Err(Fault::expected(at, "a constant with indices such as `bv7` or `+oo`", &found));
            }
        };
        let exponent = self.index("the width of an exponent")?;
        let precision = self.index("the width of a significand")?;
        let format = format(exponent, precision, self.lexer.begin())?;
        self.close("behind the constant's indices")?;
        Ok(self.store.float_const(make(format, negative)))
    }

    fn numbered_bits(&mut self, digits: &[u8], at: usize) -> Result<TermId, Fault> {
        if digits.len() > MAX_DIGITS {
            return Err(Fault::unsupported(at, format!("a number of {} digits; {MAX_DIGITS} are", digits.len())));
        }
        let value = BigUint::parse_bytes(digits, 10).unwrap_or_default();
        let width = self.index("a bit vector's width")?;
        let width = checked_width(width, self.lexer.begin())?;
        if value.bits() > u64::from(width) {
            return Err(Fault::expected(at, &format!("a number of at most {width} bits"), "a larger one"));
        }
        self.close("behind the constant's indices")?;
        Ok(self.store.bv_const(width, value))
    }
}
