//! The steps of preparation, one after the other.

use std::time::Instant;

use labrys_term::{Op, Simplifier, Store, TermId};

use super::config::{MOST_VISITS, PrepareConfig};
use super::conjunction::conjunction;
use super::expand::Expansion;
use super::polynomial::Polynomials;
use super::reconstruct::{Reconstruction, Step};
use super::substitute::{Scope, substitute};
use super::zero_sign::{self, Unseen};
use super::{early, equal_floats, order, unconstrained};

/// A conjunction in the engines' language.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// Its conjuncts.
    pub assertions: Vec<TermId>,
    /// Whether it is satisfiable, where preparation has found out: then every (or no) model is one of it.
    pub decided: Option<bool>,
    /// The way of its models back to the original conjunction.
    pub reconstruction: Reconstruction,
    /// What part of the original conjunction has no place in the engines' language; then the rest says nothing.
    pub unsupported: Option<String>,
}

/// How often the steps that feed each other are repeated at most.
const MOST_ROUNDS: usize = 16;

/// Prepares the conjunction of `assertions`.
pub fn prepare(store: &mut Store, assertions: &[TermId], config: &PrepareConfig) -> Prepared {
    let mut before = Vec::new();
    let mut given = conjunction(store, assertions);
    let mut unseen = Unseen::default();
    if config.substitute {
        if let Some(without) = substitute(store, &given, Scope::Definitions, &mut before) {
            given = conjunction(store, &without);
        }
        if config.rewrite {
            given = early::settled(store, given, &mut before);
        }
        unseen = zero_sign::unseen(store, &given);
    }
    let mut prepared = prepare_with(store, &given, config, unseen.clone());
    if !zero_sign::is_unseen(store, &prepared.assertions, &unseen) {
        prepared = prepare_with(store, &given, config, Unseen::default());
    }
    prepared.reconstruction.before = before;
    prepared
}

/// Prepares a conjunction, with these minima and maxima giving either zero.
fn prepare_with(store: &mut Store, given: &[TermId], config: &PrepareConfig, unseen: Unseen) -> Prepared {
    let mut state = State::new(*config);
    state.expansion = Expansion::with_unseen(unseen);
    let mut conjuncts = Vec::with_capacity(given.len());
    for &assertion in given {
        match prepare_term(store, &mut state, assertion) {
            Ok(term) => {
                conjuncts.push(term.term);
                conjuncts.extend(term.constraints);
            }
            Err(unsupported) => return Prepared { unsupported: Some(unsupported), ..Prepared::default() },
        }
    }
    let mut after = Vec::new();
    let mut assertions = simplified(store, &mut state, &conjuncts, &mut after);
    if config.order
        && !config.is_over()
        && let Some(next) = order::abstracted(store, &assertions, &mut state.count, &mut after)
    {
        assertions = simplified(store, &mut state, &next, &mut after);
    }
    let decided = match assertions[..] {
        [] => Some(true),
        [only] if store.node(only).op == Op::BoolConst(false) => Some(false),
        _ => None,
    };
    let reconstruction = Reconstruction { after, ..state.reconstruction() };
    Prepared { assertions, decided, reconstruction, unsupported: None }
}

/// The steps on a whole conjunction in the engines' language, until they have nothing more to do.
fn simplified(store: &mut Store, state: &mut State, conjuncts: &[TermId], steps: &mut Vec<Step>) -> Vec<TermId> {
    let config = state.config;
    let mut current = conjunction(store, conjuncts);
    let mut polynomials = Polynomials::new();
    let mut visits = None;
    for _ in 0..MOST_ROUNDS {
        let mut changed = false;
        if config.is_over() {
            break;
        }
        if config.substitute
            && let Some(next) = equal_floats::identified(store, &current)
        {
            current = conjunction(store, &next);
            changed = true;
        }
        if config.substitute
            && let Some(next) = substitute(store, &current, Scope::All, steps)
        {
            current = next;
            changed = true;
        }
        if config.rewrite && !config.is_over() {
            let next: Vec<TermId> = current.iter().map(|&term| state.simplifier.term(store, term)).collect();
            let next = conjunction(store, &next);
            changed |= next != current;
            current = next;
            if let Some(next) = polynomials.simplify(store, &current) {
                current = conjunction(store, &next);
                changed = true;
            }
        }
        if config.unconstrained
            && !config.is_over()
            && let Some(next) = unconstrained::eliminate(store, &current, &mut state.count, steps)
        {
            current = conjunction(store, &next);
            changed = true;
        }
        let size = store.reachable(&current).len();
        let left = match visits {
            None => Some(MOST_VISITS.0 * size + MOST_VISITS.1),
            Some(left) => usize::checked_sub(left, size),
        };
        visits = left;
        if !changed || left.is_none() {
            break;
        }
    }
    conjunction(store, &current)
}

/// What preparing one term after the other remembers.
#[derive(Clone, Debug)]
pub struct State {
    config: PrepareConfig,
    expansion: Expansion,
    simplifier: Simplifier,
    /// How many variables have been added by steps on the whole conjunction.
    count: usize,
}

impl State {
    /// Nothing has been prepared.
    pub fn new(config: PrepareConfig) -> State {
        let mut state = State { config, expansion: Expansion::default(), simplifier: Simplifier::new(), count: 0 };
        state.stop_at(config.until);
        state
    }

    /// From `until` on nothing is done that could be left undone.
    pub fn stop_at(&mut self, until: Option<Instant>) {
        self.config.until = until;
        self.simplifier.stop_at(until);
    }

    /// The way back to the originals for models of everything that was prepared so far, with all its constraints.
    pub fn reconstruction(&self) -> Reconstruction {
        self.expansion.reconstruction()
    }
}

/// A term in the engines' language.
#[derive(Clone, Debug)]
pub struct PreparedTerm {
    /// The term. It equals the original in each model of the constraints of all terms prepared so far.
    pub term: TermId,
    /// Constraints over variables that preparation has added; each model of everything else extends to them, so that
    /// they can be asserted for ever, whatever becomes of the term.
    pub constraints: Vec<TermId>,
}

/// Prepares one term, by steps that hold whatever else is asserted: for push and pop, and for assumptions.
///
/// # Errors
///
/// What part of the term has no place in the engines' language.
pub fn prepare_term(store: &mut Store, state: &mut State, term: TermId) -> Result<PreparedTerm, String> {
    let mut expanded = state.expansion.term(store, term)?;
    let mut constraints = state.expansion.constraints(store)?;
    if state.config.rewrite {
        for term in constraints.iter_mut().chain([&mut expanded]) {
            *term = state.simplifier.term(store, *term);
        }
    }
    constraints.retain(|&constraint| store.node(constraint).op != Op::BoolConst(true));
    Ok(PreparedTerm { term: expanded, constraints })
}
