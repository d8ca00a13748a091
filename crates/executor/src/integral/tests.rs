//! Rewritten comparisons against evaluation, for all values of small vectors and formats.

use labrys_term::{Evaluator, Model, Value};

use super::*;

/// Expressions of two small integers in a small format, some of which are exact and others not, for all values.
#[test]
fn comparisons_are_the_same_for_all_integers() {
    for (format, mode) in [
        (Format::new(5, 6), RoundingMode::NearestEven),
        (Format::new(5, 6), RoundingMode::TowardNegative),
        (Format::new(4, 4), RoundingMode::TowardZero),
    ] {
        let mut store = Store::new();
        let [a, b] = ["a", "b"].map(|name| store.variable(name, Sort::BitVec(6)));
        let mode = store.rounding_mode(mode);
        let (least, most, zero) = (store.bv_const(6, 58u8), store.bv_const(6, 7u8), store.bv_const(6, 0u8));
        let mut conjuncts = vec![
            store.mk(Op::BvSle, &[least, a]),
            store.mk(Op::BvSle, &[a, most]),
            store.mk(Op::BvSlt, &[zero, b]),
            store.mk(Op::BvUle, &[b, most]),
        ];
        let guards = conjuncts.len();
        let mut floats = Vec::new();
        for n in [a, b] {
            floats.push(store.mk(Op::FpFromSigned(format), &[mode, n]));
            floats.push(store.mk(Op::FpFromUnsigned(format), &[mode, n]));
        }
        let quarter = Float::one(format);
        let environment = labrys_float::Environment::default();
        let four = environment.from_integer(&4.into(), format).value;
        let quarter = environment.div(&quarter, &four).value;
        let quarter = store.float_const(quarter);
        let [x, y] = [floats[0], floats[2]];
        for op in [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv] {
            for (left, right) in [(x, y), (y, x), (x, x), (x, quarter), (y, quarter)] {
                floats.push(store.mk(op.clone(), &[mode, left, right]));
            }
        }
        floats.push(store.mk(Op::FpFmod, &[x, y]));
        floats.push(store.mk(Op::FpNeg, &[x]));
        let less = store.mk(Op::FpLt, &[x, y]);
        floats.push(store.mk(Op::Ite, &[less, x, quarter]));
        let sum = store.mk(Op::FpAdd, &[mode, floats[5], floats[13]]);
        floats.push(sum);
        floats.push(store.mk(Op::FpMul, &[mode, sum, y]));
        for (index, left) in floats.iter().enumerate() {
            for right in &floats[..index] {
                for op in [Op::FpEq, Op::FpLt, Op::FpLe] {
                    conjuncts.push(store.mk(op, &[*left, *right]));
                }
            }
            conjuncts.push(store.mk(Op::FpIsZero, &[*left]));
            let converted = store.mk(Op::FpToSigned(5), &[mode, *left]);
            let one = store.bv_const(5, 1u8);
            conjuncts.push(store.mk(Op::Eq, &[converted, one]));
        }
        let rewritten = rewritten(&mut store, &conjuncts).unwrap();
        let changed = rewritten.iter().zip(&conjuncts).filter(|(a, b)| a != b).count();
        assert!(changed > 200, "{changed} of {}", conjuncts.len());
        for (i, j) in (0..64u8).flat_map(|i| (0..64u8).map(move |j| (i, j))) {
            let mut model = Model::new();
            model.set_term(&store, a, Value::bit_vector(6, i));
            model.set_term(&store, b, Value::bit_vector(6, j));
            let mut evaluator = Evaluator::new(&store, &model);
            if conjuncts[..guards].iter().any(|guard| evaluator.holds(*guard) != Ok(true)) {
                continue;
            }
            for (new, old) in rewritten.iter().zip(&conjuncts) {
                // What is out of range is open, and stays as it is.
                if let Ok(value) = evaluator.holds(*old) {
                    assert_eq!(evaluator.holds(*new), Ok(value), "{i} {j} {:?}", store.node(*old));
                }
            }
        }
    }
}

