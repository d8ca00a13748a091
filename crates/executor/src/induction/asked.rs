//! What goes wrong behind a loop asks for more to be known of its rounds: the loop is proved again, with that for a guess.

use labrys_interp::Datum;
use labrys_program::{BlockId, FunctionId};
use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashMap;

use super::checked::{Meanings, Violated, replaced};
use super::conditions::{DatumOf, MOST_TERMS};
use super::guesses::bits_term;
use super::variables::{Variables, any_like, term_of};
use crate::Values;

/// Conditions that are asked of one loop at most.
const MOST_ASKED: usize = 12;

/// Integers that may tell the first round from others.
const MOST_COUNTERS: usize = 3;

/// A loop that a path has left.
#[derive(Debug)]
pub(crate) struct Left {
    /// Its function and header.
    pub(super) of: (FunctionId, BlockId),
    /// What its variables were called.
    pub(super) variables: Vec<DatumOf>,
    /// Their values before its first round.
    pub(super) firsts: Vec<DatumOf>,
}

/// What is asked of a loop.
#[derive(Clone, Debug, Default)]
struct AskedOf {
    /// What stands for its variables, which have other names each time that it is proved.
    variables: Vec<DatumOf>,
    conditions: Vec<TermId>,
}

/// What is asked of loops, by their functions and headers.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked(FxHashMap<(FunctionId, BlockId), AskedOf>);

impl Asked {
    /// Asks of a loop what keeps from going wrong what went wrong behind it; whether that is new.
    pub(super) fn note(&mut self, values: &mut Values<'_>, left: &Left, violated: &Violated) -> bool {
        let asked = self.0.entry(left.of).or_default();
        for (place, variable) in left.variables.iter().enumerate().skip(asked.variables.len()) {
            asked.variables.push(any_like(values, &format!("asked {place}"), variable));
        }
        let terms: Vec<TermId> = left.variables.iter().map(|of| term_of(values, of)).collect();
        let meanings = meanings(values, &left.variables, &asked.variables);
        let mut is_new = false;
        for condition in violated.asked_for(values.store, &terms) {
            let is_small = values.store.reachable(&[condition]).len() <= 4 * MOST_TERMS;
            let new = if is_small { replaced(values.store, condition, &meanings, |_| true) } else { None };
            let Some(new) = new.filter(|new| *new != condition) else { continue };
            let mut all = vec![new];
            if asked.conditions.contains(&new) {
                // It does not hold before the first round, perhaps: smallest and largest of nothing.
                all = after_first_round(values, new, &left.firsts, &asked.variables);
            }
            for new in all {
                if !asked.conditions.contains(&new) && asked.conditions.len() < MOST_ASKED {
                    asked.conditions.push(new);
                    is_new = true;
                }
            }
        }
        is_new
    }

    /// What is asked of a loop that has these variables.
    pub(super) fn of(&self, values: &mut Values<'_>, of: (FunctionId, BlockId), variables: &Variables) -> Vec<TermId> {
        let Some(asked) = self.0.get(&of) else { return Vec::new() };
        let any: Vec<DatumOf> = variables.all.iter().map(|variable| variable.any.clone()).collect();
        let meanings = meanings(values, &asked.variables, &any);
        let missing: Vec<TermId> = asked.variables.iter().skip(any.len()).map(|of| bits_term(values, of)).collect();
        let is_there = |store: &Store, condition: TermId| {
            let parts = store.reachable(&[condition]);
            !missing.iter().any(|missing| parts.contains(missing))
        };
        let there: Vec<TermId> =
            asked.conditions.iter().copied().filter(|condition| is_there(values.store, *condition)).collect();
        there.into_iter().filter_map(|condition| replaced(values.store, condition, &meanings, |_| true)).collect()
    }
}

/// That a condition holds where one of the first integers among the variables is not what it was before the first round.
fn after_first_round(
    values: &mut Values<'_>,
    condition: TermId,
    firsts: &[DatumOf],
    variables: &[DatumOf],
) -> Vec<TermId> {
    // The variables are those of an attempt before, and may be of another kind.
    let known = |(first, variable): (&DatumOf, DatumOf)| match (first, &variable) {
        (Datum::Int(int), Datum::Int(own)) if int.bits() > 1 && int.bits() == own.bits() => {
            Some((int.bits(), int.concrete()?, variable))
        }
        _ => None,
    };
    let counters: Vec<(u32, u128, DatumOf)> =
        firsts.iter().zip(variables.iter().cloned()).filter_map(known).take(MOST_COUNTERS).collect();
    let weakened = |(bits, first, variable): (u32, u128, DatumOf)| {
        let variable = term_of(values, &variable);
        let first = values.store.bv_const(bits, first);
        let is_first = values.store.mk(Op::Eq, &[variable, first]);
        values.store.or(&[is_first, condition])
    };
    counters.into_iter().map(weakened).collect()
}

/// That some variables stand for others, as far as there are as many.
fn meanings(values: &mut Values<'_>, from: &[DatumOf], to: &[DatumOf]) -> Meanings {
    let mut meanings = Meanings::default();
    for (from, to) in from.iter().zip(to) {
        for term in [term_of, bits_term] {
            let (from, to) = (term(values, from), term(values, to));
            if values.store.sort(from) == values.store.sort(to) {
                meanings.insert(from, to);
            }
        }
    }
    meanings
}
