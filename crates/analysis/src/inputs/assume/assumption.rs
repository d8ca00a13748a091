//! A predicate on input records, read from the command line.

use labrys_program::InputLayout;
use labrys_term::{Store, TermId};

use super::error::AssumeError;
use super::literal::Literal;
use super::parser::Parser;
use super::syntax::{Number, Relation, Truth};

/// A predicate on input records.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    pub(super) truth: Truth,
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
