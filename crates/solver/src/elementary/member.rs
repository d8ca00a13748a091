//! Sets of floats as terms.

use labrys_term::{Op, Store, TermId};

use crate::domain::FloatDomain;

/// That a Float term is a member. The two zeros are not told apart: either stands for both.
pub(crate) fn member(store: &mut Store, term: TermId, domain: &FloatDomain) -> TermId {
    let mut cases = Vec::new();
    let runs = domain.runs();
    for (low, high) in runs.as_slice() {
        cases.push(within(store, term, &domain.at_rank(*low), &domain.at_rank(*high)));
    }
    if domain.nan {
        cases.push(store.mk(Op::FpIsNan, &[term]));
    }
    store.or(&cases)
}

fn within(store: &mut Store, term: TermId, low: &labrys_float::Float, high: &labrys_float::Float) -> TermId {
    let low = store.float_const(low.clone());
    let high = store.float_const(high.clone());
    let parts = [store.mk(Op::FpLe, &[low, term]), store.mk(Op::FpLe, &[term, high])];
    store.and(&parts)
}

/// The set with both zeros where it has one.
pub(super) fn with_both_zeros(mut domain: FloatDomain) -> FloatDomain {
    let zero = domain.minus_zero || domain.plus_zero;
    (domain.minus_zero, domain.plus_zero) = (zero, zero);
    domain
}

/// if `premise` then `conclusion`.
pub(super) fn implies(store: &mut Store, premise: TermId, conclusion: TermId) -> TermId {
    let not = store.not(premise);
    store.or(&[not, conclusion])
}
