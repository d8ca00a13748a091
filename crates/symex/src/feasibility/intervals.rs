//! The oracle, path by path.

use std::sync::Arc;

use labrys_program::FloatCall;
use labrys_solver::domain::FloatDomain;
use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashMap;

use super::known::{Call, Known};
use super::narrow::{Effort, Narrowing};
use crate::{Feasibility, LibraryCall};

/// Paths remembered; a path that was forgotten is narrowed anew from its start.
const REMEMBERED: usize = 2048;

/// The oracle.
#[derive(Debug, Default)]
pub struct Intervals {
    /// How far libm's results may be from the correctly rounded ones, where not as far as each function's documentation
    /// says.
    ulps: Option<u32>,
    inputs: Arc<Known>,
    effort: Effort,
    /// What is known under path conditions; `None` where nothing satisfies them.
    paths: FxHashMap<TermId, Option<Arc<Known>>>,
    /// Results of library functions by their variables.
    calls: FxHashMap<TermId, Call>,
}

impl Intervals {
    /// An oracle for inputs of these sets; others may be anything.
    pub fn new(inputs: impl IntoIterator<Item = (TermId, FloatDomain)>) -> Intervals {
        Intervals { inputs: Arc::new(inputs.into_iter().collect()), ..Intervals::default() }
    }

    /// The same for a libm whose results are within `ulps` floats of the correctly rounded ones, all of them.
    pub fn with_libm_ulps(self, ulps: u32) -> Intervals {
        Intervals { ulps: Some(ulps), ..self }
    }

    /// The same, looking `depth` steps into conditions, and at no more than so many of their terms. By default few: it is
    /// asked at every branch.
    pub fn looking_into(self, depth: u32, terms: usize) -> Intervals {
        Intervals { effort: Effort { depth, terms, ..self.effort }, ..self }
    }

    /// What is known under a path condition.
    fn under(&mut self, store: &Store, path: TermId) -> Option<Arc<Known>> {
        // Conditions are conjunctions that grow to the right.
        let (mut pending, mut prefix) = (Vec::new(), path);
        let mut known = loop {
            if let Some(known) = self.paths.get(&prefix) {
                break known.clone();
            }
            let node = store.node(prefix);
            match (&node.op, node.args.as_slice()) {
                (Op::And, &[before, last]) => {
                    pending.push((prefix, last));
                    prefix = before;
                }
                _ => {
                    pending.push((prefix, prefix));
                    break Some(self.inputs.clone());
                }
            }
        };
        // Each condition has the whole effort, and what paths share is narrowed once.
        for (prefix, condition) in pending.into_iter().rev() {
            if let Some(sets) = &mut known
                && !Narrowing::new(store, &self.calls, self.effort, Arc::make_mut(sets)).assume(condition, true)
            {
                known = None;
            }
            if self.paths.len() >= REMEMBERED {
                self.paths.clear();
            }
            self.paths.insert(prefix, known.clone());
        }
        known
    }
}

impl Feasibility for Intervals {
    fn rules_out(&mut self, store: &mut Store, path: TermId, condition: TermId) -> bool {
        let Some(known) = self.under(store, path) else { return true };
        let mut known = Known::clone(&known);
        !Narrowing::new(store, &self.calls, self.effort, &mut known).assume(condition, true)
    }

