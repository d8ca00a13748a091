//! Why nothing is proved, and what is wrong with a request.

use labrys_term::TermId;

use crate::expression::NodeIndex;

/// Why there is no bound, and of what. A result like any other, never an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// The reason.
    pub why: Why,
    /// The operation that it is about, where it is about one.
    pub term: Option<TermId>,
    /// A value of each input about which it is so; empty where it is not about some inputs.
    pub near: Vec<f64>,
}

impl From<Why> for Unknown {
    fn from(why: Why) -> Unknown {
        Unknown { why, term: None, near: Vec::new() }
    }
}

/// Why there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Why {
    /// A divisor's range holds zero, however small the box.
    #[error("its divisor may be zero")]
    DivisionByZero,
    /// A result may exceed the largest number of its format, or of its integer type.
    #[error("it may overflow")]
    Overflow,
    /// An operand may lie outside a function's domain, where its result is NaN, or at a pole.
    #[error("its operand may lie outside the domain")]
    Domain,
    /// The error grows without a bound that intervals of doubles could express: a derivative has a pole.
    #[error("its error has no finite bound in the intervals used")]
    Unbounded,
    /// The truth may be zero, so that there is no relative error.
    #[error("the exact value may be zero")]
    ZeroTruth,
    /// An operation that is not among those treated.
    #[error("it is not supported")]
    UnsupportedOperation,
    /// A format whose numbers are not all doubles, or integers beyond 2^53.
    #[error("its format is not supported")]
    UnsupportedFormat,
    /// A variable of the expression is neither an input nor the result of a call.
    #[error("it has no range")]
    FreeVariable,
    /// The guards exclude every input of the box.
    #[error("no input satisfies the guards")]
    NoInputs,
    /// The budget of boxes was used up before there was a finite bound.
    #[error("the budget of boxes was used up")]
    Boxes,
    /// The time was over before there was a finite bound.
    #[error("the time was over")]
    Time,
}

/// Why a node has no range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub why: Why,
    pub place: NodeIndex,
}

/// A request that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundError {
    /// The result is not a Float term, or a guard not a Bool term.
    #[error("term {} is of the wrong sort", .0.index())]
    Sort(TermId),
    /// The input is no variable, or it is given twice.
    #[error("input {} is not a variable of its own", .0.index())]
    NotVariable(TermId),
    /// The ends of an input's range are out of order or not finite.
    #[error("input {} has no valid range", .0.index())]
    Range(TermId),
    /// A call's operands are as many as the function takes, and its variable is a float.
    #[error("call {} does not fit its function", .0.index())]
    Call(TermId),
    /// There is no path.
    #[error("no path is given")]
    NoPath,
}
