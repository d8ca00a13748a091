//! Which steps are taken, and how often those that feed each other.

use std::time::Instant;

/// Which steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrepareConfig {
    /// Rewrite terms by the rules of `labrys_term::Simplifier`.
    pub rewrite: bool,
    /// Use conjuncts that say what a variable or another term is in the other conjuncts.
    pub substitute: bool,
    /// Remove variables that occur once, where that says nothing of the rest.
    pub unconstrained: bool,
    /// Replace floats that are only compared by short words.
    pub order: bool,
    /// From then on nothing is done that could be left undone.
    pub until: Option<Instant>,
}

impl PrepareConfig {
    /// Whether the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Only what makes queries ones of the engines' language: their variables stay, but for arrays.
    pub fn required() -> PrepareConfig {
        PrepareConfig { rewrite: false, substitute: false, unconstrained: false, order: false, until: None }
    }
}

impl Default for PrepareConfig {
    /// Everything.
    fn default() -> PrepareConfig {
        PrepareConfig { rewrite: true, substitute: true, unconstrained: true, order: true, until: None }
    }
}

/// How many terms all rounds after the first may visit, in multiples of the first one's, and beside: large queries gain
/// little in late rounds, and a second is dear.
pub(super) const MOST_VISITS: (usize, usize) = (2, 200_000);
