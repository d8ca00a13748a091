use labrys_solver::{Limits, RealOutcome, RealValue, real_stack};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::config;

fn constant(store: &mut Store, value: i64) -> TermId {
    store.real_const(BigRational::from_integer(BigInt::from(value)))
}

#[test]
fn rational_and_algebraic_values_are_read() {
    let mut store = Store::new();
    let (x, y) = (store.variable("x[0]", Sort::Real), store.variable("y z", Sort::Real));
    let (two, three) = (constant(&mut store, 2), constant(&mut store, -3));
    let square = store.mk(Op::RealMul, &[x, x]);
    let thrice = store.mk(Op::RealMul, &[three, y]);
    let zero = constant(&mut store, 0);
    let query = [store.mk(Op::Eq, &[square, two]), store.mk(Op::RealLt, &[x, zero]), store.mk(Op::Eq, &[thrice, two])];
    let outcome = real_stack(&config()).check_once(&store, &query, &Limits::default());
    let RealOutcome::Candidate(model) = outcome else { panic!("−√2 and −2/3 satisfy it: {outcome:?}") };
    let value = |term| &model.values[&store.as_variable(term).expect("a variable")];
    assert_eq!(*value(y), RealValue::Rational(BigRational::new(BigInt::from(-2), BigInt::from(3))));
    let (below, above) = value(x).round_both(labrys_float::Format::BINARY64);
    let root = -std::f64::consts::SQRT_2;
    assert!(below.to_f64() == Some(root) || above.to_f64() == Some(root), "{below:?} {above:?}");
    assert_ne!(below, above);
}

#[test]
fn what_has_no_solution_has_no_candidate() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let square = store.mk(Op::RealMul, &[x, x]);
    let zero = constant(&mut store, 0);
    let query = store.mk(Op::RealLt, &[square, zero]);
    let outcome = real_stack(&config()).check_once(&store, &[query], &Limits::default());
    assert_eq!(outcome, RealOutcome::NoCandidate);
}

#[test]
fn numbers_beyond_the_doubles_survive_the_journey() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let huge = BigRational::new(BigInt::from(10).pow(400) + 1, BigInt::from(7).pow(300));
    let bound = store.real_const(huge.clone());
    let query = store.mk(Op::Eq, &[x, bound]);
    let outcome = real_stack(&config()).check_once(&store, &[query], &Limits::default());
    let RealOutcome::Candidate(model) = outcome else { panic!("a constant satisfies it: {outcome:?}") };
    assert_eq!(model.values.values().collect::<Vec<_>>(), [&RealValue::Rational(huge)]);
}

#[test]
fn a_query_without_variables_and_one_over_floats_are_answered() {
    let mut store = Store::new();
    let mut solver = real_stack(&config());
    let truth = store.bool_const(true);
    let outcome = solver.check_once(&store, &[truth], &Limits::default());
    assert!(matches!(&outcome, RealOutcome::Candidate(model) if model.values.is_empty()), "{outcome:?}");
    let float = store.variable("f", Sort::Float(labrys_float::Format::BINARY64));
    let nan = store.mk(Op::FpIsNan, &[float]);
    let outcome = solver.check_once(&store, &[nan], &Limits::default());
    assert!(matches!(&outcome, RealOutcome::Unknown(labrys_solver::Why::Unsupported(_))), "{outcome:?}");
}
