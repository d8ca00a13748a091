//! What is wrong with a script.

use crate::sexpr::Position;

/// Why a script cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {problem}")]
pub struct ScriptError {
    /// Where.
    pub position: Position,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand here.
        expected: String,
        /// What does.
        found: String,
    },
    /// A name that nothing is declared by.
    #[error("expected a declared {kind}, found `{name}`")]
    Undeclared {
        /// `symbol` or `sort`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A name that stands for something else already.
    #[error("expected a new name, found `{0}`, which is declared already")]
    Redeclared(String),
    /// Arguments that an operator does not take.
    #[error("expected {expected}, found {found}")]
    Arguments {
        /// What the operator takes.
        expected: String,
        /// The sorts that it was given.
        found: String,
    },
    /// Outside what is read here: what. The rest of the command is passed over; this one is not fatal.
    #[error("not supported: {0}")]
    Unsupported(String),
}

impl Problem {
    pub(super) fn unclosed() -> Problem {
        Problem::Expected { expected: "`)`".to_owned(), found: "the end of the file".to_owned() }
    }
}

/// A problem with its offset in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: Problem,
}

impl Fault {
    pub(super) fn expected(at: usize, expected: &str, found: &str) -> Fault {
        Fault { at, problem: Problem::Expected { expected: expected.to_owned(), found: found.to_owned() } }
    }

    pub(super) fn unsupported(at: usize, what: impl Into<String>) -> Fault {
        Fault { at, problem: Problem::Unsupported(what.into()) }
    }
}
