mod planted;

use labrys_elementary::Function;
use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Random;
use labrys_term::{Evaluator, Op, Sort, Value};

use super::*;
use crate::{EngineChoice, Portfolio, PortfolioConfig};

const DOUBLE: Format = Format::BINARY64;

/// A query about calls in the making.
struct Subject {
    store: Store,
    calls: Vec<CallTerm>,
}

impl Subject {
    fn new() -> Subject {
        Subject { store: Store::new(), calls: Vec::new() }
    }

    fn variable(&mut self, name: &str) -> TermId {
        self.store.variable(name, Sort::Float(DOUBLE))
    }

    fn number(&mut self, value: f64) -> TermId {
        self.store.float_const(Float::from_f64(value))
    }

    fn call(&mut self, function: Function, operands: &[TermId]) -> TermId {
        let variable = self.variable(&format!("{}!{}", function.name(), self.calls.len()));
        self.calls.push(CallTerm { variable, function, operands: operands.to_vec() });
        variable
    }

    fn arithmetic(&mut self, op: Op, x: TermId, y: TermId) -> TermId {
        let mode = self.store.rounding_mode(RoundingMode::NearestEven);
        self.store.mk(op, &[mode, x, y])
    }

    fn between(&mut self, low: f64, x: TermId, high: f64) -> TermId {
        let (low, high) = (self.number(low), self.number(high));
        let parts = [self.store.mk(Op::FpLe, &[low, x]), self.store.mk(Op::FpLe, &[x, high])];
        self.store.and(&parts)
    }

    fn check(&mut self, assertions: &[TermId]) -> FloatOutcome {
        let mut solver = Portfolio::new(PortfolioConfig { reproducible: true, ..PortfolioConfig::default() });
        let limits = Limits { wall: Duration::from_secs(20), ..Limits::default() };
        let outcome = check_with_calls(&mut self.store, assertions, &self.calls, 4, &mut solver, &limits, 40);
        if let FloatOutcome::Sat(model) = &outcome {
            let mut evaluator = Evaluator::new(&self.store, model);
            assert!(assertions.iter().all(|assertion| evaluator.holds(*assertion) == Ok(true)));
            // Calls that nothing depends on have no values.
            for call in &self.calls {
                if evaluator.value(call.variable).is_err() {
                    continue;
                }
                let mut float = |term: TermId| match evaluator.value(term) {
                    Ok(Value::Float(value)) => value,
                    other => panic!("{other:?}"),
                };
                let operands: Vec<Float> = call.operands.iter().map(|operand| float(*operand)).collect();
                let exact = labrys_elementary::evaluate(call.function, &operands).value;
                let (result, steps) = (float(call.variable), call.function.steps(4));
                let near = exact.ulp_distance(&result).is_some_and(|distance| distance <= steps.into());
                assert!(near || exact.is_nan() && result.is_nan(), "{}: {}", call.function.name(), result.to_hex());
            }
        }
        outcome
    }
}

#[test]
fn a_logarithm_of_an_exponential_is_positive_where_it_should_be() {
    let mut subject = Subject::new();
    let x = subject.variable("x");
    let exp = subject.call(Function::Exp, &[x]);
    let log = subject.call(Function::Log, &[exp]);
    let (domain, zero) = (subject.between(0.5, x, 100.0), subject.number(0.0));
    let negative = subject.store.mk(Op::FpLe, &[log, zero]);
    assert!(matches!(subject.check(&[domain, negative]), FloatOutcome::Unsat(_)));
    let large = subject.between(49.0, log, 50.0);
    assert!(matches!(subject.check(&[domain, large]), FloatOutcome::Sat(_)));
}

#[test]
fn a_hyperbolic_sine_is_zero_only_at_zero() {
    let mut subject = Subject::new();
    let x = subject.variable("x");
    let sinh = subject.call(Function::Sinh, &[x]);
    let zero = subject.store.mk(Op::FpIsZero, &[sinh]);
    let outside = {
        let zero = subject.store.mk(Op::FpIsZero, &[x]);
        subject.store.not(zero)
    };
    let outcome = subject.check(&[outside, zero]);
    assert!(matches!(outcome, FloatOutcome::Unsat(_)), "{outcome:?}");
    assert!(matches!(subject.check(&[zero]), FloatOutcome::Sat(_)));
}

#[test]
fn products_with_calls_have_witnesses_and_proofs() {
    // exp(x)·y overflows for x, y ≤ 600, not for x, y ≤ 350.
    let mut subject = Subject::new();
    let (x, y) = (subject.variable("x"), subject.variable("y"));
    let exp = subject.call(Function::Exp, &[x]);
    let factor = subject.call(Function::Exp, &[y]);
    let product = subject.arithmetic(Op::FpMul, exp, factor);
    let overflow = subject.store.mk(Op::FpIsInfinite, &[product]);
    let wide = [subject.between(-1.0, x, 600.0), subject.between(-1.0, y, 600.0), overflow];
    assert!(matches!(subject.check(&wide), FloatOutcome::Sat(_)));
    let narrow = [subject.between(-1.0, x, 350.0), subject.between(-1.0, y, 350.0), overflow];
    assert!(matches!(subject.check(&narrow), FloatOutcome::Unsat(_)));
}

