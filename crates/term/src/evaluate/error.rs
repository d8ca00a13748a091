//! Terms without a value.

use crate::{TermId, Value, VariableId};

/// Why a term has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum EvalError {
    /// The model has no value for a variable.
    #[error("variable {} has no value", .0.index())]
    Unassigned(VariableId),
    /// The model's value is not of the variable's sort.
    #[error("variable {} has a value of another sort", .0.index())]
    WrongSort(VariableId),
    /// The theory leaves the value of this term open: division by zero over the reals, conversions out of range.
    #[error("the value of term {} is left open by its theory", .0.index())]
    Open(TermId),
}

/// An argument's value, or why it has none.
pub(crate) type Argument<'a> = Result<&'a Value, EvalError>;
