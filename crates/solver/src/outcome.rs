//! What solvers answer. The types keep the theories apart: an answer over the reals can never pass for a proof.

use std::collections::BTreeMap;
use std::fmt;

use labrys_float::{Float, Format};
use labrys_term::{AlgebraicNumber, Model, VariableId};
use num_rational::BigRational;

use crate::Why;

/// A real number as solvers report it.
#[derive(Clone, Debug, PartialEq)]
pub enum RealValue {
    /// A rational number.
    Rational(BigRational),
    /// An irrational root of a polynomial.
    Algebraic(AlgebraicNumber),
}

/// How closely irrational numbers are enclosed, in bits relative to their size: beyond the precision of every format
/// and of the intervals that models are checked with.
const ENCLOSURE_BITS: u32 = 300;

impl RealValue {
    /// Rational numbers that enclose the value, at most 2^-300 of its size apart; equal for a rational one.
    pub fn bounds(&self) -> (BigRational, BigRational) {
        match self {
            RealValue::Rational(value) => (value.clone(), value.clone()),
            RealValue::Algebraic(number) => number.interval(ENCLOSURE_BITS),
        }
    }

    /// A rational number within 2^-300 of its size.
    pub fn approximation(&self) -> BigRational {
        self.bounds().0
    }

    /// The greatest float not above the value and the least not below it: equal where it is a float.
    pub fn round_both(&self, format: Format) -> (Float, Float) {
        match self {
            RealValue::Rational(value) => labrys_term::round_both(value, format),
            RealValue::Algebraic(number) => number.round_both(format),
        }
    }
}

/// Values of real variables; variables that the query leaves free may be absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RealModel {
    /// The values, in the store's order of variables.
    pub values: BTreeMap<VariableId, RealValue>,
}

/// An answer over the reals. Neither side says anything certain about floats.
#[derive(Clone, Debug, PartialEq)]
pub enum RealOutcome {
    /// Real numbers that satisfy the query: a place to look for floats that do.
    Candidate(RealModel),
    /// No real numbers satisfy it.
    NoCandidate,
    /// Not decided.
    Unknown(Why),
}

/// Which of the asserted terms already contradict each other: indices into the query, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core(pub Vec<usize>);

/// An answer over the floats: exact both ways.
#[derive(Clone, Debug, PartialEq)]
pub enum FloatOutcome {
    /// A witness.
    Sat(Model),
    /// A proof that there is none.
    Unsat(Core),
    /// Not decided.
    Unknown(Why),
}

/// An answer without its model: `sat`, `unknown: work limit`.
impl fmt::Display for FloatOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FloatOutcome::Sat(_) => f.write_str("sat"),
            FloatOutcome::Unsat(_) => f.write_str("unsat"),
            FloatOutcome::Unknown(why) => write!(f, "unknown: {why}"),
        }
    }
}

/// An answer without its model: `candidate`, `unknown: work limit`.
impl fmt::Display for RealOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RealOutcome::Candidate(_) => f.write_str("candidate"),
            RealOutcome::NoCandidate => f.write_str("no candidate"),
            RealOutcome::Unknown(why) => write!(f, "unknown: {why}"),
        }
    }
}
