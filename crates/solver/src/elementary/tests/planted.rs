//! Formulas with planted models and calls: the results planted are correctly rounded, so that every `unsat` is wrong.
//!
//! `LABRYS_AGREEMENT_COUNT` says how many formulas, one for each fifty: they take that much longer than others; 150 by default.
//! `LABRYS_AGREEMENT_SEED` is the first one's seed.

use labrys_elementary::Function;
use labrys_formulas::{Formula, Random, Shape};

use super::*;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A call on floats of a planted formula, and what is true of its result; `None` if the formula has no floats.
fn with_call(formula: &mut Formula, random: &mut Random, functions: &[Function]) -> Option<CallTerm> {
    let model = formula.model.as_mut()?;
    let mut evaluator = Evaluator::new(&formula.store, model);
    let mut floats: Vec<(TermId, Float)> = Vec::new();
    for term in formula.store.reachable(&formula.assertions) {
        if let (Some(_), Ok(Value::Float(value))) = (formula.store.float_format(term), evaluator.value(term)) {
            floats.push((term, value));
        }
    }
    drop(evaluator);
    if floats.is_empty() {
        return None;
    }
    let (first, x) = random.pick(&floats);
    let fitting: Vec<(TermId, Float)> = floats.into_iter().filter(|(_, y)| y.format() == x.format()).collect();
    let (second, y) = random.pick(&fitting);
    let function = random.pick(functions);
    let (operands, values) = ([first, second], [x, y]);
    let result = labrys_elementary::evaluate(function, &values[..function.arity()]).value;
    let result = if result.is_nan() { Float::nan(result.format()) } else { result };
    let variable = formula.store.variable("call", Sort::Float(result.format()));
    model.set_term(&formula.store, variable, Value::Float(result.clone()));
    // Bounds beside the result, or equations with the operand and with it.
    let bounds = if result.is_nan() { [result.clone(), result] } else { [result.next_down(), result.next_up()] };
    for (low, high) in [
        (formula.store.float_const(bounds[0].clone()), variable),
        (variable, formula.store.float_const(bounds[1].clone())),
    ] {
        let op = random.pick(&[Op::FpLe, Op::FpLt, Op::FpEq, Op::Eq]);
        let relation = formula.store.mk(op, &[low, high]);
        let model = formula.model.as_ref()?;
        match Evaluator::new(&formula.store, model).holds(relation) {
            Ok(true) => formula.assertions.push(relation),
            Ok(false) => formula.assertions.push(formula.store.not(relation)),
            Err(_) => {}
        }
    }
    Some(CallTerm { variable, function, operands: operands[..function.arity()].to_vec() })
}

#[test]
fn planted_calls_are_not_refuted() {
    let shape =
        Shape { formats: vec![(8, 24), (11, 53), (5, 11), (3, 4)], arrays: false, open: false, ..Shape::full() };
    let functions: Vec<Function> = Function::all().collect();
    let (first, mut satisfiable) = (setting("LABRYS_AGREEMENT_SEED", 0), 0);
    let count = setting("LABRYS_AGREEMENT_COUNT", 7_500).div_ceil(50);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let mut formula = Formula::planted(seed, &shape);
        let Some(call) = with_call(&mut formula, &mut random, &functions) else { continue };
        let mut solver = Portfolio::new(PortfolioConfig::default());
        let limits = Limits { wall: Duration::from_millis(60), ..Limits::default() };
        let ulps = if random.below(2) == 0 { 0 } else { 4 };
        let Formula { mut store, assertions, .. } = formula;
        match check_with_calls(&mut store, &assertions, std::slice::from_ref(&call), ulps, &mut solver, &limits, 6) {
            FloatOutcome::Unsat(_) => panic!(
                "seed {seed}: {call:?} within {ulps}\n{}",
                labrys_term::smtlib::print_script(&store, &assertions, &Default::default())
            ),
            FloatOutcome::Sat(_) => satisfiable += 1,
            FloatOutcome::Unknown(_) => {}
        }
    }
    assert!(satisfiable * 4 > count, "{satisfiable} of {count}");
}
