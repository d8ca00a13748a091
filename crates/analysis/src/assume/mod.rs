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
//! Arithmetic is binary64's with default rounding; comparisons with NaN are false, but for `!=`. An input of another
//! type is converted to binary64 first.

mod bounds;
mod meaning;
mod parser;
#[cfg(test)]
mod tests;

use std::fmt;

use labrys_float::{Float, Format};
use labrys_program::InputLayout;
use labrys_term::{Store, TermId};

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

#[derive(Clone, Debug, PartialEq)]
enum Number {
    Literal(f64),
    /// Index of a leaf of the input layout.
    Leaf(usize),
    Negate(Box<Number>),
    Abs(Box<Number>),
    Binary(Arithmetic, Box<Number>, Box<Number>),
}

#[derive(Clone, Debug, PartialEq)]
enum Truth {
    Compare(Relation, Number, Number),
    Finite(Number),
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
        let bound = |text: &str, position: usize| -> Result<Option<f64>, AssumeError> {
            if text.trim().is_empty() {
                return Ok(None);
            }
            let value = Float::parse_decimal(Format::BINARY64, text.trim()).and_then(|value| value.to_f64());
            match value {
                Some(value) if value.is_nan() => Err(error(position, "a number, which NaN is not")),
                Some(value) => Ok(Some(value)),
                None => Err(error(position, "a number")),
            }
        };
        let (low, high) = (bound(low, begin)?, bound(high, begin + low.len() + 2)?);
        let link = |relation, value| Truth::Compare(relation, leaf.clone(), Number::Literal(value));
        let truth = match (low, high) {
            (None, None) => return Err(error(begin, "a bound")),
            (Some(low), Some(high)) if low > high => return Err(error(begin, "the lower bound first")),
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
