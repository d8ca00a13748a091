//! Calls of libm's functions in queries.

use labrys_elementary::Function;
use labrys_term::TermId;

/// A call: its result is a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTerm {
    /// The result, a Float variable.
    pub variable: TermId,
    /// The function.
    pub function: Function,
    /// Its operands, Float terms of the result's format; results of other calls may occur in them.
    pub operands: Vec<TermId>,
}
