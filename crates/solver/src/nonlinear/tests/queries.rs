//! Whole queries: the paper's kinds of constraints, functions, disjunctions, integers, and what is refused.

use std::collections::BTreeMap;
use std::time::Duration;

use labrys_float::{Float, Format};
use labrys_term::{EvalError, Evaluator, Model, Op, Sort, Store, TermId, Truth, Value, VariableId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

use crate::enclosure::{self, Interval};
use crate::local::random::Random;
use crate::nonlinear::{Dependent, NonlinearConfig, NonlinearSteps, solve, solve_near};
use crate::{Limits, RealModel, RealOutcome, RealValue, Why};

/// No wall limit that a busy machine would meet.
fn patient() -> NonlinearConfig {
    let limits = Limits { work: 0, wall: Duration::from_secs(60), memory_mib: 0 };
    NonlinearConfig { limits, ..NonlinearConfig::default() }
}

/// Terms over doubles.
struct Terms {
    store: Store,
    dependents: Vec<Dependent>,
}

impl Terms {
    fn new() -> Terms {
        Terms { store: Store::new(), dependents: Vec::new() }
    }

    fn real(&mut self, name: &str) -> TermId {
        self.store.variable(name, Sort::Real)
    }

    fn number(&mut self, value: f64) -> TermId {
        self.store.real_const(BigRational::from_float(value).expect("finite"))
    }

    fn op<const N: usize>(&mut self, op: Op, args: [TermId; N]) -> TermId {
        self.store.mk(op, &args)
    }

    fn product(&mut self, args: &[TermId]) -> TermId {
        self.store.mk(Op::RealMul, args)
    }

    /// |t| > Ω.
    fn overflows(&mut self, term: TermId) -> TermId {
        let (size, bound) = (self.op(Op::RealAbs, [term]), self.number(f64::MAX));
        self.op(Op::RealLt, [bound, size])
    }

    /// 0 < |t| < ω.
    fn underflows(&mut self, term: TermId) -> TermId {
        let (size, bound, zero) = (self.op(Op::RealAbs, [term]), self.number(f64::MIN_POSITIVE), self.number(0.0));
        let parts = [self.op(Op::RealLt, [zero, size]), self.op(Op::RealLt, [size, bound])];
        self.store.and(&parts)
    }

    /// A call's value, named after the function.
    fn call(&mut self, function: &str, operand: TermId) -> TermId {
        let value = self.real(&format!("{function}!{}", operand.index()));
        let variable = self.store.as_variable(value).expect("it is one");
        self.dependents.push(Dependent { variable, operands: vec![operand], function: function.into() });
        value
    }

    /// d with d·d = t, and what says so.
    fn root(&mut self, term: TermId) -> (TermId, [TermId; 2]) {
        let (root, zero) = (self.real(&format!("sqrt!{}", term.index())), self.number(0.0));
        let square = self.product(&[root, root]);
        (root, [self.op(Op::RealLe, [zero, root]), self.op(Op::Eq, [square, term])])
    }

    fn solve_with(&self, query: &[TermId], config: &NonlinearConfig) -> (RealOutcome, NonlinearSteps) {
        let store = &self.store;
        let is_input = |variable: VariableId| !store.variable_info(variable).0.contains('!');
        let formats = |variable| is_input(variable).then_some(Format::BINARY64);
        let mut evaluate = |dependent: &Dependent, operands: &[BigRational]| {
            let x = Float::from_rational(Format::BINARY64, &operands[0], labrys_float::RoundingMode::NearestEven)
                .to_f64()?;
            BigRational::from_float(match &*dependent.function {
                "exp" => x.exp(),
                "log" => x.ln(),
                _ => x.sin(),
            })
        };
        solve(store, query, &self.dependents, &mut evaluate, &formats, config)
    }

    /// Solves, and checks the model by interval arithmetic; panics without a model.
    fn model(&self, query: &[TermId]) -> (RealModel, NonlinearSteps) {
        let (outcome, steps) = self.solve_with(query, &patient());
        let RealOutcome::Candidate(model) = outcome else { panic!("{outcome:?}, {steps:?}") };
        let (mut rational, mut intervals) = (Model::new(), FxHashMap::default());
        for (variable, value) in &model.values {
            if let RealValue::Rational(value) = value {
                rational.set(*variable, Value::Real(value.clone()));
            }
            let (low, high) = value.bounds();
            intervals.insert(*variable, Interval::between(&low, &high));
            if !self.store.variable_info(*variable).0.contains('!') {
                let (below, above) = value.round_both(Format::BINARY64);
                assert_eq!(below, above, "inputs are doubles");
            }
        }
        // What intervals leave open is exact, or says what an irrational number is.
        let mut evaluator = Evaluator::new(&self.store, &rational);
        for (term, truth) in query.iter().zip(enclosure::evaluate(&self.store, query, &intervals)) {
            let exact = evaluator.holds(*term);
            let is_definition = self.store.node(*term).op == Op::Eq && matches!(exact, Err(EvalError::Unassigned(_)));
            let holds = exact == Ok(true) || truth == Truth::True || (is_definition && truth == Truth::Unsure);
            assert!(truth != Truth::False && exact != Ok(false) && holds, "{term:?} {truth:?} {exact:?}");
        }
        (model, steps)
    }

    fn value(&self, model: &RealModel, term: TermId) -> f64 {
        let variable = self.store.as_variable(term).expect("it is one");
        model.values[&variable].round_both(Format::BINARY64).0.to_f64().expect("finite")
    }
}

#[test]
fn products_of_doubles_overflow_and_underflow() {
    let mut terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.real(name));
    let product = terms.product(&[x, y, z]);
    let (over, under) = (terms.overflows(product), terms.underflows(product));
    let (_, steps) = terms.model(&[over]);
    assert_eq!((steps.solved, steps.concretised, steps.univariate), (1, 1, 0));
    terms.model(&[under]);
    let square = terms.product(&[x, x]);
    let over = terms.overflows(square);
    let (_, steps) = terms.model(&[over]);
    assert_eq!((steps.univariate, steps.linear, steps.tries), (1, 0, 1));
}

