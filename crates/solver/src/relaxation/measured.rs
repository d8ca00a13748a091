//! A conjunction, and what propagation knows of its terms.

use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;

use super::floats::{bounds_of, is_finite};
use super::forward::Forward;
use super::orders;
use super::reading::{Reading, Relaxed};
use super::unknowns::Bounds;
use crate::domain::{Facts, FloatDomain};
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
pub(crate) struct Measured {
    pub store: Store,
    pub assertions: Vec<TermId>,
    /// Terms and variables that are equal to them, of which there are facts.
    pub named: Vec<(TermId, TermId)>,
    pub facts: Facts,
    /// Truth values that are the same in all models.
    pub truths: FxHashMap<TermId, bool>,
}

impl Measured {
    /// The conjunction as a formula over the reals.
    pub(super) fn read(&self, forward: Option<Forward>) -> Option<Relaxed> {
        Reading::read(self, forward)
    }
}

/// What comes of a conjunction.
pub(super) enum Relaxing {
    Done(Box<Measured>),
    /// Propagation refutes it.
    Contradiction,
    /// Nothing in it is read, or too much.
    Unread,
}

/// A conjunction as it is read, or what propagation knows of it already.
pub(super) fn relaxed(store: &Store, terms: &[TermId], solver: &Portfolio, limits: &Limits) -> Relaxing {
    let mut import = Import::default();
    let Ok(mut assertions) = import.prepared(store, terms) else { return Relaxing::Unread };
    let mut store = import.store;
    for _ in 0..ROUNDS {
        let Some(named) = names(&mut store, &assertions) else { return Relaxing::Unread };
        let mut query = assertions.clone();
        query.extend(named.iter().map(|(term, variable)| store.mk(Op::Eq, &[*variable, *term])));
        let facts = match facts(&mut store, &mut query, &assertions, &named, solver, limits) {
            Ok(Some(facts)) => facts,
            Ok(None) => return Relaxing::Contradiction,
            Err(_) => return Relaxing::Unread,
        };
        let truths = truths(&store, &assertions, &named, &facts);
        let decided = decided(&mut store, &assertions, &truths);
        if decided == assertions {
            return Relaxing::Done(Box::new(Measured { store, assertions, named, facts, truths }));
        }
        assertions = decided;
    }
    Relaxing::Unread
}

