//! A rewrite rule.

use crate::{Store, TermId};

/// What a term equals, `None` where the rule does not match.
type Rewrite = fn(&mut Store, TermId) -> Option<TermId>;

/// A rewrite rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    rewrite: Rewrite,
}

impl Rule {
    pub(super) const fn new(name: &'static str, rewrite: Rewrite) -> Rule {
        Rule { name, rewrite }
    }

    /// A term equal to `term` that the rule prefers, if it matches.
    pub fn apply(&self, store: &mut Store, term: TermId) -> Option<TermId> {
        (self.rewrite)(store, term)
    }
}
