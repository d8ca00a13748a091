//! What the expansion of one term gives.

use labrys_term::TermId;

/// What became of a term whose arguments are expanded.
pub(super) enum Outcome {
    /// It is expanded.
    Done(TermId),
    /// It equals a term that must be expanded.
    Again(TermId),
}
