//! What is chosen for a try: arms of disjunctions, and the order in which inputs are bound.

use std::collections::BTreeSet;

use labrys_term::algebraic::Dyadic;
use labrys_term::{Op, Store};
use num_bigint::BigInt;

use super::problem::{Kind, Problem};
use crate::conjuncts::{Literal, conjuncts};
use crate::local::random::Random;

/// Arms that are chosen one inside the other.
const DEEPEST: usize = 64;

/// Literals that imply the problem's: of each disjunction over several inputs one arm, by chance. Disjunctions over one
/// input stay, since a line's solutions take all arms into account.
pub(super) fn choose(problem: &Problem<'_>, random: &mut Random) -> Vec<Literal> {
    let mut literals = problem.literals.clone();
    for _ in 0..DEEPEST {
        let mut is_changed = false;
        let mut next = Vec::with_capacity(literals.len());
        for literal in literals {
            let arms = arms(problem.store, literal);
            let is_split = arms.len() > 1 && problem.support(&[literal.term]).len() > 1;
            match random.pick(&arms).filter(|_| is_split) {
                Some(arm) => {
                    next.push(arm);
                    is_changed = true;
                }
                None => next.push(literal),
            }
        }
        literals = conjuncts(problem.store, next);
        if !is_changed {
            break;
        }
    }
    literals
}

/// What a literal is a disjunction of; none for other literals.
fn arms(store: &Store, literal: Literal) -> Vec<Literal> {
    let node = store.node(literal.term);
    let all = |holds: bool| node.args.iter().map(|arm| Literal { term: *arm, holds }).collect();
    match (&node.op, literal.holds) {
        (Op::Or, true) => all(true),
        (Op::And, false) => all(false),
        (Op::Implies, true) => {
            let last = node.args.len() - 1;
            node.args.iter().enumerate().map(|(i, arm)| Literal { term: *arm, holds: i == last }).collect()
        }
        // x ≠ y is two sides of a line; as it stands it is as good as either.
        _ => Vec::new(),
    }
}

/// An order of the inputs, by chance; in even rounds those that functions hang on come first.
pub(super) fn order(problem: &Problem<'_>, round: u32, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.inputs.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.index(i + 1));
    }
    if round.is_multiple_of(2) {
        let calls = problem.definitions.iter().filter(|definition| matches!(definition.kind, Kind::Call(_)));
        let below: BTreeSet<usize> = calls.flat_map(|definition| problem.support(&definition.operands)).collect();
        order.sort_by_key(|input| !below.contains(input));
    }
    order
}

/// Numbers that the constants of the literals suggest for inputs: their own size, and their square and cube roots', as
/// places of the first input's grid.
pub(super) fn hints(problem: &Problem<'_>) -> Vec<BigInt> {
    let Some(grid) = problem.inputs.first().map(|input| &input.grid) else { return Vec::new() };
    let terms: Vec<_> = problem.literals.iter().map(|literal| literal.term).collect();
    let mut exponents = BTreeSet::new();
    for term in problem.store.reachable(&terms) {
        if let Op::RealConst(value) = &problem.store.node(term).op {
            let exponent = value.numer().bits() as i64 - value.denom().bits() as i64;
            exponents.extend([exponent, exponent / 2, exponent / 3, -exponent, -exponent / 2]);
        }
    }
    let mut places = Vec::new();
    for exponent in exponents {
        for nudge in [-2, 0, 2] {
            let value = Dyadic::power_of_two(exponent + nudge).to_rational();
            places.extend([grid.floor(&value), grid.floor(&-value)]);
        }
    }
    places
}
