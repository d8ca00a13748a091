use num_rational::BigRational;
use num_traits::{One, Zero};
use proptest::prelude::*;

use super::*;
use crate::{EvalError, Model, Op, Sort, Store, TermId, Truth, Value, eval};

/// Builds terms from random choices: each step combines earlier terms.
fn build(store: &mut Store, variables: &[TermId], choices: &[(u8, u8, u8)]) -> (Vec<TermId>, Vec<TermId>) {
    let numbers = [0.0, 1.0, -1.0, 0.5, 3.0, 0.1, 1e300, 1e-300, f64::MAX, f64::MIN_POSITIVE];
    let mut reals = variables.to_vec();
    reals.extend(
        numbers.map(|number| store.real_const(BigRational::from_float(number).unwrap_or_else(BigRational::zero))),
    );
    let mut truths = vec![store.bool_const(true)];
    for &(kind, i, j) in choices {
        let (a, b) = (reals[i as usize % reals.len()], reals[j as usize % reals.len()]);
        let (p, q) = (truths[i as usize % truths.len()], truths[j as usize % truths.len()]);
        match kind % 15 {
            0 | 1 => reals.push(store.mk(Op::RealAdd, &[a, b])),
            2 => reals.push(store.mk(Op::RealSub, &[a, b])),
            3 | 4 => reals.push(store.mk(Op::RealMul, &[a, b, a])),
            5 => reals.push(store.mk(Op::RealDiv, &[a, b])),
            6 => reals.push(store.mk(Op::RealAbs, &[a])),
            7 => reals.push(store.mk(Op::Ite, &[p, a, b])),
            8 => truths.push(store.mk(Op::RealLt, &[a, b])),
            9 => truths.push(store.mk(Op::RealLe, &[a, b])),
            10 => truths.push(store.mk(Op::Eq, &[a, b])),
            11 => truths.push(store.mk(Op::And, &[p, q])),
            12 => truths.push(store.mk(Op::Distinct, &[a, b])),
            13 => truths.push(store.mk(Op::Ite, &[p, q, truths[truths.len() - 1]])),
            _ => truths.push(store.mk(Op::Implies, &[p, q])),
        }
    }
    (reals, truths)
}

fn input() -> impl Strategy<Value = f64> {
    let round = prop::sample::select(vec![0.0, 1.0, -1.0, 2.0, 0.1, -0.5, 3.0, f64::MAX, f64::MIN_POSITIVE, 5e-324]);
    let any = any::<f64>().prop_map(|x| if x.is_finite() { x } else { 7.25 });
    prop_oneof![round, -4.0..4.0f64, any]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// True and False are never wrong, bounds always contain the exact value.
    #[test]
    fn certain_answers_are_right(
        x in input(), y in input(),
        choices in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..40),
    ) {
        let mut store = Store::new();
        let variables = [store.variable("x", Sort::Real), store.variable("y", Sort::Real)];
        let (reals, truths) = build(&mut store, &variables, &choices);
        let roots: Vec<TermId> = truths.iter().chain(&reals).copied().collect();
        let program = RealProgram::compile(&store, &roots).unwrap();
        let mut evaluator = RealEvaluator::new(&program);
        let values = [x, y].map(ExtendedReal::from_f64);
        let found = evaluator.run(&values).to_vec();

        let mut model = Model::new();
        for (variable, value) in variables.iter().zip([x, y]) {
            model.set_term(&store, *variable, Value::Real(BigRational::from_float(value).unwrap()));
        }
        for (&term, truth) in truths.iter().zip(&found) {
            match eval(&store, term, &model) {
                Ok(Value::Bool(true)) => prop_assert_ne!(*truth, Truth::False),
                Ok(Value::Bool(false)) => prop_assert_ne!(*truth, Truth::True),
                Err(EvalError::Open(_)) => prop_assert_eq!(*truth, Truth::Unsure),
                other => prop_assert!(false, "{:?}", other),
            }
        }
        for (&term, value) in reals.iter().zip(evaluator.reals()) {
            match eval(&store, term, &model) {
                Ok(Value::Real(exact)) => {
                    if let Some((low, high)) = value.bounds() {
                        prop_assert!(low <= exact && exact <= high, "{:?} {}", value, exact);
                    }
                }
                _ => prop_assert!(!value.is_known()),
            }
        }
    }

    #[test]
    fn rationals_are_enclosed(n in any::<i64>(), d in 1i64.., shift in 0u32..3000) {
        let value = BigRational::new(n.into(), num_bigint::BigInt::from(d) << shift);
        let (low, high) = ExtendedReal::from_rational(&value).bounds().unwrap();
        prop_assert!(low <= value && value <= high);
        prop_assert!(&high - &low <= BigRational::new(1.into(), (1i64 << 49).into()) * num_traits::Signed::abs(&value));
    }
}