#[test]
fn lemmas_around_models_refute_what_ranges_alone_do_not() {
    // exp(x) < x + 1/2 has no solution: exp(x) ≥ 1 + x.
    let mut subject = Subject::new();
    let x = subject.variable("x");
    let exp = subject.call(Function::Exp, &[x]);
    let half = subject.number(0.5);
    let line = subject.arithmetic(Op::FpAdd, x, half);
    let below = subject.store.mk(Op::FpLt, &[exp, line]);
    let domain = subject.between(-2.0, x, 3.0);
    let outcome = subject.check(&[domain, below]);
    assert!(matches!(outcome, FloatOutcome::Unsat(_)), "{outcome:?}");
}

#[test]
fn a_root_of_a_periodic_function_is_found_or_refuted() {
    let mut subject = Subject::new();
    let x = subject.variable("x");
    let sin = subject.call(Function::Sin, &[x]);
    let (domain, near) = (subject.between(2.0, x, 4.0), subject.between(-1e-3, sin, 1e-3));
    assert!(matches!(subject.check(&[domain, near]), FloatOutcome::Sat(_)));
    let (domain, near) = (subject.between(3.2, x, 6.2), subject.between(-1e-3, sin, 1.0));
    assert!(matches!(subject.check(&[domain, near]), FloatOutcome::Unsat(_)));
}

#[test]
fn powers_of_negative_numbers_are_numbers_only_for_integers() {
    let mut subject = Subject::new();
    let (x, y) = (subject.variable("x"), subject.variable("y"));
    let pow = subject.call(Function::Pow, &[x, y]);
    let is_nan = subject.store.mk(Op::FpIsNan, &[pow]);
    let domain = [subject.between(-3.0, x, -1.5), subject.between(0.25, y, 0.75)];
    let number = subject.store.not(is_nan);
    assert!(matches!(subject.check(&[domain[0], domain[1], number]), FloatOutcome::Unsat(_)));
    let domain = [subject.between(2.0, x, 3.0), subject.between(1.0, y, 2.0)];
    let five = subject.between(5.0, pow, 5.5);
    assert!(matches!(subject.check(&[domain[0], domain[1], five]), FloatOutcome::Sat(_)));
    let ten = subject.between(9.5, pow, 100.0);
    assert!(matches!(subject.check(&[domain[0], domain[1], ten]), FloatOutcome::Unsat(_)));
}

#[test]
fn equal_calls_have_equal_results_and_unused_ones_cost_nothing() {
    let mut subject = Subject::new();
    let (x, y) = (subject.variable("x"), subject.variable("y"));
    let (one, other) = (subject.call(Function::Tgamma, &[x]), subject.call(Function::Tgamma, &[y]));
    let same = subject.store.mk(Op::Eq, &[x, y]);
    let less = subject.store.mk(Op::FpLt, &[one, other]);
    let domain = subject.between(2.0, x, 3.0);
    assert!(matches!(subject.check(&[domain, same, less]), FloatOutcome::Unsat(_)));
    let domain = subject.between(1.0, x, 2.0);
    let FloatOutcome::Sat(_) = subject.check(&[domain]) else { panic!("no calls are left") };
}

/// A small format: 128 values, so that every pair of inputs can be tried.
const SMALL: Format = Format::new(3, 3);

fn number(random: &mut Random, store: &mut Store) -> TermId {
    let bits = num_bigint::BigUint::from(random.below(1 << SMALL.width()));
    store.float_const(Float::from_bits(SMALL, bits))
}

/// A random query: sums, products and calls of x and y, compared with each other and with constants.
fn random_query(random: &mut Random) -> (Subject, Vec<TermId>) {
    let functions = [
        Function::Exp,
        Function::Log,
        Function::Sin,
        Function::Cosh,
        Function::Tanh,
        Function::Log1p,
        Function::Acos,
        Function::Tgamma,
        Function::Pow,
        Function::Hypot,
        Function::Atan2,
    ];
    let mut subject = Subject::new();
    let mut terms: Vec<TermId> =
        ["x", "y"].iter().map(|name| subject.store.variable(name, Sort::Float(SMALL))).collect();
    for _ in 0..2 + random.below(3) {
        let (one, other) = (random.pick(&terms), random.pick(&terms));
        let function = random.pick(&functions);
        let term = if random.below(3) == 0 {
            let op = random.pick(&[Op::FpAdd, Op::FpMul, Op::FpSub]);
            subject.arithmetic(op, one, other)
        } else {
            let operands = [one, other];
            let operands = &operands[..function.arity()];
            let known = subject.calls.iter().find(|call| call.function == function && call.operands == operands);
            match known.map(|call| call.variable) {
                Some(variable) => variable,
                None => {
                    let name = format!("{}!{}", function.name(), subject.calls.len());
                    let variable = subject.store.variable(&name, Sort::Float(SMALL));
                    subject.calls.push(CallTerm { variable, function, operands: operands.to_vec() });
                    variable
                }
            }
        };
        terms.push(term);
    }
    let mut assertions = Vec::new();
    for _ in 0..2 + random.below(2) {
        let (one, other) = (random.pick(&terms[2..]), random.pick(&terms));
        let other = if random.below(2) == 0 { other } else { number(random, &mut subject.store) };
        let op = random.pick(&[Op::FpLe, Op::FpLt, Op::FpEq, Op::FpLt]);
        let comparison = subject.store.mk(op, &[one, other]);
        assertions.push(if random.below(4) == 0 { subject.store.not(comparison) } else { comparison });
    }
    (subject, assertions)
}

