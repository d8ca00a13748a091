//! A conjunction, and what propagation knows of its terms.

use std::time::Instant;

use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;

use super::equalities;
use super::forward::Forward;
use super::known::Known;
use super::orders;
use super::reading::{Reading, Relaxed};
use crate::conjuncts::{Literal, disjuncts};
use crate::domain::Facts;
use crate::portfolio::Import;
use crate::{Limits, Portfolio, Why};

/// Operations of the largest conjunction that is read.
const MOST_OPERATIONS: usize = 400;

/// Disjunctions of which the cases are looked at one by one, and cases of each.
const MOST_DISJUNCTIONS: usize = 12;
const MOST_CASES: usize = 4;

/// How often orders and choices are looked at that facts decide.
const ROUNDS: usize = 3;

/// A conjunction, and what propagation knows of its terms.
pub struct Measured {
    pub(crate) store: Store,
    pub(crate) assertions: Vec<TermId>,
    pub(crate) known: Known,
}

impl Measured {
    /// The conjunction as a formula over the reals.
    pub(super) fn read(&self, forward: Option<Forward>) -> Option<Relaxed> {
        Reading::read(self, forward, false)
    }

    /// The same with unknown errors that are added to exact results.
    pub(super) fn read_with_errors(&self) -> Option<Relaxed> {
        Reading::read(self, None, true)
    }
}

/// What comes of a look at a conjunction, which takes some milliseconds.
pub enum Relaxing {
    /// What is known of it.
    Done(Box<Measured>),
    /// Propagation refutes it, with what orders of floats say of comparisons, differences and quotients.
    Contradiction,
    /// Nothing in it is read, or too much.
    Unread,
}

/// A conjunction as it is read, or what propagation knows of it already.
pub fn relaxed(store: &Store, terms: &[TermId], solver: &Portfolio, limits: &Limits) -> Relaxing {
    let mut import = Import::default();
    // Before preparation, which makes other conditions of what an array's place is compared with.
    let mut resolved = store.clone();
    let mut terms = equalities::resolved(&mut resolved, terms);
    terms.extend(equalities::complete(&mut resolved, &terms, solver, limits));
    let Ok(mut assertions) = import.prepared(&resolved, &terms, Instant::now().checked_add(limits.wall)) else {
        return Relaxing::Unread;
    };
    let mut store = import.store;
    let mut rounds = 1..=ROUNDS;
    loop {
        let Some(named) = names(&mut store, &assertions) else { return Relaxing::Unread };
        let known = match known(&mut store, &assertions, named, solver, limits) {
            Ok(Some(known)) => known,
            Ok(None) => return Relaxing::Contradiction,
            Err(_) => return Relaxing::Unread,
        };
        let decided = decided(&mut store, &assertions, &known);
        rounds.next();
        if decided == assertions || rounds.is_empty() {
            return Relaxing::Done(Box::new(Measured { store, assertions, known }));
        }
        assertions = decided;
    }
}

/// Variables for terms of which ranges are asked; `None` if nothing is rounded, or there are too many.
fn names(store: &mut Store, assertions: &[TermId]) -> Option<FxHashMap<TermId, TermId>> {
    let measured: Vec<TermId> =
        store.reachable(assertions).into_iter().filter(|term| is_measured(store, *term)).collect();
    let is_rounded = |term: &TermId| {
        let mode = store.node(*term).args.first();
        mode.is_some_and(|mode| *store.sort(*mode) == Sort::RoundingMode)
    };
    if !measured.iter().any(is_rounded) || measured.len() > MOST_OPERATIONS {
        return None;
    }
    let name = |term: TermId| {
        let sort = store.sort(term).clone();
        (term, store.variable(&format!("measured|{}", term.index()), sort))
    };
    Some(measured.into_iter().map(name).collect())
}

/// The conjunction without choices whose conditions are known: it has every model that the given one has.
fn decided(store: &mut Store, assertions: &[TermId], known: &Known) -> Vec<TermId> {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in store.reachable(assertions) {
        let node = store.node(term).clone();
        let args: Vec<TermId> = node.args.iter().map(|arg| done[arg]).collect();
        let chosen = match node.op {
            Op::Ite => known.truth(node.args[0]).map(|is_first| args[if is_first { 1 } else { 2 }]),
            _ => None,
        };
        let is_same = args[..] == node.args[..];
        let new = chosen.unwrap_or_else(|| if is_same { term } else { store.mk(node.op, &args) });
        done.insert(term, new);
    }
    assertions.iter().map(|assertion| done[assertion]).collect()
}

/// What propagation knows, and the orders of floats, and where an assertion is a disjunction what is known of each case: a number is zero, or not too near to it.
/// `None` for a contradiction.
fn known(
    store: &mut Store,
    assertions: &[TermId],
    named: FxHashMap<TermId, TermId>,
    solver: &Portfolio,
    limits: &Limits,
) -> Result<Option<Known>, Why> {
    let mut query = assertions.to_vec();
    let mut names: Vec<(TermId, TermId)> = named.iter().map(|(term, variable)| (*term, *variable)).collect();
    names.sort_unstable();
    query.extend(names.into_iter().map(|(term, variable)| store.mk(Op::Eq, &[variable, term])));
    let Some(facts) = solver.domains(store, &query, limits)? else { return Ok(None) };
    let mut known = Known::new(store, assertions, named, facts);
    let mut count = 0;
    for _ in 0..ROUNDS {
        let ordered = orders::consequences(store, assertions, &known, (solver, limits));
        if ordered.len() <= count {
            break;
        }
        count = ordered.len();
        query.extend(&ordered);
        let Some(found) = solver.domains(store, &query, limits)? else { return Ok(None) };
        known.learn(store, assertions, &found);
    }
    let of_cases =
        |assertion: &TermId| Some(disjuncts(store, *assertion)).filter(|cases| (2..=MOST_CASES).contains(&cases.len()));
    let disjunctions: Vec<Vec<Literal>> = assertions.iter().filter_map(of_cases).take(MOST_DISJUNCTIONS).collect();
    for cases in disjunctions {
        let mut hull: Option<Facts> = None;
        for Literal { term, holds } in cases {
            query.push(if holds { term } else { store.not(term) });
            let found = solver.domains(store, &query, limits)?;
            query.pop();
            hull = match (hull, found) {
                (hull, None) => hull,
                (None, found) => found,
                (Some(hull), Some(found)) => Some(hull.hull(&found)),
            };
        }
        let Some(hull) = hull else { return Ok(None) };
        known.learn(store, assertions, &hull);
    }
    Ok(Some(known))
}

/// Whether a term's range is asked for: floats, and vectors that are chosen or made of floats.
fn is_measured(store: &Store, term: TermId) -> bool {
    let node = store.node(term);
    match node.sort {
        Sort::Float(_) => !matches!(node.op, Op::FloatConst(_)),
        Sort::BitVec(_) => matches!(node.op, Op::FpToSigned(_) | Op::FpToUnsigned(_) | Op::Ite),
        _ => false,
    }
}
