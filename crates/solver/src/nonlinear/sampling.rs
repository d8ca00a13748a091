//! Where comparisons change on a line that has no polynomials.

use std::cmp::Ordering;

use labrys_term::approx::{ExtendedReal, RealEvaluator, RealProgram};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_traits::One;

use super::line::Line;
use super::values;
use crate::Why;
use crate::conjuncts::Literal;

/// Changes that are looked for between two samples of one line.
const MOST_CHANGES: usize = 24;

/// Sampled places, and those next to which a comparison below `literals` changes; `places` among them. Ascending.
pub(super) fn places(
    line: &mut Line<'_, '_, '_, '_>,
    literals: &[Literal],
    mut places: Vec<BigInt>,
) -> Result<Vec<BigInt>, Why> {
    let count = line.context.config.samples as usize;
    places.extend(values::samples(line.grid, count, &mut line.context.random));
    places.sort_unstable();
    places.dedup();
    let sides = sides(line.context.problem.store, literals);
    let Ok(program) = RealProgram::compile(line.context.problem.store, &sides) else { return Ok(places) };
    let mut evaluator = RealEvaluator::new(&program);

    let mut orders = Vec::with_capacity(places.len());
    for place in &places {
        orders.push(compare(line, &program, &mut evaluator, place)?);
    }
    let mut found = Vec::new();
    for i in 1..places.len() {
        for comparison in 0..sides.len() / 2 {
            let order =
                |orders: &[Option<Vec<Ordering>>], i: usize| orders[i].as_ref().map(|orders| orders[comparison]);
            let (before, after) = (order(&orders, i - 1), order(&orders, i));
            if before == after || found.len() >= 2 * MOST_CHANGES {
                continue;
            }
            let (mut low, mut high) = (places[i - 1].clone(), places[i].clone());
            while &high - &low > BigInt::one() {
                let middle: BigInt = (&low + &high) >> 1u32;
                let orders = compare(line, &program, &mut evaluator, &middle)?;
                if orders.map(|orders| orders[comparison]) == before { low = middle } else { high = middle }
            }
            found.extend([low, high]);
        }
    }
    places.extend(found);
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// How the two sides of each comparison compare at a place; equal where that is not clear, `None` where a function has no
/// value.
fn compare(
    line: &mut Line<'_, '_, '_, '_>,
    program: &RealProgram,
    evaluator: &mut RealEvaluator<'_>,
    place: &BigInt,
) -> Result<Option<Vec<Ordering>>, Why> {
    line.context.effort.evaluate(program.len())?;
    let (problem, value) = (line.context.problem, line.grid.value(place));
    if !line.assignment.bind(problem, line.input, value, &line.definitions, line.context.evaluate) {
        return Ok(None);
    }
    let value = |variable: &_| line.assignment.approximate(*variable).unwrap_or(ExtendedReal::UNKNOWN);
    let values: Vec<ExtendedReal> = program.variables().iter().map(value).collect();
    evaluator.run(&values);
    let sides: Vec<ExtendedReal> = evaluator.reals().collect();
    let orders = sides.chunks_exact(2).map(|sides| sides[0].compare(sides[1]).unwrap_or(Ordering::Equal));
    Ok(Some(orders.collect()))
}

/// The two sides of each comparison of reals below `literals`, one after the other.
fn sides(store: &Store, literals: &[Literal]) -> Vec<TermId> {
    let terms: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
    let mut sides = Vec::new();
    for term in store.reachable(&terms) {
        let node = store.node(term);
        if let (Op::RealLt | Op::RealLe | Op::Eq | Op::Distinct, &[left, right]) = (&node.op, node.args.as_slice())
            && *store.sort(left) == Sort::Real
        {
            sides.extend([left, right]);
        }
    }
    sides
}
