//! What is known of a query's calls.

use labrys_term::{Store, TermId};

use super::call::CallTerm;
use crate::domain::FloatDomain;

/// One step of the narrowing of a call.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// Which call.
    pub place: usize,
    /// What propagation had left of its operands.
    pub operands: Vec<FloatDomain>,
    /// The image of that box.
    pub of_box: FloatDomain,
    /// What propagation had left of the result, within the image.
    pub result: FloatDomain,
    /// The operands in the box that have results there.
    pub after: Vec<FloatDomain>,
}

/// What is known of a query's calls so far.
pub(super) struct Refinement<'a> {
    pub store: &'a mut Store,
    pub assertions: &'a [TermId],
    /// Those that the assertions depend on, operands before results.
    pub calls: Vec<CallTerm>,
    pub ulps: u32,
    /// Consequences of the assertions under each libm.
    pub lemmas: Vec<TermId>,
    /// Of these, how many are bounds that propagation has derived from the assertions, once there are others: they come first, and
    /// the others are about the functions alone.
    pub bounds: Option<usize>,
    /// By call, what propagation leaves of its operands.
    pub domains: Vec<Vec<FloatDomain>>,
    /// The images that `bounds` rest on, in the order in which they were used.
    pub images: Vec<Image>,
}

impl Refinement<'_> {
    /// Adds a lemma; whether it is new.
    pub fn add_lemma(&mut self, lemma: TermId) -> bool {
        let is_new = !self.lemmas.contains(&lemma);
        if is_new {
            self.lemmas.push(lemma);
        }
        is_new
    }
}
