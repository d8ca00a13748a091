//! Refutation by the order of results: operations are variables of which only is known how they are ordered.
//!
//! Whether a product of numbers between ends lies between the products of the ends, a quotient by something larger below 1, or a mean between
//! what it is the mean of, circuits decide by multiplying out. It follows from roundings being monotone. So each float operation becomes a
//! variable, with the range that propagation knows, and with [`lemmas`] about it and about pairs of operations; what is left is
//! comparisons and choices, which engines decide at once. Products are thought of between those that are there. Where that does not do, operations whose circuits are small stay: half of a number, and a number in
//! another format, are known by their bits.
//!
//! **Claim.** [`refutes`] is true only if the conjunction has no model.
//!
//! **Argument.** Terms are prepared one by one, so that each model extends to what preparation adds. Each model of the conjunction then gives one of
//! the abstraction, with the operations' values for the variables, and whether they were rounded: ranges are a
//! superset of the values in any model, and lemmas hold for all operands. So the abstraction has a model if the conjunction has one.
//! Nothing follows from a model of the abstraction.

mod lemmas;

use std::time::Instant;

use labrys_float::{Float, Format};
use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::conjuncts::{Literal, disjuncts};
use crate::elementary::member;
use crate::portfolio::Import;
use crate::{FloatOutcome, FloatSolver, Limits, Portfolio};
use lemmas::Operation;

/// Operations of the largest conjunction that is abstracted.
const MOST_OPERATIONS: usize = 300;

/// Cases of a disjunction that are looked at one by one.
const MOST_CASES: usize = 4;

/// Products between others, at most.
const MOST_BETWEEN: usize = 24;

/// Which operations become variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// All of them.
    All,
    /// Those whose circuits are hard: not products with powers of two, conversions and what is made of bits.
    Hard,
}

/// Whether the conjunction of `terms` has no model for reasons of order; false says nothing.
pub fn refutes(store: &Store, terms: &[TermId], solver: &mut Portfolio, limits: &Limits) -> bool {
    let begun = Instant::now();
    let mut store = store.clone();
    let cases = cases(&mut store, terms);
    cases.iter().all(|terms| {
        let wall = limits.wall.saturating_sub(begun.elapsed());
        refutes_case(&store, terms, solver, &Limits { wall, ..*limits })
    })
}

/// The cases in which the last conjunction of few that is denied does not hold, for that mostly is what is to be shown: each alone has half of the operations.
fn cases(store: &mut Store, terms: &[TermId]) -> Vec<Vec<TermId>> {
    let denied = terms.iter().enumerate().rev().filter(|(_, term)| store.node(**term).op == Op::Not);
    let mut found = denied.map(|(place, term)| (place, disjuncts(store, *term)));
    let Some((place, parts)) = found.find(|(_, parts)| (2..=MOST_CASES).contains(&parts.len())) else {
        return vec![terms.to_vec()];
    };
    let case = |Literal { term, holds }: Literal| {
        let mut case = terms.to_vec();
        case[place] = if holds { term } else { store.not(term) };
        case
    };
    parts.into_iter().map(case).collect()
}

/// The same of a conjunction as it is.
fn refutes_case(store: &Store, terms: &[TermId], solver: &mut Portfolio, limits: &Limits) -> bool {
    let mut import = Import::default();
    let Ok(assertions) = import.prepared(store, terms, Instant::now().checked_add(limits.wall)) else { return false };
    let operations = |depth: Depth| -> Vec<TermId> {
        let store = &import.store;
        store.reachable(&assertions).into_iter().filter(|term| is_operation(store, *term, depth)).collect()
    };
    let (all, hard) = (operations(Depth::All), operations(Depth::Hard));
    if all.is_empty() || all.len() > MOST_OPERATIONS {
        return false;
    }
    let has_halves = all.iter().any(|term| import.store.node(*term).op == Op::FpRem);
    let store = &mut import.store;
    let between = products_between(store, &assertions, &all);
    let begun = Instant::now();
    let left = || Limits { wall: limits.wall.saturating_sub(begun.elapsed()), ..*limits };
    refutes_at(store, &assertions, &[&all[..], &between].concat(), Depth::All, solver, limits)
        || ((hard.len() < all.len() || has_halves)
            && !hard.is_empty()
            && refutes_at(store, &assertions, &hard, Depth::Hard, solver, &left()))
}

