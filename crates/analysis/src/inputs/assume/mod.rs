//! Assumptions on inputs: `--assume "v>=-4.5 && v<=-0.3"` and `--range x=-1e3..1e3`.
//!
//! Grammar, loosest binding first; white space is free:
//!
//! ```text
//! or      = and { "||" and }
//! and     = not { "&&" not }
//! not     = "!" not | compare
//! compare = sum { ("<" | "<=" | ">" | ">=" | "==" | "!=") sum }      a < b < c means a < b && b < c
//! sum     = product { ("+" | "-") product }
//! product = unary { ("*" | "/") unary }
//! unary   = "-" unary | atom
//! atom    = number | input | "abs" "(" sum ")" | "finite" "(" sum ")" | "(" or ")"
//! input   = a parameter's name, x[3], p.re, p[2].w[0]
//! ```
//!
//! A comparison (each link of a chain is one), and what `finite` is asked of, is computed with default rounding in
//! binary64, to which inputs of other types and literals are converted first: 1 + -1e-30 < 1 is false. Where binary64
//! does not hold an input's type (64-bit integers, x87), it is computed in binary128, which holds them all; literals are
//! then rounded to binary128, straight from their digits. Comparisons with NaN are false, but for `!=`.
//!
//! [`Assumption::holds`] and [`Assumption::term`] say the same of every record, and [`Assumption::restrict`] excludes none
//! of which they hold: its bounds are the literals in the comparison's own precision, rounded inwards to the input's
//! type, and no value of that type lies between a number and its rounding.

mod bounds;
mod literal;
mod meaning;
mod ordinal;
mod parser;
#[cfg(test)]
mod tests;

use std::fmt;

use labrys_float::Format;
use labrys_program::{FloatType, InputLayout, ScalarType};
use labrys_term::{Store, TermId};

use literal::Literal;
use parser::Parser;

/// Why an assumption was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumeError {
    /// The option that it was given with.
    option: &'static str,
    text: String,
    /// Offset in bytes at which it went wrong.
    position: usize,
    expected: String,
}

impl fmt::Display for AssumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.text[..self.position].chars().count() + 1;
        write!(f, "{} \"{}\": column {column}: expected {}", self.option, self.text, self.expected)
    }
}

impl std::error::Error for AssumeError {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

/// What a comparison is computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    /// binary64.
    Double,
    /// binary128: it holds every input exactly.
    Quadruple,
}

impl Precision {
    fn format(self) -> Format {
        match self {
            Precision::Double => Format::BINARY64,
            Precision::Quadruple => Format::BINARY128,
        }
    }

    /// The narrower one that holds a type exactly.
    fn of(scalar: ScalarType) -> Precision {
        match scalar {
            ScalarType::Float(FloatType::F16 | FloatType::F32 | FloatType::F64) | ScalarType::Bool => Precision::Double,
            ScalarType::Int { bits, .. } if bits <= f64::MANTISSA_DIGITS => Precision::Double,
            ScalarType::Float(FloatType::X87) | ScalarType::Int { .. } => Precision::Quadruple,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Number {
    Literal(Literal),
    /// Index of a leaf of the input layout.
    Leaf(usize),
    Negate(Box<Number>),
    Abs(Box<Number>),
    Binary(Arithmetic, Box<Number>, Box<Number>),
}

#[derive(Clone, Debug, PartialEq)]
enum Truth {
    Compare(Precision, Relation, Number, Number),
    Finite(Precision, Number),
    Not(Box<Truth>),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
}

/// A predicate on input records.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    truth: Truth,
}

impl Assumption {
    /// Parses `text`; inputs are the leaves of `layout`.
    ///
    /// # Errors
    ///
    /// Where the text leaves the grammar or names no input: the column and what was expected there.
    pub fn parse(text: &str, layout: &InputLayout) -> Result<Assumption, AssumeError> {
        let mut parser = Parser { option: "--assume", text, position: 0, layout, depth: 0 };
        let truth = parser.or()?;
        parser.skip_space();
        if parser.position < text.len() {
            return Err(parser.error("an operator or the end"));
        }
        Ok(Assumption { truth })
    }

    /// The closed interval `name=low..high` as an assumption on an input, or on each element of an array that has this name.
    ///
    /// # Errors
    ///
    /// As [`Assumption::parse_range`].
    pub fn parse_ranges(text: &str, layout: &InputLayout) -> Result<Vec<Assumption>, AssumeError> {
        let (name, interval) = text.split_once('=').unwrap_or((text, ""));
        let is_element = |path: &str| path.strip_prefix(name.trim()).is_some_and(|rest| rest.starts_with('['));
        let is_input = layout.leaves.iter().any(|leaf| leaf.path == name.trim());
        let elements: Vec<&str> =
            layout.leaves.iter().map(|leaf| leaf.path.as_str()).filter(|path| is_element(path)).collect();
        if is_input || elements.is_empty() {
            return Ok(vec![Assumption::parse_range(text, layout)?]);
        }
        elements.iter().map(|path| Assumption::parse_range(&format!("{path}={interval}"), layout)).collect()
    }

    /// The closed interval `name=low..high` as an assumption; either bound may be missing or infinite.
    ///
    /// # Errors
    ///
    /// Where the name is no input, a bound no number, or no number lies between them: the column and what was expected.
    pub fn parse_range(text: &str, layout: &InputLayout) -> Result<Assumption, AssumeError> {
        let error = |position: usize, expected: &str| AssumeError {
            option: "--range",
            text: text.to_owned(),
            position,
            expected: expected.to_owned(),
        };
        let (name, interval) = text.split_once('=').ok_or_else(|| error(0, "NAME=LOW..HIGH"))?;
        let begin = name.len() + 1;
        let (low, high) = interval.split_once("..").ok_or_else(|| error(begin, "LOW..HIGH"))?;
        let mut parser = Parser { option: "--range", text, position: 0, layout, depth: 0 };
        let leaf = parser.input()?;
        parser.skip_space();
        if parser.position + 1 != begin {
            return Err(parser.error("`=`"));
        }
        let bound = |text: &str, position: usize| -> Result<Option<Literal>, AssumeError> {
            if text.trim().is_empty() {
                return Ok(None);
            }
            match Literal::parse(text) {
                Some(value) if value.is_nan() => Err(error(position, "a number, which NaN is not")),
                Some(value) => Ok(Some(value)),
                None => Err(error(position, "a number")),
            }
        };
        let (low, high) = (bound(low, begin)?, bound(high, begin + low.len() + 2)?);
        let link = |relation, value| Truth::compare(relation, leaf.clone(), Number::Literal(value), layout);
        let truth = match (low, high) {
            (None, None) => return Err(error(begin, "a bound")),
            (Some(low), Some(high)) if low.exceeds(&high) => return Err(error(begin, "the lower bound first")),
            (Some(low), None) => link(Relation::GreaterEqual, low),
            (None, Some(high)) => link(Relation::LessEqual, high),
            (Some(low), Some(high)) => {
                Truth::And(Box::new(link(Relation::GreaterEqual, low)), Box::new(link(Relation::LessEqual, high)))
            }
        };
        Ok(Assumption { truth })
    }

    /// Whether the record satisfies the assumption.
    pub fn holds(&self, layout: &InputLayout, record: &[u8]) -> bool {
        self.truth.holds(layout, record)
    }

    /// The assumption as a Bool term over Float (and bit-vector) variables named by the leaves' paths.
    pub fn term(&self, layout: &InputLayout, store: &mut Store) -> TermId {
        self.truth.term(layout, store)
    }
}
