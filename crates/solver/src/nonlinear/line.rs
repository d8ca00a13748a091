//! Tests along the line of one input.

use labrys_term::Truth;
use num_bigint::BigInt;

use super::assignment::Assignment;
use super::context::Context;
use super::grid::Grid;
use super::judge::Tester;
use super::problem::Definition;
use crate::Why;

/// The line of an input: all other inputs that the literals hang on are bound.
pub(super) struct Line<'c, 'p, 'e, 'j> {
    pub context: &'c mut Context<'p, 'e>,
    pub assignment: &'c mut Assignment,
    pub input: usize,
    pub grid: &'p Grid,
    pub definitions: Vec<&'p Definition>,
    pub tester: Tester<'j>,
    /// How many terms a test looks at.
    pub size: usize,
    pub best: Option<(usize, BigInt)>,
    /// Whether all tests were.
    pub is_decided: bool,
}

impl Line<'_, '_, '_, '_> {
    /// Whether the literals hold at a place.
    pub fn test(&mut self, place: &BigInt) -> Result<bool, Why> {
        self.context.effort.evaluate(self.size)?;
        let (problem, value) = (self.context.problem, self.grid.value(place));
        if !self.assignment.bind(problem, self.input, value, &self.definitions, self.context.evaluate) {
            return Ok(false);
        }
        let (truth, kept) = self.tester.test(problem, self.assignment);
        self.is_decided &= truth != Truth::Unsure;
        if self.best.as_ref().is_none_or(|(most, _)| kept > *most) {
            self.best = Some((kept, place.clone()));
        }
        Ok(truth.is_true())
    }

    /// The ranges that satisfy the literals, given places between which they keep their truth.
    pub fn ranges(&mut self, places: &[BigInt], is_complete: bool) -> Result<Vec<(BigInt, BigInt)>, Why> {
        let mut ranges: Vec<(BigInt, BigInt)> = Vec::new();
        for (i, place) in places.iter().enumerate() {
            if self.test(place)? {
                push(&mut ranges, place.clone(), place.clone());
            }
            let Some(next) = places.get(i + 1) else { break };
            let (from, to) = (place + 1, next - 1);
            if from > to {
                continue;
            }
            let middle = (&from + &to) >> 1u32;
            if self.test(&middle)? {
                if is_complete { push(&mut ranges, from, to) } else { push(&mut ranges, middle.clone(), middle) }
            }
        }
        Ok(ranges)
    }
}

/// Adds a range after the others, joined to the last one where nothing lies between.
fn push(ranges: &mut Vec<(BigInt, BigInt)>, from: BigInt, to: BigInt) {
    match ranges.last_mut() {
        Some((_, last)) if &*last + 1 == from => *last = to,
        _ => ranges.push((from, to)),
    }
}
