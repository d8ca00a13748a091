//! What an operation yields: a value and the exceptions that it raised.

use crate::{Flags, Float, Format};

/// An operation's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounded {
    /// The rounded result; every NaN is the format's canonical quiet one.
    pub value: Float,
    /// The exceptions raised.
    pub flags: Flags,
}

impl Rounded {
    /// A result that raises nothing.
    pub(crate) fn exact(value: Float) -> Rounded {
        Rounded { value, flags: Flags::empty() }
    }

    /// The answer to an operation without a usefully definable result.
    pub(crate) fn invalid(format: Format) -> Rounded {
        Rounded { value: Float::nan(format), flags: Flags::INVALID }
    }
}
