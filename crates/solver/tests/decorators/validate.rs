use labrys_float::{Float, Format, RoundingMode};
use labrys_solver::{FloatOutcome, FloatSolver, Limits, RealOutcome, RealSolver, Validate, Why};
use labrys_term::{Model, Op, Sort, Store, TermId, Value};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::scripted::{Scripted, candidate, equals, rational, real};

fn check_real(store: &Store, query: &[TermId], answer: RealOutcome) -> RealOutcome {
    let (engine, _) = Scripted::new([answer]);
    Validate::new(engine).check_once(store, query, &Limits::default())
}

#[test]
fn a_wrong_real_model_is_refused_and_a_right_one_passes() {
    let mut store = Store::new();
    let x = real(&mut store, "x");
    let third = rational(1, 3);
    let query = equals(&mut store, x, third.clone());
    let right = candidate(&store, &[(x, third.clone())]);
    assert_eq!(check_real(&store, &[query], right.clone()), right);
    // Wrong by so little that no interval of 256 bits can tell: exact evaluation does.
    let hair = BigRational::new(BigInt::from(1), BigInt::from(1) << 400u32);
    let wrong = candidate(&store, &[(x, third + hair)]);
    assert_eq!(check_real(&store, &[query], wrong), RealOutcome::Unknown(Why::WrongModel));
}

#[test]
fn a_wrong_model_of_a_deep_term_is_refused() {
    let mut store = Store::new();
    let x = real(&mut store, "x");
    // Exact rationals of x^(2^k) would not fit into memory; 40 squarings of 1 + 2^-20 give about e^(2^20).
    let mut power = x;
    for _ in 0..40 {
        power = store.mk(Op::RealMul, &[power, power]);
    }
    let bound = store.real_const(rational(1, 1));
    let below = store.mk(Op::RealLt, &[power, bound]);
    let above = store.mk(Op::RealLt, &[bound, power]);
    let model = candidate(&store, &[(x, rational((1 << 20) + 1, 1 << 20))]);
    assert_eq!(check_real(&store, &[below], model.clone()), RealOutcome::Unknown(Why::WrongModel));
    assert_eq!(check_real(&store, &[above], model.clone()), model);
}

#[test]
fn a_division_by_zero_is_left_open() {
    let mut store = Store::new();
    let (x, y) = (real(&mut store, "x"), real(&mut store, "y"));
    let quotient = store.mk(Op::RealDiv, &[x, y]);
    let query = equals(&mut store, quotient, rational(7, 1));
    let model = candidate(&store, &[(x, rational(1, 1)), (y, rational(0, 1))]);
    assert_eq!(check_real(&store, &[query], model.clone()), model);
    let model = candidate(&store, &[(x, rational(1, 1)), (y, rational(2, 1))]);
    assert_eq!(check_real(&store, &[query], model), RealOutcome::Unknown(Why::WrongModel));
}

fn check_float(store: &Store, query: &[TermId], model: Model) -> FloatOutcome {
    let (engine, _) = Scripted::new([FloatOutcome::Sat(model)]);
    Validate::new(engine).check_once(store, query, &Limits::default())
}

#[test]
fn float_models_are_evaluated_and_completed() {
    let mut store = Store::new();
    let sort = Sort::Float(Format::BINARY64);
    let (x, y) = (store.variable("x", sort.clone()), store.variable("y", sort));
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let sum = store.mk(Op::FpAdd, &[mode, x, y]);
    let infinite = store.mk(Op::FpIsInfinite, &[sum]);
    let mut model = Model::new();
    model.set_term(&store, x, Value::Float(Float::from_f64(f64::MAX)));
    // y is not mentioned; with the zero it gets the sum is finite.
    assert_eq!(check_float(&store, &[infinite], model.clone()), FloatOutcome::Unknown(Why::WrongModel));
    let finite = store.not(infinite);
    let FloatOutcome::Sat(completed) = check_float(&store, &[finite], model.clone()) else {
        panic!("MAX + 0 is finite");
    };
    assert_eq!(completed.len(), 2);
    model.set_term(&store, y, Value::Float(Float::from_f64(f64::MAX)));
    assert_eq!(check_float(&store, &[infinite], model.clone()), FloatOutcome::Sat(model));
}
