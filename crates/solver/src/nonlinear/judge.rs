//! Literals, compiled to be tested at many points.

use labrys_term::approx::{ExtendedReal, RealEvaluator, RealProgram};
use labrys_term::{TermId, Truth};

use super::assignment::Assignment;
use super::problem::{Literal, Problem};

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
    /// Whether all literals hold for certain, and how many are not known to be false.
    pub fn test(&mut self, problem: &Problem<'_>, assignment: &Assignment) -> (bool, usize) {
        let literals = self.judge.literals;
        let mut unsure: Vec<Literal> = Vec::new();
        let mut kept = literals.len();
        match (&mut self.evaluator, &self.judge.program) {
            (Some(evaluator), Some(program)) => {
                let value = |variable: &_| assignment.approximate(*variable).unwrap_or(ExtendedReal::UNKNOWN);
                self.values.clear();
                self.values.extend(program.variables().iter().map(value));
                for (literal, truth) in literals.iter().zip(evaluator.run(&self.values)) {
                    match truth {
                        Truth::Unsure => unsure.push(*literal),
                        truth => kept -= usize::from(truth.is_true() != literal.holds),
                    }
                }
            }
            _ => unsure.extend(literals),
        }
        let holds = kept == literals.len() && (unsure.is_empty() || assignment.holds(problem, &unsure));
        if !holds && kept == literals.len() {
            kept -= 1;
        }
        (holds, kept)
    }
}
