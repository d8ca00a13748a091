//! Why the analysis of a function or of a call does not go on.

use std::sync::Arc;

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The deadline or the number of steps is used up: the whole run ends.
    Budget(Arc<str>),
    /// Something that is not understood: a caller can go on as if the callee could do anything.
    Unsupported(Arc<str>),
}

/// [`Stop::Unsupported`] with a reason.
pub(crate) fn unsupported(what: impl Into<Arc<str>>) -> Stop {
    Stop::Unsupported(what.into())
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Budget(what) | Stop::Unsupported(what) => f.write_str(what),
        }
    }
}
