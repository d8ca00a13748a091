//! Formulas with planted models, of every width and format: no operator loses the planted values, and no learnt clause excludes
//! them.
//!
//! - `LABRYS_AGREEMENT_COUNT`: formulas of each test; 600 by default.
//! - `LABRYS_AGREEMENT_SEED`: the first formula's seed; 0 by default.

use labrys_formulas::{Formula, Random, Shape, shrink};
use labrys_term::{Evaluator, Model, Store, TermId, Value};

use super::super::places::{self, Set};
use super::super::{IntervalConfig, contract, graph, search};
use crate::domain::{Domain, Facts};
use crate::{Budget, Query};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub(super) fn seeds() -> std::ops::Range<u64> {
    let first = setting("LABRYS_AGREEMENT_SEED", 0);
    first..first + setting("LABRYS_AGREEMENT_COUNT", 600)
}

fn text(formula: &Formula) -> String {
    labrys_term::smtlib::print_script(&formula.store, &formula.assertions, &Default::default())
}

/// Any place up to one, the ends more often.
fn place_to(random: &mut Random, last: u128) -> u128 {
    let any = (0..4).fold(0u128, |bits, _| bits << 32 | random.below(1 << 30) as u128);
    match random.below(4) {
        0 => 0,
        1 => last,
        _ => last.checked_add(1).map_or(any, |count| any % count),
    }
}

/// A random set of values around one.
fn around(top: Domain, place: u128, random: &mut Random) -> Domain {
    let last = places::last_place(&top);
    let mut domain = top;
    for _ in 0..random.below(4) {
        let set = match domain {
            Domain::BitVec(vector) if random.below(2) == 0 => {
                let bit = random.below(vector.width as usize) as u32;
                Set::Bit { place: bit, value: place >> bit & 1 == 1 }
            }
            _ => {
                let near = 1 << random.below(7);
                let (low, high) = match random.below(3) {
                    0 => (place, place),
                    1 => (place.saturating_sub(near), place.saturating_add(near).min(last)),
                    _ => (place - place_to(random, place), place + place_to(random, last - place)),
                };
                Set::Within { low, high }
            }
        };
        domain = places::restricted(&domain, set);
    }
    domain
}

fn holds_place(domain: &Domain, place: u128) -> bool {
    places::meets(domain, Set::Within { low: place, high: place })
}

/// Runs every operator of a formula on random sets around the planted values.
fn operators_keep(formula: &Formula, seed: u64) {
    let (Some(model), facts) = (&formula.model, Facts::default()) else { return };
    let query = Query { store: &formula.store, assertions: &formula.assertions, facts: &facts };
    let graph = graph::Graph::new(&query);
    let mut evaluator = Evaluator::new(&formula.store, model);
    let mut random = Random::new(seed);
    for propagator in &graph.propagators {
        let values: Option<Vec<u128>> = propagator
            .scope
            .iter()
            .map(|var| places::place_of(&evaluator.value(graph.terms[*var as usize]).ok()?))
            .collect();
        let Some(values) = values else { continue };
        for _ in 0..4 {
            let before: Vec<Domain> = propagator
                .scope
                .iter()
                .zip(&values)
                .map(|(var, place)| around(graph.tops[*var as usize], *place, &mut random))
                .collect();
            let mut after = before.clone();
            let outcome = contract::contract(propagator, &mut after, random.below(2) == 0);
            let op = &propagator.op;
            assert!(outcome.is_ok(), "seed {seed}: {op:?} of {values:?} fails on {before:?}");
            for (domain, place) in after.iter().zip(&values) {
                assert!(holds_place(domain, *place), "seed {seed}: {op:?} of {values:?}: {before:?} became {after:?}");
            }
        }
    }
}

#[test]
fn planted_values_are_kept_by_every_operator() {
    for seed in seeds() {
        operators_keep(&Formula::planted(seed, &Shape::guarded()), seed);
    }
}

/// The first clause in force when a search ends that excludes the planted model.
fn excluding(formula: &Formula, seed: u64) -> Option<String> {
    let facts = Facts::default();
    let query = Query { store: &formula.store, assertions: &formula.assertions, facts: &facts };
    let budget = Budget { seed, work: 4_000, ..Budget::unlimited() };
    let model = formula.model.as_ref()?;
    let clauses = search::learnt_clauses(&query, &budget, IntervalConfig::default());
    let excluded = clauses.into_iter().find(|clause| !holds(&formula.store, model, clause));
    excluded.map(|clause| format!("{clause:?}"))
}

fn holds(store: &Store, model: &Model, clause: &[(TermId, Set)]) -> bool {
    let mut evaluator = Evaluator::new(store, model);
    clause.iter().any(|(term, set)| {
        let value: Option<Value> = evaluator.value(*term).ok();
        let (Some(place), Some(top)) =
            (value.and_then(|value| places::place_of(&value)), graph::top(store.sort(*term)))
        else {
            return true;
        };
        places::meets(&places::restricted(&top, Set::Within { low: place, high: place }), *set)
    })
}

#[test]
fn planted_models_satisfy_every_learnt_clause() {
    for seed in seeds() {
        let formula = Formula::planted(seed, &Shape::guarded());
        if excluding(&formula, seed).is_some() {
            let small = shrink(&formula, |formula| excluding(formula, seed).is_some());
            panic!("seed {seed}: {:?}\n{}", excluding(&small, seed), text(&small));
        }
    }
}

#[test]
fn planted_values_of_few_bits_are_kept_and_learnt_clauses_hold() {
    for seed in seeds() {
        let formula = Formula::planted(seed, &Shape::tiny());
        operators_keep(&formula, seed);
        assert_eq!(excluding(&formula, seed), None, "seed {seed}\n{}", text(&formula));
    }
}