/// Knu_scaled_asympx of GSL, which the paper shows: μ = 4ν², and a quotient by x².
#[test]
fn the_paper_s_bessel_function_meets_all_four_exceptions() {
    let mut terms = Terms::new();
    let [nu, x] = ["nu", "x"].map(|name| terms.real(name));
    let [one, two, four, eight, nine, pi] = [1.0, 2.0, 4.0, 8.0, 9.0, std::f64::consts::PI].map(|n| terms.number(n));
    let mu = terms.product(&[four, nu, nu]);
    let (mum1, mum9) = (terms.op(Op::RealSub, [mu, one]), terms.op(Op::RealSub, [mu, nine]));
    let twice = terms.product(&[two, x]);
    let quotient = terms.op(Op::RealDiv, [pi, twice]);
    let (pre, root) = terms.root(quotient);
    let (eightfold, hundred) = (terms.product(&[eight, x]), terms.number(128.0));
    let first = terms.op(Op::RealDiv, [mum1, eightfold]);
    let (numerator, denominator) = (terms.product(&[mum1, mum9]), terms.product(&[hundred, x, x]));
    let second = terms.op(Op::RealDiv, [numerator, denominator]);
    let sum = terms.op(Op::RealAdd, [one, first, second]);
    let value = terms.product(&[pre, sum]);
    let zero = terms.number(0.0);
    let x_is_zero = terms.op(Op::Eq, [x, zero]);
    let x_is_not_zero = terms.store.not(x_is_zero);

    let overflow = terms.overflows(value);
    terms.model(&[root.as_slice(), &[overflow, x_is_not_zero]].concat());
    let underflow = terms.underflows(second);
    terms.model(&[underflow, x_is_not_zero]);
    // Division by zero: x = 0 and π ≠ 0. Invalid: the root of a negative number, or 0/0 where μ = 1 and x = 0.
    terms.model(&[x_is_zero]);
    let negative = terms.op(Op::RealLt, [quotient, zero]);
    terms.model(&[negative]);
    let vanishes = terms.op(Op::Eq, [mum1, zero]);
    let (model, _) = terms.model(&[vanishes, x_is_zero]);
    assert_eq!(terms.value(&model, nu).abs(), 0.5);
}

#[test]
fn functions_of_the_last_variable_are_searched_for_their_thresholds() {
    let mut terms = Terms::new();
    let x = terms.real("x");
    let exponential = terms.call("exp", x);
    // x·exp(x) beyond Ω though exp(x) is not: x between 703.2 and 709.8.
    let product = terms.product(&[x, exponential]);
    let (over, inner) = (terms.overflows(product), terms.overflows(exponential));
    let quiet = terms.store.not(inner);
    let (model, steps) = terms.model(&[over, quiet]);
    assert!((703.0..710.0).contains(&terms.value(&model, x)));
    assert_eq!((steps.sampled, steps.univariate), (1, 1));

    // log(x) − y vanishes nearly: y is what is left when x is bound.
    let (y, tiny) = (terms.real("y"), terms.number(1e-12));
    let logarithm = terms.call("log", x);
    let difference = terms.op(Op::RealSub, [logarithm, y]);
    let size = terms.op(Op::RealAbs, [difference]);
    let near = terms.op(Op::RealLt, [size, tiny]);
    let one = terms.number(1.0);
    let far = terms.op(Op::RealLt, [one, y]);
    let (model, _) = terms.model(&[near, far]);
    assert!((terms.value(&model, x).ln() - terms.value(&model, y)).abs() < 1e-11);
}