/// Variables for terms of which ranges are asked; `None` if nothing is rounded, or there are too many.
fn names(store: &mut Store, assertions: &[TermId]) -> Option<Vec<(TermId, TermId)>> {
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

/// Truth values that are the same in all models: what propagation knows, what is asserted, what ranges of floats decide, and what follows of these.
fn truths(store: &Store, assertions: &[TermId], named: &[(TermId, TermId)], facts: &Facts) -> FxHashMap<TermId, bool> {
    let mut known: FxHashMap<TermId, bool> = FxHashMap::default();
    let mut pending: Vec<(TermId, bool)> = assertions.iter().map(|assertion| (*assertion, true)).collect();
    while let Some((term, holds)) = pending.pop() {
        let node = store.node(term);
        known.insert(term, holds);
        match (&node.op, holds) {
            (Op::Not, _) => pending.push((node.args[0], !holds)),
            (Op::And, true) | (Op::Or, false) => pending.extend(node.args.iter().map(|arg| (*arg, holds))),
            _ => {}
        }
    }
    let named: FxHashMap<TermId, TermId> = named.iter().copied().collect();
    let bounds = |term: TermId| {
        let domain = match &store.node(term).op {
            Op::FloatConst(value) => FloatDomain::only(value),
            _ => *facts.float(*named.get(&term)?)?,
        };
        is_finite(&domain).then(|| bounds_of(&domain))
    };
    let compared = |op: &Op, [a, b]: [TermId; 2]| {
        let (Bounds { low: Some(a_low), high: Some(a_high) }, Bounds { low: Some(b_low), high: Some(b_high) }) =
            (bounds(a)?, bounds(b)?)
        else {
            return None;
        };
        match op {
            Op::FpLt if a_high < b_low => Some(true),
            Op::FpLt if b_high <= a_low => Some(false),
            Op::FpLe if a_high <= b_low => Some(true),
            Op::FpLe if b_high < a_low => Some(false),
            Op::FpEq if a_high < b_low || b_high < a_low => Some(false),
            _ => None,
        }
    };
    for term in store.reachable(assertions).into_iter().filter(|term| *store.sort(*term) == Sort::Bool) {
        if known.contains_key(&term) {
            continue;
        }
        let node = store.node(term);
        let of = |arg: &TermId| known.get(arg).copied();
        let truth = facts.truth(term).or_else(|| match (&node.op, &node.args[..]) {
            (Op::BoolConst(value), _) => Some(*value),
            (Op::Not, [arg]) => of(arg).map(|value| !value),
            (Op::And, args) if args.iter().any(|arg| of(arg) == Some(false)) => Some(false),
            (Op::And, args) if args.iter().all(|arg| of(arg) == Some(true)) => Some(true),
            (Op::Or, args) if args.iter().any(|arg| of(arg) == Some(true)) => Some(true),
            (Op::Or, args) if args.iter().all(|arg| of(arg) == Some(false)) => Some(false),
            (Op::FpLt | Op::FpLe | Op::FpEq, &[a, b]) => compared(&node.op, [a, b]),
            (Op::FpIsNan | Op::FpIsInfinite, &[a]) => bounds(a).map(|_| false),
            _ => None,
        });
        if let Some(truth) = truth {
            known.insert(term, truth);
        }
    }
    known
}

/// The conjunction without choices whose conditions are known: it has every model that the given one has.
fn decided(store: &mut Store, assertions: &[TermId], truths: &FxHashMap<TermId, bool>) -> Vec<TermId> {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in store.reachable(assertions) {
        let node = store.node(term).clone();
        let args: Vec<TermId> = node.args.iter().map(|arg| done[arg]).collect();
        let chosen = match node.op {
            Op::Ite => truths.get(&node.args[0]).map(|is_first| args[if *is_first { 1 } else { 2 }]),
            _ => None,
        };
        let is_same = args[..] == node.args[..];
        let new = chosen.unwrap_or_else(|| if is_same { term } else { store.mk(node.op, &args) });
        done.insert(term, new);
    }
    assertions.iter().map(|assertion| done[assertion]).collect()
}

/// What propagation knows, and where an assertion is a disjunction what it knows of each case: a number is zero, or not too near to it.
fn facts(
    store: &mut Store,
    query: &mut Vec<TermId>,
    assertions: &[TermId],
    named: &[(TermId, TermId)],
    solver: &Portfolio,
    limits: &Limits,
) -> Result<Option<Facts>, Why> {
    let Some(mut facts) = solver.domains(store, query, limits)? else { return Ok(None) };
    let mut known = 0;
    for _ in 0..ROUNDS {
        let truths = truths(store, assertions, named, &facts);
        let ordered = orders::consequences(store, assertions, named, &facts, &truths);
        if ordered.len() <= known {
            break;
        }
        known = ordered.len();
        query.extend(&ordered);
        let Some(found) = solver.domains(store, query, limits)? else { return Ok(None) };
        facts.intersect(&found);
    }
    let of_cases =
        |assertion: &TermId| Some(cases(store, *assertion)).filter(|cases| (2..=MOST_CASES).contains(&cases.len()));
    let disjunctions: Vec<Vec<(TermId, bool)>> =
        assertions.iter().filter_map(of_cases).take(MOST_DISJUNCTIONS).collect();
    for cases in disjunctions {
        let mut hull: Option<Facts> = None;
        for (case, holds) in cases {
            query.push(if holds { case } else { store.not(case) });
            let found = solver.domains(store, query, limits)?;
            query.pop();
            hull = match (hull, found) {
                (hull, None) => hull,
                (None, found) => found,
                (Some(hull), Some(found)) => Some(hull.hull(&found)),
            };
        }
        let Some(hull) = hull else { return Ok(None) };
        facts.intersect(&hull);
    }
    Ok(Some(facts))
}

/// The cases of a disjunction, each with whether it holds or its negation.
fn cases(store: &Store, assertion: TermId) -> Vec<(TermId, bool)> {
    let mut found = Vec::new();
    let mut pending = vec![(assertion, true)];
    while let Some((term, holds)) = pending.pop() {
        let node = store.node(term);
        match (&node.op, holds) {
            (Op::Not, _) => pending.push((node.args[0], !holds)),
            (Op::Or, true) | (Op::And, false) => pending.extend(node.args.iter().map(|arg| (*arg, holds))),
            _ => found.push((term, holds)),
        }
    }
    found
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