fn decide(store: &Store, term: TermId, value: f64) -> Truth {
    let program = RealProgram::compile(store, &[term]).unwrap();
    RealEvaluator::new(&program).run(&[ExtendedReal::from_f64(value)])[0]
}

#[test]
fn margins_decide_and_exact_cancellations_are_seen() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let one = store.real_const(BigRational::one());
    let zero = store.real_const(BigRational::zero());
    let difference = store.mk(Op::RealSub, &[one, x]);
    let cancels = store.mk(Op::Eq, &[difference, zero]);
    assert_eq!(decide(&store, cancels, 1.0), Truth::True);
    assert_eq!(decide(&store, cancels, 1.0 + f64::EPSILON), Truth::False);

    // x·x·x is not exact for x = 0.1: equal to itself plus nothing cannot be told, a whole per cent can.
    let cube = store.mk(Op::RealMul, &[x, x, x]);
    let thousandth = store.real_const(BigRational::new(1.into(), 1000.into()));
    let less = store.mk(Op::RealLt, &[cube, thousandth]);
    assert_eq!(decide(&store, less, 0.1), Truth::Unsure);
    assert_eq!(decide(&store, less, 0.099), Truth::True);
    assert_eq!(decide(&store, less, 0.101), Truth::False);

    let quotient = store.mk(Op::RealDiv, &[one, difference]);
    let positive = store.mk(Op::RealLt, &[zero, quotient]);
    assert_eq!(decide(&store, positive, 1.0), Truth::Unsure);
    assert_eq!(decide(&store, positive, 1.5), Truth::False);
}

#[test]
fn magnitudes_far_beyond_doubles_are_compared() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let mut power = x;
    for _ in 0..40 {
        power = store.mk(Op::RealMul, &[power, power]);
    }
    let one = store.real_const(BigRational::one());
    let sum = store.mk(Op::RealAdd, &[power, one]);
    let beyond = store.mk(Op::RealLt, &[power, sum]);
    let above = store.mk(Op::RealLt, &[one, power]);
    assert_eq!(decide(&store, above, 1e300), Truth::True);
    assert_eq!(decide(&store, above, 1e-300), Truth::False);
    assert_eq!(decide(&store, beyond, 1e300), Truth::Unsure);
    // 2^(2^62) is beyond what exponents hold.
    for _ in 0..30 {
        power = store.mk(Op::RealMul, &[power, power]);
    }
    let above = store.mk(Op::RealLt, &[one, power]);
    assert_eq!(decide(&store, above, 2.0), Truth::Unsure);
}

#[test]
fn terms_of_other_theories_are_refused() {
    let mut store = Store::new();
    let p = store.variable("p", Sort::Bool);
    assert_eq!(RealProgram::compile(&store, &[p]).err(), Some(CompileError(p)));
}

#[test]
fn depth_does_not_matter() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let mut sum = x;
    for _ in 0..100_000 {
        sum = store.mk(Op::RealAdd, &[sum, x]);
    }
    let less = store.mk(Op::RealLt, &[x, sum]);
    let program = RealProgram::compile(&store, &[less]).unwrap();
    assert!(program.reals <= 3, "registers are reused");
    assert_eq!(RealEvaluator::new(&program).run(&[ExtendedReal::from_f64(1.0)]), [Truth::True]);
}