#[test]
fn arms_of_disjunctions_are_tried_until_one_has_a_solution() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.real(name));
    let (zero, one) = (terms.number(0.0), terms.number(1.0));
    let squares = [x, y].map(|variable| terms.product(&[variable, variable]));
    let sum = terms.op(Op::RealAdd, squares);
    let impossible = terms.op(Op::RealLt, [sum, zero]);
    let product = terms.product(&[x, y, y, y]);
    let possible = terms.op(Op::RealLt, [one, product]);
    let either = terms.op(Op::Or, [impossible, possible]);
    // And through an if-then-else and a magnitude.
    let size = terms.op(Op::RealAbs, [x]);
    let is_large = terms.op(Op::RealLt, [one, size]);
    let choice = terms.op(Op::Ite, [is_large, y, x]);
    let hundred = terms.number(100.0);
    let large = terms.op(Op::RealLt, [hundred, choice]);
    let (model, _) = terms.model(&[either, large]);
    assert!(terms.value(&model, y) > 100.0);
}

#[test]
fn integers_stay_integers() {
    let mut terms = Terms::new();
    let [n, x] = ["n", "x"].map(|name| terms.real(name));
    // (2n − 7)·x = 1 has a solution in doubles only where 2n − 7 is ±1 or ±2^k: n is 3 or 4.
    let (two, seven, one) = (terms.number(2.0), terms.number(7.0), terms.number(1.0));
    let double = terms.product(&[two, n]);
    let odd = terms.op(Op::RealSub, [double, seven]);
    let product = terms.product(&[odd, x]);
    let query = [terms.op(Op::Eq, [product, one])];
    let variable = terms.store.as_variable(n).expect("it is one");
    let integers = BTreeMap::from([(variable, (BigInt::from(-50), BigInt::from(50)))]);
    let config = NonlinearConfig { integers, tries: 400, ..patient() };
    let (outcome, steps) = terms.solve_with(&query, &config);
    let RealOutcome::Candidate(model) = outcome else { panic!("{outcome:?} {steps:?}") };
    assert!([3.0, 4.0].contains(&terms.value(&model, n)));
    assert_eq!(terms.value(&model, x).abs(), 1.0);
}

#[test]
fn what_no_float_solves_is_said_so_where_there_is_one_variable() {
    let mut terms = Terms::new();
    let x = terms.real("x");
    let (square, two) = (terms.product(&[x, x]), terms.number(2.0));
    let query = [terms.op(Op::Eq, [square, two])];
    let (outcome, steps) = terms.solve_with(&query, &patient());
    assert_eq!((steps.refuted, steps.tries, steps.solved, steps.reals), (1, 1, 0, 1));
    let RealOutcome::Candidate(model) = outcome else { panic!("√2 is a real number: {outcome:?}") };
    let (below, above) = model.values[&terms.store.as_variable(x).expect("it is one")].round_both(Format::BINARY64);
    let neighbours = [below, above].map(|float| float.to_f64().expect("finite").abs());
    assert!(neighbours.contains(&2f64.sqrt()) && neighbours[0] != neighbours[1]);

    // Roots that are close together are not one root.
    let near = terms.store.real_const(BigRational::new((BigInt::from(1) << 201u32) + 1, BigInt::from(1) << 200u32));
    let contradiction = [query[0], terms.op(Op::Eq, [square, near])];
    let (outcome, steps) = terms.solve_with(&contradiction, &patient());
    assert!(matches!(outcome, RealOutcome::Unknown(Why::Incomplete(_))), "{outcome:?}");
    assert_eq!((steps.refuted, steps.reals), (1, 0));

    let negative = terms.number(-1e-300);
    let query = [terms.op(Op::RealLt, [square, negative])];
    let (outcome, steps) = terms.solve_with(&query, &patient());
    assert!(matches!(outcome, RealOutcome::Unknown(Why::Incomplete(_))), "{outcome:?}");
    assert_eq!((steps.refuted, steps.reals), (1, 0));
}

