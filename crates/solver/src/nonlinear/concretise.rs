//! Binding variables until every constraint has one (Barr, Vo, Le, Su, POPL 2013, section 3.4).
//!
//! Inputs are bound one after the other. The constraints that have only the next input left are solved exactly, and its
//! value is taken among their solutions; a value that makes some other constraint false, whatever the inputs still free
//! are, is refused. So every constraint is univariate when its last input's turn comes, and the last input settles what
//! is left. Functions are evaluated as soon as their arguments are bound; the inputs they hang on go first.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::assignment::Assignment;
use super::between;
use super::context::Context;
use super::univariate::{self, Solutions};
use super::values;
use crate::conjuncts::Literal;
use crate::{RealModel, RealValue, Why};

/// Tries that look for a real solution where there is no float.
const ROUNDS_FOR_REALS: u32 = 2;

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
    /// The inputs that each literal hangs on.
    pub supports: Vec<BTreeSet<usize>>,
    pub assignment: Assignment,
    /// Whether the constraints of all inputs bound so far are linear.
    pub is_linear: bool,
    /// Whether those of one were sampled.
    pub is_sampled: bool,
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
                let is_last = step + 1 == order.len();
                if is_last && self.recover(input, &due, &solutions)? {
                    break;
                }
                return Ok(Attempt::Stuck { is_proof: solutions.is_complete && !self.hangs_on_others(input, &due) });
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

    /// Tries the numbers next to `start`, and then the line of each input through these.
    ///
    /// # Errors
    ///
    /// Where the effort is spent.
    pub fn near(mut self, start: &RealModel) -> Result<Attempt, Why> {
        let problem = self.context.problem;
        let mut is_defined = true;
        let mut places = Vec::with_capacity(problem.inputs.len());
        for (index, input) in problem.inputs.iter().enumerate() {
            let value = start.values.get(&input.variable).map(RealValue::approximation).unwrap_or_default();
            let place = input.grid.floor(&value);
            let definitions = self.assignment.following(problem, index);
            let value = input.grid.value(&place);
            is_defined &= self.assignment.bind(problem, index, value, &definitions, self.context.evaluate);
            places.push(place);
        }
        let mut holds = is_defined && self.assignment.holds(problem, self.literals);
        self.is_linear = false;
        for (index, (input, place)) in problem.inputs.iter().zip(places).enumerate() {
            if holds {
                break;
            }
            let solutions = univariate::solve(self.context, &mut self.assignment, index, self.literals)?;
            let nearest = values::nearest(&solutions.ranges, &place);
            let value = input.grid.value(nearest.as_ref().unwrap_or(&place));
            let definitions = self.assignment.following(problem, index);
            is_defined = self.assignment.bind(problem, index, value, &definitions, self.context.evaluate);
            (self.is_linear, self.is_sampled) = (solutions.is_linear, solutions.is_sampled);
            holds = nearest.is_some() && is_defined && self.assignment.holds(problem, self.literals);
        }
        if !holds {
            return Ok(Attempt::Stuck { is_proof: false });
        }
        let model = self.assignment.model(problem);
        Ok(Attempt::Found { model, is_linear: self.is_linear, is_sampled: self.is_sampled })
    }

    /// The literals that hang on `input`: those that are due, having nothing unbound but it, or the others.
    fn literals_with(&self, input: usize, bound: &BTreeSet<usize>, due: bool) -> Vec<Literal> {
        let chosen = |(literal, support): (&Literal, &BTreeSet<usize>)| {
            (support.contains(&input) && support.is_subset(bound) == due).then_some(*literal)
        };
        self.literals.iter().zip(&self.supports).filter_map(chosen).collect()
    }

    /// What can be done when no number solves the last input's constraints: a walk from where most of them hold; whether it
    /// leads to a solution. A real solution is kept for the end.
    fn recover(&mut self, input: usize, due: &[Literal], solutions: &Solutions) -> Result<bool, Why> {
        let problem = self.context.problem;
        if solutions.is_complete && self.context.real.is_none() && self.round < ROUNDS_FOR_REALS {
            self.context.real = between::solve(self.context, &mut self.assignment, input, due)?;
        }
        let Some(place) = solutions.best.as_ref().filter(|_| problem.inputs.len() > 1) else { return Ok(false) };
        let definitions = self.assignment.following(problem, input);
        let value = problem.inputs[input].grid.value(place);
        Ok(self.assignment.bind(problem, input, value, &definitions, self.context.evaluate) && self.walk()?)
    }

    /// Whether literals, or what is defined with an input, hang on other inputs too.
    fn hangs_on_others(&self, input: usize, due: &[Literal]) -> bool {
        let problem = self.context.problem;
        let definitions = self.assignment.following(problem, input);
        due.iter().any(|literal| problem.support(&[literal.term]).len() > 1)
            || definitions.iter().any(|definition| problem.support(&definition.operands).len() > 1)
    }

    /// Binds an input to one of the solutions that leaves the other literals possible; false if none was found.
    fn bind(&mut self, input: usize, solutions: &Solutions, later: &[Literal], is_last: bool) -> bool {
        self.is_linear &= solutions.is_linear;
        self.is_sampled |= solutions.is_sampled;
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
}
