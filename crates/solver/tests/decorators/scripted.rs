//! An engine whose answers are given beforehand, and that remembers what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use labrys_solver::{FloatOutcome, FloatSolver, Limits, RealModel, RealOutcome, RealSolver, RealValue};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;

/// What an engine was asked, in order.
pub type Questions = Arc<Mutex<Vec<Vec<TermId>>>>;

/// Gives its answers one after another.
pub struct Scripted<A> {
    answers: VecDeque<A>,
    questions: Questions,
}

impl<A> Scripted<A> {
    pub fn new(answers: impl IntoIterator<Item = A>) -> (Scripted<A>, Questions) {
        let questions = Questions::default();
        (Scripted { answers: answers.into_iter().collect(), questions: questions.clone() }, questions)
    }

    fn next(&mut self, terms: &[TermId]) -> A {
        self.questions.lock().expect("no test panics while it holds this").push(terms.to_vec());
        self.answers.pop_front().expect("the engine was asked more often than the test says")
    }
}

impl RealSolver for Scripted<RealOutcome> {
    fn check_once(&mut self, _: &Store, terms: &[TermId], _: &Limits) -> RealOutcome {
        self.next(terms)
    }
}

impl FloatSolver for Scripted<FloatOutcome> {
    fn check_once(&mut self, _: &Store, terms: &[TermId], _: &Limits) -> FloatOutcome {
        self.next(terms)
    }
}

pub fn asked(questions: &Questions) -> Vec<Vec<TermId>> {
    questions.lock().expect("no test panics while it holds this").clone()
}

pub fn rational(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(BigInt::from(numerator), BigInt::from(denominator))
}

pub fn real(store: &mut Store, name: &str) -> TermId {
    store.variable(name, Sort::Real)
}

/// variable = value.
pub fn equals(store: &mut Store, variable: TermId, value: BigRational) -> TermId {
    let value = store.real_const(value);
    store.mk(Op::Eq, &[variable, value])
}

/// A candidate with rational values.
pub fn candidate(store: &Store, values: &[(TermId, BigRational)]) -> RealOutcome {
    let mut model = RealModel::default();
    for (term, value) in values {
        let variable = store.as_variable(*term).expect("a variable");
        model.values.insert(variable, RealValue::Rational(value.clone()));
    }
    RealOutcome::Candidate(model)
}
