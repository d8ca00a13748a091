//! What narrowing used of the functions, as lemmas that do not rest on propagation.
//!
//! **Claim.** The assertions with [`Refinement::facts`] have no model where the assertions with [`Refinement::lemmas`] have none, and
//! each of these facts holds of every libm of the image model by itself.
//!
//! **Argument.** Narrowing takes boxes of operands from propagation, which derives them from the assertions and from what was
//! derived before. For each such box there are two facts: operands in it have results in its image; and where the
//! result is in the set that is left of it, the operands are in what [`inverse`] leaves of the box. By induction over the steps, a model of the
//! assertions and these facts has its operands and results in every set of the narrowing, and so satisfies the bounds. Zeros are
//! told apart here, as sets of the narrowing tell them apart.
//!
//! [`inverse`]: crate::domain::project::elementary::inverse

use labrys_float::Float;
use labrys_term::{Op, Store, TermId};

use super::member::{implies, member};
use super::refinement::Refinement;
use crate::domain::FloatDomain;

impl Refinement<'_> {
    /// What of the functions a proof rests on, without the bounds that propagation derived.
    pub(super) fn facts(&mut self) -> Vec<TermId> {
        // Where narrowing itself ends in a contradiction, all lemmas are bounds.
        let pure = self.bounds.unwrap_or(self.lemmas.len());
        let mut facts: Vec<TermId> = self.lemmas.split_off(pure);
        for image in std::mem::take(&mut self.images) {
            let call = &self.calls[image.place];
            let store = &mut *self.store;
            let within = |store: &mut Store, domains: &[FloatDomain]| {
                let members: Vec<TermId> = call
                    .operands
                    .iter()
                    .zip(domains)
                    .map(|(operand, domain)| exactly(store, *operand, domain))
                    .collect();
                store.and(&members)
            };
            let premise = within(store, &image.operands);
            let conclusion = exactly(store, call.variable, &image.of_box);
            facts.push(implies(store, premise, conclusion));
            let result = exactly(store, call.variable, &image.result);
            let premise = store.and(&[premise, result]);
            let conclusion = within(store, &image.after);
            facts.push(implies(store, premise, conclusion));
        }
        facts.retain(|fact| !matches!(self.store.node(*fact).op, Op::BoolConst(true)));
        facts.sort_unstable();
        facts.dedup();
        facts
    }
}

/// That a Float term is a member, zeros told apart.
fn exactly(store: &mut Store, term: TermId, domain: &FloatDomain) -> TermId {
    let is_member = member(store, term, domain);
    // A set without zeros has no run that holds one.
    if domain.minus_zero == domain.plus_zero {
        return is_member;
    }
    let missing = store.float_const(Float::zero(domain.format, domain.plus_zero));
    let is_missing = store.mk(Op::Eq, &[term, missing]);
    let is_other = store.not(is_missing);
    store.and(&[is_member, is_other])
}
