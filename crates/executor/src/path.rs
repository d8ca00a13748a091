//! What a path of symbolic execution remembers beside its memory: its condition and choices, and the floating-point environment.

use labrys_symex::TermPath;
use labrys_term::TermId;

use crate::FloatEnvironment;

/// The symbolic part of a state. Cloning shares what it can.
#[derive(Clone, Debug)]
pub struct Path {
    /// The path condition, the values chosen for symbols and what they say of integers.
    pub choices: TermPath,
    /// Rounding mode and exception flags.
    pub environment: FloatEnvironment,
}

impl Path {
    /// A path with a condition, in the environment in which programs start: to nearest, no flag raised.
    pub fn new(condition: TermId) -> Path {
        Path { choices: TermPath::new(condition), environment: FloatEnvironment::default() }
    }
}