    fn learn(&mut self, call: &LibraryCall) {
        if let FloatCall::Elementary(function) = call.call
            && function.arity() == call.operands.len()
        {
            let ulps = self.ulps.unwrap_or(function.ulps());
            self.calls.insert(call.variable, Call { function, operands: call.operands.clone(), ulps });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_elementary::Function;
    use labrys_float::{Float, Format, RoundingMode};
    use labrys_term::Sort;

    struct Subject {
        store: Store,
        oracle: Intervals,
        path: TermId,
    }

    impl Subject {
        fn number(&mut self, value: f64) -> TermId {
            self.store.float_const(Float::from_f64(value))
        }

        fn less(&mut self, a: TermId, b: TermId) -> TermId {
            self.store.mk(Op::FpLt, &[a, b])
        }

        fn assume(&mut self, condition: TermId) {
            self.path = self.store.and(&[self.path, condition]);
        }

        fn rules_out(&mut self, condition: TermId) -> bool {
            self.oracle.rules_out(&mut self.store, self.path, condition)
        }
    }

    fn subject() -> (Subject, TermId) {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Float(Format::BINARY64));
        let path = store.bool_const(true);
        (Subject { store, oracle: Intervals::default(), path }, x)
    }

    #[test]
    fn comparisons_of_one_term_exclude_each_other() {
        let (mut it, x) = subject();
        let (one, two) = (it.number(1.0), it.number(2.0));
        let small = it.less(x, one);
        it.assume(small);
        let large = it.less(two, x);
        assert!(it.rules_out(large));
        let not_large = it.store.not(large);
        assert!(!it.rules_out(not_large));
        // x < 1 leaves no NaN.
        let nan = it.store.mk(Op::FpIsNan, &[x]);
        assert!(it.rules_out(nan));
    }

    #[test]
    fn operands_are_narrowed_and_results_computed() {
        let (mut it, x) = subject();
        let (five, limit) = (it.number(5.0), it.number(25.5));
        let size = it.store.mk(Op::FpAbs, &[x]);
        let small = it.less(size, five);
        it.assume(small);
        let mode = it.store.rounding_mode(RoundingMode::NearestEven);
        let square = it.store.mk(Op::FpMul, &[mode, x, x]);
        let beyond = it.less(limit, square);
        assert!(it.rules_out(beyond));
        let four = it.number(4.0);
        let possible = it.less(four, square);
        assert!(!it.rules_out(possible));
    }

    #[test]
    fn converted_floats_are_bounded_integers() {
        let (mut it, x) = subject();
        let (zero, limit) = (it.number(0.0), it.number(17.9));
        let (above, below) = (it.less(zero, x), it.less(x, limit));
        it.assume(above);
        it.assume(below);
        let mode = it.store.rounding_mode(RoundingMode::TowardZero);
        let n = it.store.mk(Op::FpToSigned(32), &[mode, x]);
        let (least, most) = (it.store.bv_const(32, 0u8), it.store.bv_const(32, 17u8));
        let outside = [it.store.mk(Op::BvSlt, &[n, least]), it.store.mk(Op::BvSlt, &[most, n])];
        let inside = outside.map(|bit| it.store.not(bit));
        assert!(outside.into_iter().all(|outside| it.rules_out(outside)));
        assert!(inside.into_iter().all(|inside| !it.rules_out(inside)));
        let all = it.store.and(&inside);
        let none = it.store.not(all);
        assert!(it.rules_out(none));
    }

    #[test]
    fn a_whole_number_above_a_half_is_at_least_one() {
        let (mut it, x) = subject();
        let (half, limit) = (it.number(0.5), it.number(171.0));
        let small = it.less(x, half);
        let at_least = it.store.not(small);
        let at_most = it.store.mk(Op::FpLe, &[x, limit]);
        let down = it.store.rounding_mode(RoundingMode::TowardNegative);
        let floor = it.store.mk(Op::FpRoundToIntegral, &[down, x]);
        let is_whole = it.store.mk(Op::FpEq, &[x, floor]);
        for condition in [at_least, at_most, is_whole] {
            assert!(!it.rules_out(condition));
            it.assume(condition);
        }
        let mode = it.store.rounding_mode(RoundingMode::TowardZero);
        let n = it.store.mk(Op::FpToSigned(32), &[mode, floor]);
        let (least, most) = (it.store.bv_const(32, 1u8), it.store.bv_const(32, 171u8));
        let outside = [it.store.mk(Op::BvSlt, &[n, least]), it.store.mk(Op::BvSlt, &[most, n])];
        assert!(outside.into_iter().all(|outside| it.rules_out(outside)));
        let before = it.store.mk(Op::BvSub, &[n, least]);
        let (zero, last) = (it.store.bv_const(32, 0u8), it.store.bv_const(32, 170u8));
        let outside = [it.store.mk(Op::BvSlt, &[before, zero]), it.store.mk(Op::BvSlt, &[last, before])];
        assert!(outside.into_iter().all(|outside| it.rules_out(outside)));
        let middle = it.store.mk(Op::BvSlt, &[before, most]);
        assert!(!it.rules_out(middle));
    }

    #[test]
    fn disjunctions_and_library_functions_count() {
        let (mut it, x) = subject();
        let e = it.store.variable("exp!0", Sort::Float(Format::BINARY64));
        it.oracle.learn(&LibraryCall {
            variable: e,
            call: FloatCall::Elementary(Function::Exp),
            operands: vec![x],
            fact: None,
            location: None,
        });
        let (zero, three) = (it.number(0.0), it.number(3.0));
        let negative = it.less(x, zero);
        it.assume(negative);
        let large = it.less(three, e);
        let positive = it.less(zero, x);
        let either = it.store.or(&[large, positive]);
        assert!(it.rules_out(either));
    }
}
