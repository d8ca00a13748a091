//! Case by case: a conjunction has no model if it has none whichever way its first choices go.
//!
//! A maximum, a clamp or an absolute value is an unknown of its own in a formula, with what follows on either side of its condition; what is computed of it is a product
//! of unknowns, of which nothing is known on the side that matters. Where the side is known there is no choice, and the float is the polynomial that was chosen.

use std::time::Instant;

use labrys_term::{Op, Sort, Store, TermId};

use super::Relaxation;
use super::measured::{Relaxing, relaxed};
use crate::{Limits, Portfolio};

/// Conditions of a conjunction that is looked at case by case, at most.
const MOST_CONDITIONS: usize = 8;

/// The part of the time that one case may take.
const SHARE: u32 = 4;

impl Relaxation {
    /// Whether no case of a conjunction has a model.
    pub(super) fn refutes_cases(
        &mut self,
        store: &Store,
        terms: &[TermId],
        solver: &mut Portfolio,
        limits: &Limits,
    ) -> bool {
        let mut store = store.clone();
        let conditions = conditions(&mut store, terms);
        if conditions.len() > MOST_CONDITIONS {
            return false;
        }
        let mut case = Case { store, terms: terms.to_vec(), begun: Instant::now(), limits: *limits };
        self.refutes_either(&mut case, &conditions, solver)
    }

    /// Whether a case has no model with the first condition, and none without it.
    fn refutes_either(&mut self, case: &mut Case, conditions: &[TermId], solver: &mut Portfolio) -> bool {
        let Some((&condition, others)) = conditions.split_first() else { return false };
        let opposite = case.store.not(condition);
        [condition, opposite].into_iter().all(|side| {
            case.terms.push(side);
            let is_refuted = self.refutes_case(case, solver) || self.refutes_either(case, others, solver);
            case.terms.pop();
            is_refuted
        })
    }

    fn refutes_case(&mut self, case: &Case, solver: &mut Portfolio) -> bool {
        let wall = case.limits.wall.saturating_sub(case.begun.elapsed()).min(case.limits.wall / SHARE);
        if wall.is_zero() {
            return false;
        }
        let limits = &Limits { wall, ..case.limits };
        match relaxed(&case.store, &case.terms, solver, limits) {
            Relaxing::Contradiction => true,
            Relaxing::Unread => false,
            Relaxing::Done(measured) => self.refutes_by_errors(&measured, limits),
        }
    }
}

/// A conjunction with sides of its first conditions.
struct Case {
    store: Store,
    terms: Vec<TermId>,
    begun: Instant,
    limits: Limits,
}

/// What numbers are chosen by, each after those that it hangs on.
fn conditions(store: &mut Store, terms: &[TermId]) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    for term in store.reachable(terms) {
        let node = store.node(term).clone();
        let condition = match (&node.op, &node.sort) {
            (Op::Ite, Sort::Float(_) | Sort::BitVec(_)) => node.args[0],
            (Op::FpAbs, _) => store.mk(Op::FpIsNegative, &[node.args[0]]),
            _ => continue,
        };
        let condition = match &store.node(condition).op {
            Op::Not => store.node(condition).args[0],
            _ => condition,
        };
        let is_said = |term: &TermId| *term == condition || store.node(*term).args.as_slice() == [condition];
        if !found.contains(&condition) && !terms.iter().any(is_said) {
            found.push(condition);
        }
    }
    found
}
