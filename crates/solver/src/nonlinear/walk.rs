//! From a point where most constraints hold to one where all do, along the inputs' lines.
//!
//! Binding inputs by chance seldom meets two narrow windows at once. As in WalkSAT (Selman, Kautz, Cohen, "Noise strategies
//! for improving local search", AAAI 1994) a constraint that does not hold is picked and one of its inputs moved, here to
//! where the constraint holds exactly: all the input's constraints at best, that one at least.

use num_bigint::BigInt;

use super::concretise::Try;
use super::judge::Judge;
use super::univariate;
use super::values;
use crate::Why;
use crate::conjuncts::Literal;

/// Moves of one walk.
const MOVES: usize = 12;

/// Places that are compared for one move.
const PLACES: u32 = 5;

impl Try<'_, '_, '_> {
    /// Walks, all inputs being bound; whether all literals hold in the end.
    ///
    /// # Errors
    ///
    /// Where the effort is spent.
    pub fn walk(&mut self) -> Result<bool, Why> {
        let problem = self.context.problem;
        let judge = Judge::new(problem, self.literals);
        let mut tester = judge.tester();
        for _ in 0..MOVES {
            let violated: Vec<usize> = tester.violated(problem, &self.assignment);
            let Some(literal) = self.context.random.pick(&violated) else { return Ok(true) };
            let inputs: Vec<usize> = self.supports[literal].iter().copied().collect();
            let Some(input) = self.context.random.pick(&inputs) else { return Ok(false) };
            let hanging = |alone: bool| {
                let chosen = |(i, _): &(usize, &Literal)| {
                    let support = &self.supports[*i];
                    *i == literal || (support.contains(&input) && (!alone || support.len() == 1))
                };
                self.literals.iter().enumerate().filter(chosen).map(|(_, literal)| *literal).collect::<Vec<Literal>>()
            };
            let (all, least) = (hanging(false), hanging(true));
            let grid = &problem.inputs[input].grid;
            let Some(value) = self.assignment.rational(problem.inputs[input].variable) else { return Ok(false) };
            let place = grid.floor(value);
            let mut solutions = univariate::solve(self.context, &mut self.assignment, input, &all)?;
            if solutions.ranges.is_empty() {
                solutions = univariate::solve(self.context, &mut self.assignment, input, &least)?;
            }
            (self.is_linear, self.is_sampled) = (solutions.is_linear, solutions.is_sampled);
            let definitions = self.assignment.following(problem, input);
            let mut candidates: Vec<BigInt> = values::nearest(&solutions.ranges, &place).into_iter().collect();
            for attempt in 1..PLACES {
                let random = &mut self.context.random;
                candidates.extend(values::choose(grid, &solutions.ranges, attempt, self.hints, random));
            }
            let mut best: Option<(usize, BigInt)> = None;
            for place in candidates {
                let value = grid.value(&place);
                let is_defined = self.assignment.bind(problem, input, value, &definitions, self.context.evaluate);
                let kept = if is_defined { tester.test(problem, &self.assignment).1 } else { 0 };
                if best.as_ref().is_none_or(|(most, _)| kept > *most) {
                    best = Some((kept, place));
                }
            }
            // Nowhere on this line: the point stays, and another line is tried.
            let place = best.map_or(place, |(_, place)| place);
            if !self.assignment.bind(problem, input, grid.value(&place), &definitions, self.context.evaluate) {
                return Ok(false);
            }
        }
        Ok(tester.violated(problem, &self.assignment).is_empty())
    }
}
