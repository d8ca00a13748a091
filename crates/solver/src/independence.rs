//! Splits a query into parts that share no variable, and asks for each part alone.
//!
//! A conjunction whose parts share no variable is satisfiable exactly when each part is, and the union of the parts'
//! models is a model of the whole. Each part gets the whole query's work and memory limits; the wall limit is shared.

use std::collections::BTreeMap;
use std::time::Instant;

use labrys_term::{Model, Op, Store, TermId, VariableId};

use crate::{Core, FloatOutcome, FloatSolver, Limits, RealModel, RealOutcome, RealSolver, Why};

/// A decorator that asks `S` about each independent part of a query.
#[derive(Debug)]
pub struct Independence<S> {
    inner: S,
}

/// One part: its conjuncts, each with the index of the query's term that it comes from.
type Part = Vec<(usize, TermId)>;

impl<S> Independence<S> {
    /// Splits queries for `inner`.
    pub fn new(inner: S) -> Independence<S> {
        Independence { inner }
    }
}

/// The parts, in the order of their first conjuncts.
fn parts(store: &Store, terms: &[TermId]) -> Vec<Part> {
    let conjuncts = conjuncts(store, terms);
    // Union-find over conjuncts: each variable remembers the first conjunct that mentions it.
    let mut parent: Vec<usize> = (0..conjuncts.len()).collect();
    let mut first_use: BTreeMap<VariableId, usize> = BTreeMap::new();
    for (i, (_, term)) in conjuncts.iter().enumerate() {
        for variable in store.free_variables(&[*term]) {
            let other = root(&mut parent, *first_use.entry(variable).or_insert(i));
            let own = root(&mut parent, i);
            let (low, high) = (own.min(other), own.max(other));
            parent[high] = low;
        }
    }
    let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
    for (i, conjunct) in conjuncts.iter().enumerate() {
        parts.entry(root(&mut parent, i)).or_default().push(*conjunct);
    }
    parts.into_values().collect()
}

/// The conjuncts of `terms`, nested conjunctions taken apart, each with the index of the term it comes from.
fn conjuncts(store: &Store, terms: &[TermId]) -> Part {
    let mut conjuncts = Vec::new();
    for (index, term) in terms.iter().enumerate() {
        let mut pending = vec![*term];
        while let Some(term) = pending.pop() {
            let node = store.node(term);
            match node.op {
                Op::And => pending.extend(node.args.iter().rev().copied()),
                _ => conjuncts.push((index, term)),
            }
        }
    }
    conjuncts
}

fn root(parent: &mut [usize], mut of: usize) -> usize {
    while parent[of] != of {
        parent[of] = parent[parent[of]];
        of = parent[of];
    }
    of
}

fn part_terms(part: &Part) -> Vec<TermId> {
    part.iter().map(|(_, term)| *term).collect()
}

impl<S: RealSolver> RealSolver for Independence<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        let parts = parts(store, terms);
        if parts.len() <= 1 {
            return self.inner.check_once(store, terms, limits);
        }
        let deadline = Instant::now() + limits.wall;
        let (mut model, mut undecided): (RealModel, Option<Why>) = (RealModel::default(), None);
        for part in &parts {
            let limits = Limits { wall: deadline.saturating_duration_since(Instant::now()), ..*limits };
            match self.inner.check_once(store, &part_terms(part), &limits) {
                RealOutcome::NoCandidate => return RealOutcome::NoCandidate,
                RealOutcome::Candidate(of_part) => model.values.extend(of_part.values),
                RealOutcome::Unknown(why) => undecided = undecided.or(Some(why)),
            }
        }
        undecided.map_or(RealOutcome::Candidate(model), RealOutcome::Unknown)
    }
}

impl<S: FloatSolver> FloatSolver for Independence<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let parts = parts(store, terms);
        if parts.len() <= 1 {
            return self.inner.check_once(store, terms, limits);
        }
        let deadline = Instant::now() + limits.wall;
        let (mut model, mut undecided): (Model, Option<Why>) = (Model::new(), None);
        for part in &parts {
            let limits = Limits { wall: deadline.saturating_duration_since(Instant::now()), ..*limits };
            match self.inner.check_once(store, &part_terms(part), &limits) {
                FloatOutcome::Unsat(Core(conjuncts)) => {
                    let mut core: Vec<usize> = conjuncts.into_iter().map(|conjunct| part[conjunct].0).collect();
                    core.sort_unstable();
                    core.dedup();
                    return FloatOutcome::Unsat(Core(core));
                }
                FloatOutcome::Sat(of_part) => {
                    for (variable, value) in of_part.iter() {
                        model.set(variable, value.clone());
                    }
                }
                FloatOutcome::Unknown(why) => undecided = undecided.or(Some(why)),
            }
        }
        undecided.map_or(FloatOutcome::Sat(model), FloatOutcome::Unknown)
    }
}
