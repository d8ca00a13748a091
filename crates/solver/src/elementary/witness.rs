//! Whether a model's calls are the functions' values, and what they are where it can be changed.

use labrys_elementary::evaluate;
use labrys_float::Float;
use labrys_term::{Evaluator, Model, Op, TermId, Value};

use super::call::CallTerm;
use super::refinement::Refinement;
use crate::domain::FloatDomain;
use crate::domain::project::elementary::forward;

impl Refinement<'_> {
    /// A call's operands and result in a model.
    pub(super) fn values(&self, place: usize, model: &Model) -> Option<(Vec<Float>, Float)> {
        let call = &self.calls[place];
        let mut evaluator = Evaluator::new(self.store, model);
        let mut float = |term: TermId| match evaluator.value(term) {
            Ok(Value::Float(value)) => Some(value),
            _ => None,
        };
        let operands: Option<Vec<Float>> = call.operands.iter().map(|operand| float(*operand)).collect();
        Some((operands?, float(call.variable)?))
    }

    /// The model with correctly rounded results where it then still satisfies the assertions; else as it is, where its results
    /// are near enough.
    pub(super) fn witness(&self, model: &Model) -> Option<Model> {
        let mut rounded = model.clone();
        for (place, call) in self.calls.iter().enumerate() {
            let (operands, _) = self.values(place, &rounded)?;
            rounded.set_term(self.store, call.variable, Value::Float(evaluate(call.function, &operands).value));
        }
        let holds = |model: &Model| {
            let mut evaluator = Evaluator::new(self.store, model);
            self.assertions.iter().all(|assertion| evaluator.holds(*assertion) == Ok(true))
        };
        if holds(&rounded) {
            return Some(rounded);
        }
        let is_near = |(place, call): (usize, &CallTerm)| {
            self.values(place, model).is_some_and(|(operands, result)| {
                let point: Vec<FloatDomain> = operands.iter().map(FloatDomain::only).collect();
                forward(call.function, &point, self.ulps).contains(&result)
            })
        };
        (self.calls.iter().enumerate().all(is_near) && holds(model)).then(|| model.clone())
    }

    /// That every call's operands are what they are in the model, and its result is the correctly rounded value there; only of
    /// calls whose operands do not depend on others.
    pub(super) fn fixed_at(&mut self, model: &Model) -> Vec<TermId> {
        let results: Vec<_> = self.calls.iter().filter_map(|call| self.store.as_variable(call.variable)).collect();
        let mut fixed = Vec::new();
        for place in 0..self.calls.len() {
            let call = self.calls[place].clone();
            let depends = self.store.free_variables(&call.operands).iter().any(|variable| results.contains(variable));
            let Some((operands, _)) = self.values(place, model).filter(|_| !depends) else { continue };
            let result = evaluate(call.function, &operands).value;
            for (term, value) in call.operands.iter().zip(operands).chain([(&call.variable, result)]) {
                let value = self.store.float_const(value);
                fixed.push(self.store.mk(Op::Eq, &[*term, value]));
            }
        }
        fixed
    }
}
