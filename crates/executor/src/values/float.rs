//! Floating-point values: known bits, or a Float term.

use labrys_float::{Float, Format};
use labrys_term::TermId;

/// A float of a path.
///
/// A symbolic one is a Float term, which also determines the encoding (`encoding.rs`): a NaN's sign and payload
/// follow from the operands of the operations that the term consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatValue {
    /// A known encoding.
    Concrete {
        /// Its format, of at most 128 bits.
        format: Format,
        /// The encoding, exactly as the program would have it in memory; no bits above the format's width.
        bits: u128,
    },
    /// A term of sort Float that is no literal.
    Symbolic(TermId),
}

impl FloatValue {
    /// The value of an encoding; bits above the format's width are dropped.
    pub fn concrete(format: Format, bits: u128) -> FloatValue {
        FloatValue::Concrete { format, bits: bits & (u128::MAX >> (128 - format.width().clamp(1, 128))) }
    }

    /// The value of a literal.
    pub fn of(value: &Float) -> FloatValue {
        FloatValue::concrete(value.format(), value.to_u128().unwrap_or_default())
    }

    /// The number, where it is known.
    pub fn known(&self) -> Option<Float> {
        match *self {
            FloatValue::Concrete { format, bits } => Some(Float::from_bits(format, bits)),
            FloatValue::Symbolic(_) => None,
        }
    }

    /// The term, where the value is not known.
    pub fn term(&self) -> Option<TermId> {
        match *self {
            FloatValue::Concrete { .. } => None,
            FloatValue::Symbolic(term) => Some(term),
        }
    }
}