#[test]
fn queries_of_other_theories_and_circles_are_refused() {
    let mut terms = Terms::new();
    let p = terms.store.variable("p", Sort::Bool);
    let (outcome, _) = terms.solve_with(&[p], &patient());
    assert!(matches!(outcome, RealOutcome::Unknown(Why::Unsupported(_))), "{outcome:?}");

    let [a, b] = ["a!", "b!"].map(|name| terms.real(name));
    for (value, operand) in [(a, b), (b, a)] {
        let variable = terms.store.as_variable(value).expect("it is one");
        terms.dependents.push(Dependent { variable, operands: vec![operand], function: "exp".into() });
    }
    let less = terms.op(Op::RealLt, [a, b]);
    let (outcome, _) = terms.solve_with(&[less], &patient());
    assert!(matches!(outcome, RealOutcome::Unknown(Why::Unsupported(_))), "{outcome:?}");
}

#[test]
fn work_limits_hold_and_the_same_seed_gives_the_same_model() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.real(name));
    let (product, five) = (terms.product(&[x, y, y]), terms.number(5.0));
    let less = terms.op(Op::RealLt, [five, product]);
    let mut config = NonlinearConfig { seed: 7, ..patient() };
    let first = terms.solve_with(&[less], &config);
    assert!(matches!(first.0, RealOutcome::Candidate(_)));
    assert_eq!(first, terms.solve_with(&[less], &config));
    config.limits.work = 2;
    assert_eq!(terms.solve_with(&[less], &config).0, RealOutcome::Unknown(Why::Work));
}

/// Windows around polynomials' values at a hidden point, of all magnitudes: nine in ten are hit.
#[test]
fn hidden_points_are_found() {
    let mut random = Random::new(1);
    let mut found = 0;
    for _ in 0..30 {
        let mut terms = Terms::new();
        let names = ["x", "y", "z"];
        let variables = names.map(|name| terms.real(name));
        let hidden = names.map(|_| {
            let size = 2f64.powi(random.below(200) as i32 - 100) * (1.0 + random.below(1 << 30) as f64 / 2f64.powi(30));
            BigRational::from_float(if random.once_in(2) { -size } else { size }).expect("finite")
        });
        let mut point = Model::new();
        for (variable, value) in variables.iter().zip(&hidden) {
            point.set_term(&terms.store, *variable, Value::Real(value.clone()));
        }
        let mut query = Vec::new();
        for _ in 0..2 {
            let monomials: Vec<TermId> = (0..3)
                .map(|_| {
                    let factors: Vec<TermId> = (0..4).filter_map(|_| random.pick(&variables)).collect();
                    let product = terms.product(&factors);
                    let coefficient = terms.number(random.below(100) as f64 - 50.0);
                    terms.product(&[coefficient, product])
                })
                .collect();
            let sum = terms.store.mk(Op::RealAdd, &monomials);
            let Ok(Value::Real(value)) = labrys_term::eval(&terms.store, sum, &point) else { panic!("a real number") };
            let widths = [(9, 10), (11, 10)].map(|(n, d)| &value * BigRational::new(n.into(), d.into()));
            let [a, b] = widths.map(|end| terms.store.real_const(end));
            let is_positive = value > BigRational::from_integer(0.into());
            let (low, high) = if is_positive { (a, b) } else { (b, a) };
            query.extend([terms.op(Op::RealLe, [low, sum]), terms.op(Op::RealLe, [sum, high])]);
        }
        let (outcome, _) = terms.solve_with(&query, &patient());
        found += u32::from(matches!(outcome, RealOutcome::Candidate(_)));
    }
    assert!(found >= 27, "{found} of 30");
}

/// A model of another solver: functions' values that suit it, and numbers that are no floats.
#[test]
fn candidates_of_others_are_moved_to_floats_that_respect_functions() {
    let mut terms = Terms::new();
    let x = terms.real("x");
    let exponential = terms.call("exp", x);
    let (ten, eleven) = (terms.number(10.0), terms.number(11.0));
    let query = [terms.op(Op::RealLt, [ten, exponential]), terms.op(Op::RealLt, [exponential, eleven])];
    let mut start = RealModel::default();
    for (term, numerator) in [(x, 1), (exponential, 21)] {
        let value = RealValue::Rational(BigRational::new(numerator.into(), BigInt::from(2)));
        start.values.insert(terms.store.as_variable(term).expect("it is one"), value);
    }
    let store = &terms.store;
    let formats = |variable: VariableId| (store.variable_info(variable).0 == "x").then_some(Format::BINARY64);
    let mut evaluate = |_: &Dependent, operands: &[BigRational]| BigRational::from_float(operands[0].to_f64()?.exp());
    let config = patient();
    let (outcome, steps) = solve_near(store, &query, &terms.dependents, &mut evaluate, &formats, &config, &start);
    let RealOutcome::Candidate(model) = outcome else { panic!("{outcome:?}") };
    assert!((10.0..11.0).contains(&terms.value(&model, x).exp()));
    assert_eq!((steps.solved, steps.tries), (1, 0));
}
