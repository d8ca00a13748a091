//! Numbers that a user writes.

use labrys_float::{Environment, Float, Format};

use super::ordinal;
use super::precision::Precision;

/// A numeral in both precisions: each is the nearest to what is written, so the one is not always the other rounded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Literal {
    /// In binary64.
    pub double: f64,
    /// In binary128.
    pub quadruple: Float,
    /// The latter's ordinal; `None` for a NaN.
    pub ordinal: Option<i128>,
}

impl Literal {
    /// Reads a numeral as [`Float::parse_decimal`] does.
    pub fn parse(text: &str) -> Option<Literal> {
        let double = Float::parse_decimal(Format::BINARY64, text)?.to_f64()?;
        let quadruple = Float::parse_decimal(Format::BINARY128, text)?;
        Some(Literal { double, ordinal: ordinal::of_float(&quadruple), quadruple })
    }

    pub fn is_nan(&self) -> bool {
        self.double.is_nan()
    }

    /// The number in a precision.
    pub fn float(&self, precision: Precision) -> Float {
        match precision {
            Precision::Double => Float::from_f64(self.double),
            Precision::Quadruple => self.quadruple.clone(),
        }
    }

    /// Whether the two precisions have the same number.
    pub fn is_exact(&self) -> bool {
        let wide = Environment::default().convert(&Float::from_f64(self.double), Format::BINARY128).value;
        ordinal::of_float(&wide) == self.ordinal
    }

    /// Whether it is the greater, as far as binary128 tells.
    pub fn exceeds(&self, other: &Literal) -> bool {
        self.ordinal > other.ordinal
    }
}
