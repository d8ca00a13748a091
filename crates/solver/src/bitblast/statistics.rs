//! What bit-blasting did, in numbers.

use std::time::Duration;

/// Counts of one check, or of all checks of an incremental solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Gates, inputs among them.
    pub gates: u64,
    /// Variables of the clauses.
    pub variables: u64,
    /// Clauses written.
    pub clauses: u64,
    /// Conflicts of CDCL.
    pub conflicts: u64,
    /// Time to translate and to write clauses.
    pub encoding: Duration,
    /// Time in CDCL.
    pub solving: Duration,
}

impl Statistics {
    /// Names and counts, in a fixed order; times in milliseconds.
    pub fn rows(&self) -> Vec<(&'static str, u64)> {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        vec![
            ("bitblast-gates", self.gates),
            ("bitblast-variables", self.variables),
            ("bitblast-clauses", self.clauses),
            ("bitblast-conflicts", self.conflicts),
            ("bitblast-encoding-ms", milliseconds(self.encoding)),
            ("bitblast-solving-ms", milliseconds(self.solving)),
        ]
    }
}