/// Floats that are bounded multiples of ¼ or of 1, for all pairs of numbers of a small format: what is rewritten is the same where bounds and grids hold.
#[test]
fn comparisons_are_the_same_for_all_floats_on_grids() {
    let format = Format::new(4, 4);
    let environment = labrys_float::Environment::default();
    let number = |value: f64| environment.convert(&Float::from_f64(value), format).value;
    for (mode, bound, per_unit) in [
        (RoundingMode::NearestEven, 1.75, 4.0),
        (RoundingMode::TowardNegative, 3.0, 1.0),
        (RoundingMode::NearestAway, 6.0, 2.0),
    ] {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Float(format)));
        let flag = store.variable("flag", Sort::Bool);
        let [bound, per_unit, minus] = [bound, per_unit, -bound].map(|value| store.float_const(number(value)));
        let mode = store.rounding_mode(mode);
        let mut conjuncts = Vec::new();
        let scaled = store.mk(Op::FpMul, &[mode, x, per_unit]);
        let integral = store.mk(Op::FpRoundToIntegral, &[mode, scaled]);
        let again = store.mk(Op::FpDiv, &[mode, integral, per_unit]);
        let size = store.mk(Op::FpAbs, &[x]);
        conjuncts.push(store.mk(Op::FpEq, &[x, again]));
        conjuncts.push(store.mk(Op::FpLe, &[size, bound]));
        conjuncts.push(store.mk(Op::FpLt, &[minus, y]));
        conjuncts.push(store.mk(Op::FpLe, &[y, bound]));
        let guards = conjuncts.len();
        let whole = store.mk(Op::FpRoundToIntegral, &[mode, y]);
        let mut floats = vec![x, whole, again];
        for op in [Op::FpAdd, Op::FpSub, Op::FpMul] {
            for (left, right) in [(x, whole), (whole, x), (x, x)] {
                floats.push(store.mk(op.clone(), &[mode, left, right]));
            }
        }
        for (left, right) in [(3, 0), (3, 1), (6, 1), (4, 9)] {
            floats.push(store.mk(Op::FpAdd, &[mode, floats[left], floats[right]]));
            floats.push(store.mk(Op::FpMul, &[mode, floats[right], floats[left]]));
        }
        for (index, left) in floats.iter().enumerate() {
            for right in &floats[..index] {
                for op in [Op::FpEq, Op::FpLt, Op::FpLe] {
                    // Nothing that is said.
                    let comparison = store.mk(op, &[*left, *right]);
                    conjuncts.push(store.or(&[comparison, flag]));
                }
            }
        }
        let written = rewritten(&mut store, &conjuncts).unwrap();
        let changed = written.iter().zip(&conjuncts).filter(|(a, b)| a != b).count();
        assert!(changed > 150, "{changed} of {}", conjuncts.len());
        let mut held = 0;
        for (i, j) in (0..256u32).flat_map(|i| (0..256u32).map(move |j| (i, j))) {
            let mut model = Model::new();
            model.set_term(&store, flag, Value::Bool(false));
            model.set_term(&store, x, Value::float(Float::from_bits(format, i)));
            model.set_term(&store, y, Value::float(Float::from_bits(format, j)));
            let mut evaluator = Evaluator::new(&store, &model);
            if conjuncts[..guards].iter().any(|guard| evaluator.holds(*guard) != Ok(true)) {
                continue;
            }
            held += 1;
            for (new, old) in written.iter().zip(&conjuncts) {
                assert_eq!(evaluator.holds(*new), evaluator.holds(*old), "{i} {j} {:?}", store.node(*old));
            }
        }
        assert!(held > 300, "{held}");
    }
}

/// Sums of three floats on a grid are the same in any order if those of two are exact, and only then.
#[test]
fn sums_on_a_grid_have_no_order() {
    use labrys_solver::{FloatOutcome, FloatSolver, Limits, Portfolio, PortfolioConfig};

    for (per_unit, holds) in [(8192.0, true), (16384.0, false)] {
        let mut store = Store::new();
        let [bound, per_unit] = [1000.0, per_unit].map(|value| store.float_const(Float::from_f32(value)));
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let variables = ["a", "b", "c"].map(|name| store.variable(name, Sort::Float(Format::BINARY32)));
        let mut conjuncts = Vec::new();
        for variable in variables {
            let scaled = store.mk(Op::FpMul, &[mode, variable, per_unit]);
            let integral = store.mk(Op::FpRoundToIntegral, &[mode, scaled]);
            let again = store.mk(Op::FpDiv, &[mode, integral, per_unit]);
            let size = store.mk(Op::FpAbs, &[variable]);
            conjuncts.push(store.mk(Op::FpEq, &[variable, again]));
            conjuncts.push(store.mk(Op::FpLe, &[size, bound]));
        }
        let [a, b, c] = variables;
        let mut sum = |x: TermId, y: TermId| store.mk(Op::FpAdd, &[mode, x, y]);
        let (left, right) = (sum(a, b), sum(b, c));
        let sides = [sum(left, c), sum(a, right)];
        let same = store.mk(Op::FpEq, &sides);
        conjuncts.push(store.not(same));
        let written = rewritten(&mut store, &conjuncts).unwrap();
        let limits = Limits { wall: std::time::Duration::from_secs(60), ..Limits::default() };
        let outcome = Portfolio::new(PortfolioConfig::default()).check_once(&store, &written, &limits);
        assert_eq!(matches!(outcome, FloatOutcome::Unsat(_)), holds, "{outcome:?}");
    }
}
