use std::time::Duration;

use labrys_float::{Float, Format, RoundingMode};
use labrys_solver::{Core, FloatOutcome, Limits, float_stack};
use labrys_term::{Op, Sort, Store};

use crate::config;

/// Bit-blasting takes more than the reals' default.
const LIMITS: Limits = Limits { work: 20_000_000, wall: Duration::from_secs(60), memory_mib: 2048 };

#[test]
fn a_witness_over_the_floats_is_exact() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Float(Format::BINARY32));
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let twice = store.mk(Op::FpAdd, &[mode, x, x]);
    let overflows = store.mk(Op::FpIsInfinite, &[twice]);
    let infinite = store.mk(Op::FpIsInfinite, &[x]);
    let query = [overflows, store.not(infinite)];
    let outcome = float_stack(&config()).check_once(&store, &query, &LIMITS);
    let FloatOutcome::Sat(model) = outcome else { panic!("MAX + MAX overflows: {outcome:?}") };
    let (_, value) = model.iter().next().expect("x has a value");
    let x = value.as_float().and_then(Float::to_f32).expect("a binary32 value");
    assert!(x.is_finite() && (x + x).is_infinite(), "{x}");
}

#[test]
fn an_unsatisfiable_query_is_a_proof_and_comes_with_a_core() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Float(Format::BINARY32));
    let y = store.variable("y", Sort::Float(Format::BINARY32));
    let nan = store.mk(Op::FpIsNan, &[x]);
    let equal = store.mk(Op::FpEq, &[x, x]);
    let other = store.mk(Op::FpIsZero, &[y]);
    // The part about y is satisfiable by itself and stays out of the core.
    let outcome = float_stack(&config()).check_once(&store, &[nan, other, equal], &LIMITS);
    assert_eq!(outcome, FloatOutcome::Unsat(Core(vec![0, 2])));
}

#[test]
fn operators_that_smt_lib_lacks_are_sent_by_their_definitions() {
    let mut store = Store::new();
    let format = Format::new(3, 4);
    let (x, y) = (store.variable("x", Sort::Float(format)), store.variable("y", Sort::Float(format)));
    let remainder = store.mk(Op::FpFmod, &[x, y]);
    let size = store.mk(Op::FpAbs, &[remainder]);
    let divisor = store.mk(Op::FpAbs, &[y]);
    // |fmod(x, y)| ≥ |y| for no numbers.
    let query = store.mk(Op::FpLe, &[divisor, size]);
    let outcome = float_stack(&config()).check_once(&store, &[query], &LIMITS);
    assert_eq!(outcome, FloatOutcome::Unsat(Core(vec![0])));
    // And it is not IEEE's remainder: fmod(7, 4) = 3 has no counterpart −1.
    let constant = |store: &mut Store, value: &str| {
        store.float_const(Float::parse_decimal(format, value).expect("a decimal numeral"))
    };
    let (seven, four, three) = (constant(&mut store, "7"), constant(&mut store, "4"), constant(&mut store, "3"));
    let query = [store.mk(Op::Eq, &[x, seven]), store.mk(Op::Eq, &[y, four]), store.mk(Op::Eq, &[remainder, three])];
    let outcome = float_stack(&config()).check_once(&store, &query, &LIMITS);
    assert!(matches!(outcome, FloatOutcome::Sat(_)), "{outcome:?}");
}
