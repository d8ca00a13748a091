//! Lemmas about results and operands together, which boxes do not say.
//!
//! hypot(x, y) with a zero is the other operand's magnitude (C, annex F.10.4.3); with any other it is, before rounding, at least either magnitude, so
//! that a result at most so many floats from the correctly rounded one lies at most as many below. Encodings of positive
//! numbers are in their order, infinity behind the last.

use labrys_elementary::Function;
use labrys_term::{Op, TermId};

use super::member::implies;
use super::refinement::Refinement;

impl Refinement<'_> {
    /// The lemmas of a call.
    pub(super) fn add_relations(&mut self, place: usize) {
        let call = self.calls[place].clone();
        if let (Function::Hypot, &[x, y]) = (call.function, &call.operands[..]) {
            for (one, other) in [(x, y), (y, x)] {
                self.add_side(call.variable, one, other);
            }
        }
    }

    /// hypot's result by one operand, if the other one is no NaN.
    fn add_side(&mut self, result: TermId, one: TermId, other: TermId) {
        let store = &mut *self.store;
        let Some(format) = store.float_format(result) else { return };
        let is_number = [one, other].map(|operand| {
            let is_nan = store.mk(Op::FpIsNan, &[operand]);
            store.not(is_nan)
        });
        let is_number = store.and(&is_number);
        let (size, zero) = (store.mk(Op::FpAbs, &[one]), store.mk(Op::FpIsZero, &[other]));
        let equal = store.mk(Op::FpEq, &[result, size]);
        let premise = store.and(&[is_number, zero]);
        let same = implies(store, premise, equal);
        self.add_lemma(same);
        if format.has_explicit_leading_bit() {
            return;
        }
        let store = &mut *self.store;
        let ulps = store.bv_const(format.width(), Function::Hypot.steps(self.ulps));
        let [low, high] = [size, result].map(|term| store.mk(Op::FpToBits, &[term]));
        let above = store.mk(Op::BvAdd, &[high, ulps]);
        let conclusion = store.mk(Op::BvUle, &[low, above]);
        let near = implies(store, is_number, conclusion);
        self.add_lemma(near);
    }
}
