//! What an assumption consists of.

use labrys_float::Format;
use labrys_program::{FloatType, ScalarType};

use super::literal::Literal;

/// What a comparison asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// What is computed of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

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

/// A number of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    Literal(Literal),
    /// Index of a leaf of the input layout.
    Leaf(usize),
    Negate(Box<Number>),
    Abs(Box<Number>),
    Binary(Arithmetic, Box<Number>, Box<Number>),
}

/// What is true or false of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    Compare(Precision, Relation, Number, Number),
    Finite(Precision, Number),
    Not(Box<Truth>),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
}