/// Products that stand between others: x · v, where x · y and u · v are there, and y is compared with v. That x · y is at most u · v follows from two steps, of one factor each.
fn products_between(store: &mut Store, assertions: &[TermId], operations: &[TermId]) -> Vec<TermId> {
    let mut compared: FxHashSet<[TermId; 2]> = FxHashSet::default();
    for term in store.reachable(assertions) {
        let node = store.node(term);
        if let (Op::FpLt | Op::FpLe | Op::FpEq, &[a, b]) = (&node.op, &node.args[..]) {
            compared.extend([[a, b], [b, a]]);
        }
    }
    let product = |term: &TermId| {
        let node = store.node(*term);
        match (&node.op, &node.args[..]) {
            (Op::FpMul, &[mode, a, b]) => Some([mode, a, b]),
            _ => None,
        }
    };
    let products: Vec<[TermId; 3]> = operations.iter().filter_map(product).collect();
    let mut found: Vec<TermId> = Vec::new();
    for &[mode, a, b] in &products {
        for (x, y) in [(a, b), (b, a)] {
            for &[_, u, v] in &products {
                for v in [u, v].into_iter().filter(|v| compared.contains(&[y, *v])) {
                    let between = store.mk(Op::FpMul, &[mode, x, v]);
                    if !operations.contains(&between) && !found.contains(&between) && found.len() < MOST_BETWEEN {
                        found.push(between);
                    }
                }
            }
        }
    }
    found
}

/// The same with these operations as variables.
fn refutes_at(
    store: &mut Store,
    assertions: &[TermId],
    results: &[TermId],
    depth: Depth,
    solver: &mut Portfolio,
    limits: &Limits,
) -> bool {
    let mut abstraction = Abstraction::default();
    let mut definitions = Vec::new();
    for &result in results {
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
    for &result in results {
        let variable = abstraction.done[&result];
        if let Some(domain) = facts.float(variable) {
            abstracted.push(member(store, variable, domain));
        }
        let node = store.node(result).clone();
        let args = node.args.iter().map(|arg| abstraction.term(store, *arg)).collect();
        let exact = store.variable(&format!("exact|{}", result.index()), Sort::Bool);
        operations.push(Operation { op: node.op, args, result: variable, exact });
    }
    for term in store.reachable(&abstracted) {
        let node = store.node(term).clone();
        if matches!(node.op, Op::FpToSigned(_)) {
            let exact = store.bool_const(false);
            let args = SmallVec::from_slice(&node.args);
            operations.push(Operation { op: node.op, args, result: term, exact });
        }
    }
    abstracted.extend(lemmas::all(store, &operations, depth == Depth::Hard));
    matches!(solver.check_once(store, &abstracted, limits), FloatOutcome::Unsat(_))
}

/// Whether a term becomes a variable.
fn is_operation(store: &Store, term: TermId, depth: Depth) -> bool {
    let node = store.node(term);
    let is_hard = match &node.op {
        _ if !matches!(node.sort, Sort::Float(_)) => return false,
        Op::Variable(_) | Op::FloatConst(_) | Op::Ite | Op::FpNeg | Op::FpAbs | Op::FpMin | Op::FpMax => return false,
        Op::FpFromFloat(_) | Op::FpFromSigned(_) | Op::FpFromUnsigned(_) | Op::FpFromBits(_) => false,
        Op::FpRoundToIntegral => false,
        Op::FpAdd => node.args[1] != node.args[2],
        Op::FpMul => !node.args.iter().any(|arg| match &store.node(*arg).op {
            Op::FloatConst(value) => power_of_two(value).is_some(),
            _ => false,
        }),
        _ => true,
    };
    is_hard || depth == Depth::All
}

/// n where a number is 2^n or its opposite.
fn power_of_two(value: &Float) -> Option<i64> {
    let number = value.abs().to_rational().filter(|_| !value.is_zero())?;
    let is_power = [number.numer(), number.denom()].iter().all(|part| part.magnitude().count_ones() == 1);
    if !is_power {
        return None;
    }
    let exponent = number.numer().magnitude().bits() as i64 - number.denom().magnitude().bits() as i64;
    Some(exponent)
}

/// Whether every number of one format is one of the other, and is written in one way.
fn holds_all(from: Format, to: Format) -> bool {
    !from.has_explicit_leading_bit() && to.holds_all(from)
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
mod query_tests;
#[cfg(test)]
mod tests;
