//! What an assumption consists of.

use super::literal::Literal;
use super::precision::Precision;

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
