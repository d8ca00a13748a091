//! How precisely comparisons are computed.

use labrys_float::Format;
use labrys_program::{FloatType, ScalarType};

/// What a comparison is computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// binary64.
    Double,
    /// binary128: it holds every input exactly.
    Quadruple,
}

impl Precision {
    pub fn format(self) -> Format {
        match self {
            Precision::Double => Format::BINARY64,
            Precision::Quadruple => Format::BINARY128,
        }
    }

    /// The narrower one that holds a type exactly.
    pub fn of(scalar: ScalarType) -> Precision {
        match scalar {
            ScalarType::Float(FloatType::F16 | FloatType::F32 | FloatType::F64) | ScalarType::Bool => Precision::Double,
            ScalarType::Int { bits, .. } if bits <= f64::MANTISSA_DIGITS => Precision::Double,
            ScalarType::Float(FloatType::X87) | ScalarType::Int { .. } => Precision::Quadruple,
        }
    }
}