/// Whether some x and y satisfy the assertions with correctly rounded calls, by trying all.
fn is_satisfiable(subject: &mut Subject, assertions: &[TermId]) -> bool {
    let inputs = ["x", "y"].map(|name| subject.store.variable(name, Sort::Float(SMALL)));
    let of_bits = |bits: u32| Float::from_bits(SMALL, num_bigint::BigUint::from(bits));
    let mut values: Vec<Float> = (0..1 << SMALL.width()).map(of_bits).filter(|value| !value.is_nan()).collect();
    values.push(Float::nan(SMALL));
    let mut known: std::collections::HashMap<(Function, Vec<Float>), Float> = std::collections::HashMap::new();
    for x in &values {
        for y in &values {
            let store = &subject.store;
            let mut model = labrys_term::Model::new();
            model.set_term(store, inputs[0], Value::Float(x.clone()));
            model.set_term(store, inputs[1], Value::Float(y.clone()));
            for call in &subject.calls {
                let mut evaluator = Evaluator::new(store, &model);
                let mut float = |term: &TermId| match evaluator.value(*term) {
                    Ok(Value::Float(value)) => value,
                    other => panic!("{other:?}"),
                };
                let operands: Vec<Float> = call.operands.iter().map(&mut float).collect();
                let value = known
                    .entry((call.function, operands.clone()))
                    .or_insert_with(|| labrys_elementary::evaluate(call.function, &operands).value);
                model.set_term(store, call.variable, Value::Float(value.clone()));
            }
            let mut evaluator = Evaluator::new(store, &model);
            if assertions.iter().all(|assertion| evaluator.holds(*assertion) == Ok(true)) {
                return true;
            }
        }
    }
    false
}

#[test]
fn answers_are_those_of_trying_all_inputs() {
    let mut random = Random::new(2013);
    let mut decided = [0, 0];
    for round in 0..60 {
        let (mut subject, assertions) = random_query(&mut random);
        let expected = is_satisfiable(&mut subject, &assertions);
        let mut solver = Portfolio::new(PortfolioConfig { reproducible: true, ..PortfolioConfig::default() });
        let limits = Limits { wall: Duration::from_secs(20), ..Limits::default() };
        let outcome = check_with_calls(&mut subject.store, &assertions, &subject.calls, 0, &mut solver, &limits, 60);
        match outcome {
            FloatOutcome::Sat(_) => assert!(expected, "round {round}: sat, but no inputs"),
            FloatOutcome::Unsat(_) => assert!(!expected, "round {round}: unsat, but there are inputs"),
            FloatOutcome::Unknown(_) => continue,
        }
        decided[usize::from(expected)] += 1;
    }
    // All of them, both kinds often.
    assert!(decided[0] >= 20 && decided[1] >= 20, "{decided:?}");
}

/// The facts behind a proof are facts about the functions, and suffice without anything that propagation derived.
#[test]
fn proofs_rest_on_facts_about_the_functions_alone() {
    let mut random = Random::new(2018);
    let (mut proofs, mut facts) = (0, 0);
    for round in 0..60 {
        let (mut subject, assertions) = random_query(&mut random);
        let mut solver = Portfolio::new(PortfolioConfig { reproducible: true, ..PortfolioConfig::default() });
        let limits = Limits { wall: Duration::from_secs(20), ..Limits::default() };
        let Decided { outcome, lemmas } =
            decide_with_calls(&mut subject.store, &assertions, &subject.calls, 0, &mut solver, &limits, 60);
        if !matches!(outcome, FloatOutcome::Unsat(_)) {
            assert!(lemmas.is_empty());
            continue;
        }
        proofs += 1;
        facts += lemmas.len();
        let engines = EngineChoice::BitBlast;
        let mut other = Portfolio::new(PortfolioConfig { engines, ..PortfolioConfig::default() });
        let outcome = other.check_once(&subject.store, &[&assertions[..], &lemmas].concat(), &limits);
        assert!(matches!(outcome, FloatOutcome::Unsat(_)), "round {round}: {outcome:?}");
        let all = subject.store.and(&lemmas);
        let some_fails = subject.store.not(all);
        assert!(!is_satisfiable(&mut subject, &[some_fails]), "round {round}: a fact does not hold");
    }
    assert!(proofs >= 20 && facts >= 2 * proofs, "{proofs} proofs, {facts} facts");
}
