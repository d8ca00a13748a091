//! Refutation by the order of results: operations are variables of which only is known how they are ordered.
//!
//! Whether a product of numbers between ends lies between the products of the ends, a quotient by something larger below 1, or a mean between
//! what it is the mean of, circuits decide by multiplying out. It follows from roundings being monotone. So each float operation becomes a
//! variable, with the range that propagation knows, and with [`lemmas`] about it and about pairs of operations; what is left is
//! comparisons and choices, which engines decide at once.
//!
//! **Claim.** [`refutes`] is true only if the conjunction has no model.
//!
//! **Argument.** Each model of the conjunction gives one of the abstraction, with the operations' values for the variables: ranges are a
//! superset of the values in any model, and lemmas hold for all operands. So the abstraction has a model if the conjunction has one.
//! Nothing follows from a model of the abstraction.

mod lemmas;

use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::elementary::member;
use crate::portfolio::Import;
use crate::{FloatOutcome, FloatSolver, Limits, Portfolio};
use lemmas::Operation;

/// Operations of the largest conjunction that is abstracted.
const MOST_OPERATIONS: usize = 300;

/// Whether the conjunction of `terms` has no model for reasons of order; false says nothing.
pub fn refutes(store: &Store, terms: &[TermId], solver: &mut Portfolio, limits: &Limits) -> bool {
    let mut import = Import::default();
    let assertions = import.copy(store, terms);
    let store = &mut import.store;
    let mut abstraction = Abstraction::default();
    let results: Vec<TermId> =
        store.reachable(&assertions).into_iter().filter(|term| is_operation(store, *term)).collect();
    if results.is_empty() || results.len() > MOST_OPERATIONS {
        return false;
    }
    let mut definitions = Vec::new();
    for &result in &results {
        let sort = store.sort(result).clone();
        let variable = store.variable(&format!("result|{}", result.index()), sort);
        definitions.push(store.mk(Op::Eq, &[variable, result]));
        abstraction.done.insert(result, variable);
    }
    let query: Vec<TermId> = assertions.iter().chain(&definitions).copied().collect();
    let facts = match solver.domains(store, &query, limits) {
        Ok(Some(facts)) => facts,
        Ok(None) => return true,
        Err(_) => return false,
    };
    let mut abstracted: Vec<TermId> = assertions.iter().map(|term| abstraction.term(store, *term)).collect();
    let mut operations = Vec::new();
    for result in results {
        let variable = abstraction.done[&result];
        if let Some(domain) = facts.float(variable) {
            abstracted.push(member(store, variable, domain));
        }
        let node = store.node(result).clone();
        let args = node.args.iter().map(|arg| abstraction.term(store, *arg)).collect();
        operations.push(Operation { op: node.op, args, result: variable });
    }
    abstracted.extend(lemmas::all(store, &operations));
    matches!(solver.check_once(store, &abstracted, limits), FloatOutcome::Unsat(_))
}

/// Whether a term becomes a variable.
fn is_operation(store: &Store, term: TermId) -> bool {
    matches!(store.sort(term), Sort::Float(_))
        && !matches!(store.node(term).op, Op::Variable(_) | Op::FloatConst(_) | Op::Ite | Op::FpNeg | Op::FpAbs)
}

/// Terms with variables in the place of operations.
#[derive(Default)]
struct Abstraction {
    done: FxHashMap<TermId, TermId>,
}

impl Abstraction {
    fn term(&mut self, store: &mut Store, root: TermId) -> TermId {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if self.done.contains_key(&term) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            pending.extend(store.node(term).args.iter().filter(|arg| !self.done.contains_key(arg)));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let node = store.node(term).clone();
            let args: SmallVec<[TermId; 4]> = node.args.iter().map(|arg| self.done[arg]).collect();
            let built = if args[..] == node.args[..] { term } else { store.mk(node.op, &args) };
            self.done.insert(term, built);
        }
        self.done[&root]
    }
}

#[cfg(test)]
mod tests;
