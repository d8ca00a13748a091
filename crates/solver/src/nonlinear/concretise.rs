//! Binding variables until every constraint has one (Barr, Vo, Le, Su, POPL 2013, section 3.4).
//!
//! Inputs are bound one after the other. The constraints that have only the next input left are solved exactly, and its
//! value is taken among their solutions; a value that makes some other constraint false, whatever the inputs still free
//! are, is refused. So every constraint is univariate when its last input's turn comes, and the last input settles what
//! is left. Functions are evaluated as soon as their arguments are bound; the inputs they hang on go first.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::assignment::Assignment;
use super::problem::Literal;
use super::univariate::{self, Context, Solutions};
use super::values;
use crate::{RealModel, Why};

/// Lines that a try goes along after the last input's.
const WALK: usize = 4;

/// How a try ended.
pub(super) enum Attempt {
    /// Values that satisfy all literals, and whether the last constraints were linear or sampled.
    Found { model: RealModel, is_linear: bool, is_sampled: bool },
    /// No value was found for an input.
    Stuck {
        /// Whether there is certainly none: nothing was bound that these constraints hang on, and they are univariate.
        is_proof: bool,
    },
}

/// One try: literals, and values for the inputs one after the other.
pub(super) struct Try<'t, 'p, 'e> {
    pub context: &'t mut Context<'p, 'e>,
    pub literals: &'t [Literal],
    /// Numbers that constants suggest, as places.
    pub hints: &'t [BigInt],
    /// How many tries there were before.
    pub round: u32,
    supports: Vec<BTreeSet<usize>>,
    assignment: Assignment,
    is_linear: bool,
    is_sampled: bool,
}

impl<'t, 'p, 'e> Try<'t, 'p, 'e> {
    pub fn new(
        context: &'t mut Context<'p, 'e>,
        literals: &'t [Literal],
        hints: &'t [BigInt],
        round: u32,
    ) -> Try<'t, 'p, 'e> {
        let problem = context.problem;
        let supports = literals.iter().map(|literal| problem.support(&[literal.term])).collect();
        let assignment = Assignment::default();
        Try { context, literals, hints, round, supports, assignment, is_linear: true, is_sampled: false }
    }

    /// Tries to satisfy the literals, binding the inputs in the given order.
    ///
    /// # Errors
    ///
    /// Where the effort is spent.
    pub fn run(mut self, order: &[usize]) -> Result<Attempt, Why> {
        let mut bound = BTreeSet::new();
        for (step, &input) in order.iter().enumerate() {
            bound.insert(input);
            let due = self.literals_with(input, &bound, true);
            let solutions = univariate::solve(self.context, &mut self.assignment, input, &due)?;
            if solutions.ranges.is_empty() {
                self.context.steps.barren += 1;
                let others =
                    |(literal, support): (&Literal, &BTreeSet<usize>)| support.len() > 1 && due.contains(literal);
                let hangs_on_others = self.literals.iter().zip(&self.supports).any(others);
                let is_proof = solutions.is_complete && !hangs_on_others;
                if !is_proof && step > 0 && step + 1 == order.len() && self.walk(input, solutions.best)? {
                    break;
                }
                return Ok(Attempt::Stuck { is_proof });
            }
            let later = self.literals_with(input, &bound, false);
            if !self.bind(input, &solutions, &later, step + 1 == order.len()) {
                return Ok(Attempt::Stuck { is_proof: false });
            }
        }
        if !self.assignment.holds(self.context.problem, self.literals) {
            return Ok(Attempt::Stuck { is_proof: false });
        }
        let model = self.assignment.model(self.context.problem);
        Ok(Attempt::Found { model, is_linear: self.is_linear, is_sampled: self.is_sampled })
    }

    /// The literals that hang on `input`: those that are due, having nothing unbound but it, or the others.
    fn literals_with(&self, input: usize, bound: &BTreeSet<usize>, due: bool) -> Vec<Literal> {
        let chosen = |(literal, support): (&Literal, &BTreeSet<usize>)| {
            (support.contains(&input) && support.is_subset(bound) == due).then_some(*literal)
        };
        self.literals.iter().zip(&self.supports).filter_map(chosen).collect()
    }

    /// Binds an input to one of the solutions that leaves the other literals possible; false if none was found.
    fn bind(&mut self, input: usize, solutions: &Solutions, later: &[Literal], is_last: bool) -> bool {
        self.is_linear &= solutions.is_linear;
        self.is_sampled |= !solutions.is_complete;
        let problem = self.context.problem;
        let definitions = self.assignment.following(problem, input);
        let grid = &problem.inputs[input].grid;
        // The last input's value has no consequences: the middle of its solutions is the best, at first.
        let start = if is_last && self.round == 0 { values::MIDDLE } else { self.round };
        for value in 0..self.context.config.values.max(1) {
            let random = &mut self.context.random;
            let Some(place) = values::choose(grid, &solutions.ranges, start + value, self.hints, random) else { break };
            let value = grid.value(&place);
            let is_defined = self.assignment.bind(problem, input, value, &definitions, self.context.evaluate);
            if is_defined && (later.is_empty() || self.assignment.allows(problem, later)) {
                return true;
            }
            self.context.steps.rejected_bindings += 1;
        }
        false
    }

    /// From where the most literals hold on the last input's line, along other inputs' lines, some of them; whether all
    /// literals hold in the end.
    fn walk(&mut self, last: usize, best: Option<BigInt>) -> Result<bool, Why> {
        let problem = self.context.problem;
        let (mut input, mut best) = (last, best);
        for _ in 0..WALK {
            let Some(place) = best else { break };
            let definitions = self.assignment.following(problem, input);
            let value = problem.inputs[input].grid.value(&place);
            if !self.assignment.bind(problem, input, value, &definitions, self.context.evaluate) {
                break;
            }
            // Any other input.
            input = (input + 1 + self.context.random.index(problem.inputs.len() - 1)) % problem.inputs.len();
            let solutions = univariate::solve(self.context, &mut self.assignment, input, self.literals)?;
            if !solutions.ranges.is_empty() {
                return Ok(self.bind(input, &solutions, &[], true));
            }
            best = solutions.best;
        }
        Ok(false)
    }
}
