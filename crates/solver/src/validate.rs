//! Evaluates each model before it is believed.
//!
//! Over the floats evaluation is exact, so that a model that passes is a witness and one that fails is
//! [`Why::WrongModel`]. Over the reals a model may hold algebraic numbers, for which only enclosures exist: a model is
//! refused when it certainly falsifies a term. What stays unsure is evaluated exactly where all values are rational and
//! the query is small; beyond that the candidate passes, because candidates are only tried out anyway. A term whose
//! value hangs on a division by zero passes too: the reals leave that value open.

use labrys_term::{Evaluator, Model, Store, TermId, Truth, Value};
use rustc_hash::FxHashMap;

use crate::enclosure::{self, Interval};
use crate::{FloatOutcome, FloatSolver, Limits, RealModel, RealOutcome, RealSolver, RealValue, Why};

/// Terms up to which exact rational evaluation is tried; its numbers grow with the term's depth.
const EXACT_TERMS: usize = 500;

/// A decorator that passes on only models that hold.
#[derive(Debug)]
pub struct Validate<S> {
    inner: S,
}

impl<S> Validate<S> {
    /// Checks the models of `inner`.
    pub fn new(inner: S) -> Validate<S> {
        Validate { inner }
    }
}

impl<S: RealSolver> RealSolver for Validate<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> RealOutcome {
        match self.inner.check_once(store, terms, limits) {
            RealOutcome::Candidate(model) if is_refuted(store, terms, &model) => RealOutcome::Unknown(Why::WrongModel),
            outcome => outcome,
        }
    }
}

impl<S: FloatSolver> FloatSolver for Validate<S> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        match self.inner.check_once(store, terms, limits) {
            FloatOutcome::Sat(model) => witness(store, terms, model),
            outcome => outcome,
        }
    }
}

/// The model, completed and evaluated. A variable that the solver does not mention may have any value.
fn witness(store: &Store, terms: &[TermId], mut model: Model) -> FloatOutcome {
    model.complete(store, terms);
    let mut evaluator = Evaluator::new(store, &model);
    for term in terms {
        match evaluator.holds(*term) {
            Ok(true) => {}
            Ok(false) => return FloatOutcome::Unknown(Why::WrongModel),
            Err(error) => return FloatOutcome::Unknown(Why::Unsupported(format!("a model's value: {error}"))),
        }
    }
    FloatOutcome::Sat(model)
}

/// Whether the model certainly falsifies one of the terms.
fn is_refuted(store: &Store, terms: &[TermId], model: &RealModel) -> bool {
    let intervals: FxHashMap<_, _> =
        model.values.iter().map(|(variable, value)| (*variable, enclosure_of(value))).collect();
    let truths = enclosure::evaluate(store, terms, &intervals);
    if truths.contains(&Truth::False) {
        return true;
    }
    let unsure: Vec<TermId> =
        terms.iter().zip(&truths).filter(|(_, truth)| **truth == Truth::Unsure).map(|(term, _)| *term).collect();
    if unsure.is_empty() || store.reachable(&unsure).len() > EXACT_TERMS {
        return false;
    }
    let mut exact = Model::new();
    for (variable, value) in &model.values {
        if let RealValue::Rational(value) = value {
            exact.set(*variable, Value::Real(value.clone()));
        }
    }
    let mut evaluator = Evaluator::new(store, &exact);
    // What has no exact value (an algebraic number below, a division by zero, a variable left free) is not refuted.
    unsure.iter().any(|term| evaluator.holds(*term) == Ok(false))
}

fn enclosure_of(value: &RealValue) -> Interval {
    let (low, high) = value.bounds();
    Interval::between(&low, &high)
}
