//! The oracle: every assignment, evaluated by exact soft-float arithmetic.

use labrys_float::{Float, RoundingMode};
use labrys_formulas::Formula;
use labrys_term::{ArrayValue, Evaluator, Model, Sort, Store, TermId, Value};

/// All values of a sort; NaN once. `None` where there are too many.
fn values(sort: &Sort) -> Option<Vec<Value>> {
    Some(match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::RoundingMode => RoundingMode::ALL.into_iter().map(Value::RoundingMode).collect(),
        Sort::BitVec(width) if *width <= 12 => {
            (0..1_u32 << width).map(|bits| Value::bit_vector(*width, bits)).collect()
        }
        Sort::Float(format) if format.width() <= 12 => {
            let all = (0..1_u32 << format.width()).map(|bits| Float::from_bits(*format, bits));
            let numbers = all.filter(|value| !value.is_nan());
            numbers.chain([Float::nan(*format)]).map(Value::Float).collect()
        }
        Sort::Array(sorts) => {
            let (indices, elements) = (values(&sorts.0)?, values(&sorts.1)?);
            let maps = elements.len().checked_pow(u32::try_from(indices.len()).ok()?).filter(|&maps| maps <= 256)?;
            (0..maps).map(|number| array(&sorts.0, &indices, &elements, number)).collect()
        }
        _ => return None,
    })
}

/// The map of a number, whose digits to the base of the elements are the elements.
fn array(index: &Sort, indices: &[Value], elements: &[Value], mut number: usize) -> Value {
    let mut array = ArrayValue::constant(index.clone(), elements[0].clone());
    for index in indices {
        array.set(index.clone(), elements[number % elements.len()].clone());
        number /= elements.len();
    }
    Value::Array(Box::new(array))
}

/// What enumeration found.
pub struct Enumeration {
    /// Some models, whatever the values are that the standard leaves open.
    pub models: Vec<Model>,
    /// Whether some assignment satisfies the formula or not depending on such values.
    pub open: bool,
}

impl Enumeration {
    /// Whether the formula is satisfiable, where enumeration can tell.
    pub fn verdict(&self) -> Option<bool> {
        if !self.models.is_empty() {
            return Some(true);
        }
        (!self.open).then_some(false)
    }
}

/// Tries all assignments until it has `most` models; `None` where there are too many to try.
pub fn enumerate(formula: &Formula, most: usize) -> Option<Enumeration> {
    let choices: Vec<Vec<Value>> =
        formula.variables.iter().map(|&variable| values(formula.store.sort(variable))).collect::<Option<_>>()?;
    let total: usize = choices.iter().map(Vec::len).product();
    if total > 1 << 14 {
        return None;
    }
    let mut found = Enumeration { models: Vec::new(), open: false };
    for number in 0..total {
        let mut rest = number;
        let mut model = Model::new();
        for (&variable, choice) in formula.variables.iter().zip(&choices) {
            model.set_term(&formula.store, variable, choice[rest % choice.len()].clone());
            rest /= choice.len();
        }
        let mut evaluator = Evaluator::new(&formula.store, &model);
        let truths: Vec<_> = formula.assertions.iter().map(|&assertion| evaluator.holds(assertion).ok()).collect();
        if truths.contains(&Some(false)) {
            continue;
        }
        if truths.contains(&None) {
            found.open = true;
            continue;
        }
        found.models.push(model);
        if found.models.len() == most {
            break;
        }
    }
    Some(found)
}

/// Whether a model satisfies every assertion. It says what open values are where they matter, so that an error is a no.
pub fn satisfies(store: &Store, assertions: &[TermId], model: &Model) -> bool {
    let mut evaluator = Evaluator::new(store, model);
    assertions.iter().all(|&assertion| evaluator.holds(assertion) == Ok(true))
}
