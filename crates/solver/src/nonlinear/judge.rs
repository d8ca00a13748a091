//! Literals, compiled to be tested at many points.

use labrys_term::approx::{ExtendedReal, RealEvaluator, RealProgram};
use labrys_term::{TermId, Truth};

use super::assignment::Assignment;
use super::problem::Problem;
use crate::conjuncts::Literal;

/// Tests literals in fast arithmetic first; what that leaves open goes to [`Assignment::holds`].
pub(super) struct Judge<'p> {
    literals: &'p [Literal],
    program: Option<RealProgram>,
}

impl<'p> Judge<'p> {
    pub fn new(problem: &Problem<'_>, literals: &'p [Literal]) -> Judge<'p> {
        let terms: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        // What does not compile is left to exact evaluation.
        Judge { literals, program: RealProgram::compile(problem.store, &terms).ok() }
    }

    /// How many terms one test looks at.
    pub fn len(&self) -> usize {
        self.program.as_ref().map_or(1000, RealProgram::len)
    }

    /// A tester with registers of its own.
    pub fn tester(&self) -> Tester<'_> {
        Tester { judge: self, evaluator: self.program.as_ref().map(RealEvaluator::new), values: Vec::new() }
    }
}

/// Runs the tests of a [`Judge`].
pub(super) struct Tester<'j> {
    judge: &'j Judge<'j>,
    evaluator: Option<RealEvaluator<'j>>,
    values: Vec<ExtendedReal>,
}

impl Tester<'_> {
    /// The literals that do not hold for certain, by index.
    pub fn violated(&mut self, problem: &Problem<'_>, assignment: &Assignment) -> Vec<usize> {
        let literals = self.judge.literals;
        let truths = self.truths(assignment);
        let fails = |(literal, truth): (&Literal, &Truth)| match truth {
            Truth::Unsure => !assignment.holds(problem, &[*literal]),
            truth => truth.is_true() != literal.holds,
        };
        let pairs = literals.iter().zip(&truths).enumerate();
        pairs.filter(|(_, pair)| fails(*pair)).map(|(i, _)| i).collect()
    }

    fn truths(&mut self, assignment: &Assignment) -> Vec<Truth> {
        let (Some(evaluator), Some(program)) = (&mut self.evaluator, &self.judge.program) else {
            return vec![Truth::Unsure; self.judge.literals.len()];
        };
        let value = |variable: &_| assignment.approximate(*variable).unwrap_or(ExtendedReal::UNKNOWN);
        self.values.clear();
        self.values.extend(program.variables().iter().map(value));
        evaluator.run(&self.values).to_vec()
    }

    /// Whether all literals hold, and how many are not known to be false.
    pub fn test(&mut self, problem: &Problem<'_>, assignment: &Assignment) -> (Truth, usize) {
        let literals = self.judge.literals;
        let mut unsure: Vec<Literal> = Vec::new();
        let mut kept = literals.len();
        for (literal, truth) in literals.iter().zip(self.truths(assignment)) {
            match truth {
                Truth::Unsure => unsure.push(*literal),
                truth => kept -= usize::from(truth.is_true() != literal.holds),
            }
        }
        if kept < literals.len() {
            return (Truth::False, kept);
        }
        match assignment.truth(problem, &unsure) {
            Truth::True => (Truth::True, kept),
            truth => (truth, kept.saturating_sub(1)),
        }
    }
}
