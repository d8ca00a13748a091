//! Why an assumption was not understood.

use std::fmt;

/// Why an assumption was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumeError {
    /// The option that it was given with.
    pub(super) option: &'static str,
    pub(super) text: String,
    /// Offset in bytes at which it went wrong.
    pub(super) position: usize,
    pub(super) expected: String,
}

impl fmt::Display for AssumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.text[..self.position].chars().count() + 1;
        write!(f, "{} \"{}\": column {column}: expected {}", self.option, self.text, self.expected)
    }
}

impl std::error::Error for AssumeError {}
