//! Images against all values of tiny formats, and what branch and prune says against what is known.

use labrys_float::{Format, RoundingMode};
use labrys_formulas::{Formula, Random, Shape as FormulaShape};
use labrys_term::{EvalError, Evaluator, Model, Op, Sort, Store, TermId};

use super::image::{Argument, Images};
use super::set::{Set, Shape};
use super::*;

const FLOAT: Sort = Sort::Float(Format::new(3, 4));
const SMALL: Format = Format::new(2, 3);
const BITS: Sort = Sort::BitVec(4);
const MODE: Sort = Sort::RoundingMode;

/// Operators that round, over formats that only exact arithmetic has (wider than 64 bits) and over those of hardware.
fn common_operators() -> Vec<(Op, Vec<Sort>)> {
    let mut all = Vec::new();
    for format in [Format::BINARY32, Format::BINARY64, Format::BINARY128] {
        let float = Sort::Float(format);
        for op in [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv] {
            all.push((op, vec![MODE, float.clone(), float.clone()]));
        }
        all.push((Op::FpFma, vec![MODE, float.clone(), float.clone(), float.clone()]));
        for op in [Op::FpSqrt, Op::FpRoundToIntegral, Op::FpFromFloat(Format::BINARY32), Op::FpToSigned(40)] {
            all.push((op, vec![MODE, float.clone()]));
        }
        for op in [Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq, Op::FpFmod] {
            all.push((op, vec![float.clone(), float.clone()]));
        }
    }
    all
}

/// Every operator of prepared queries, with the sorts of its arguments.
fn operators() -> Vec<(Op, Vec<Sort>)> {
    let mut all = Vec::new();
    let mut add = |ops: &[Op], sorts: &[Sort]| {
        all.extend(ops.iter().map(|op| (op.clone(), sorts.to_vec())));
    };
    add(&[Op::Not], &[Sort::Bool]);
    add(&[Op::And, Op::Or, Op::Xor, Op::Distinct], &[Sort::Bool, Sort::Bool, Sort::Bool]);
    add(&[Op::Implies, Op::Eq], &[Sort::Bool, Sort::Bool]);
    add(&[Op::Distinct], &[BITS, BITS, BITS]);
    add(&[Op::Distinct, Op::Eq], &[FLOAT, FLOAT]);
    add(&[Op::Ite], &[Sort::Bool, FLOAT, FLOAT]);
    add(&[Op::BvNot, Op::BvNeg, Op::ZeroExtend(3), Op::SignExtend(3)], &[BITS]);
    add(&[Op::Extract { high: 2, low: 1 }, Op::Extract { high: 3, low: 0 }, Op::Extract { high: 0, low: 0 }], &[BITS]);
    add(&[Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvAdd, Op::BvSub, Op::BvMul], &[BITS, BITS]);
    add(&[Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem, Op::BvSmod], &[BITS, BITS]);
    add(&[Op::BvShl, Op::BvLshr, Op::BvAshr, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq], &[BITS, BITS]);
    add(&[Op::Concat], &[BITS, Sort::BitVec(2), BITS]);
    add(&[Op::FpAbs, Op::FpNeg, Op::FpToBits], &[FLOAT]);
    add(&[Op::FpIsNormal, Op::FpIsSubnormal, Op::FpIsZero, Op::FpIsInfinite], &[FLOAT]);
    add(&[Op::FpIsNan, Op::FpIsNegative, Op::FpIsPositive], &[FLOAT]);
    add(&[Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv], &[MODE, FLOAT, FLOAT]);
    add(&[Op::FpFma], &[MODE, FLOAT, FLOAT, FLOAT]);
    add(
        &[Op::FpSqrt, Op::FpRoundToIntegral, Op::FpFromFloat(SMALL), Op::FpFromFloat(Format::new(4, 6))],
        &[MODE, FLOAT],
    );
    add(&[Op::FpRem, Op::FpFmod, Op::FpMin, Op::FpMax, Op::FpEq, Op::FpLt, Op::FpLe], &[FLOAT, FLOAT]);
    add(&[Op::FpFromBits(SMALL)], &[Sort::BitVec(SMALL.width())]);
    add(&[Op::FpFromSigned(SMALL), Op::FpFromUnsigned(SMALL)], &[MODE, BITS]);
    add(&[Op::FpToUnsigned(4), Op::FpToSigned(4)], &[MODE, FLOAT]);
    all
}

/// A place, often one of few: near the ends, near zero, near one.
fn random_place(random: &mut Random, shape: Shape) -> i128 {
    let top = shape.top();
    let near = random.within(-4..=4);
    let place = match (random.within(0..6), shape) {
        (0, _) => near,
        (1, Shape::Float(format)) => (((1i128 << (format.exponent_bits() - 1)) - 1) << (format.precision() - 1)) + near,
        (2, _) => top.low + near,
        (3, _) => top.high + near,
        _ => random.within(top.low..=top.high),
    };
    place.clamp(top.low, top.high)
}

fn random_set(random: &mut Random, shape: Shape) -> Set {
    let top = shape.top();
    let (a, b) = (random_place(random, shape), random_place(random, shape));
    let mut set = match random.within(0..4) {
        0 => Set::numbers(a, a),
        1 if top.nan => Set::EMPTY,
        _ => Set::numbers(a.min(b), a.max(b)),
    };
    set.nan = top.nan && (set.is_empty() || random.within(0..3) == 0);
    set
}

fn random_value(random: &mut Random, shape: Shape, set: Set) -> labrys_term::Value {
    let value = if set.nan && (!set.has_numbers() || random.within(0..4) == 0) {
        shape.nan()
    } else {
        let place = match random.within(0..4) {
            0 => random_place(random, shape).clamp(set.low, set.high),
            _ => random.within(set.low..=set.high),
        };
        shape.value(place)
    };
    value.expect("a value of a sort with places")
}

#[test]
fn images_hold_all_values() {
    let mut random = Random::new(7);
    for (op, sorts) in operators().into_iter().chain(common_operators()) {
        let mut store = Store::new();
        let variables: Vec<TermId> =
            sorts.iter().enumerate().map(|(at, sort)| store.variable(&format!("x{at}"), sort.clone())).collect();
        let term = store.mk(op.clone(), &variables);
        let (sort, mut sharp) = (store.sort(term).clone(), 0);
        let to = Shape::of(&sort);
        for _ in 0..400 {
            let args: Vec<Argument> = sorts.iter().map(Shape::of).map(|s| (s, random_set(&mut random, s))).collect();
            let image = Images::default().image(&op, &sort, &args);
            sharp += u32::from(image != to.top());
            for _ in 0..100 {
                let mut model = Model::new();
                for (variable, (shape, set)) in variables.iter().zip(&args) {
                    model.set_term(&store, *variable, random_value(&mut random, *shape, *set));
                }
                let value = match Evaluator::new(&store, &model).value(term) {
                    Ok(value) => to.only(&value),
                    Err(EvalError::Open(_)) if matches!(op, Op::FpMin | Op::FpMax) => Set::numbers(-1, 0),
                    Err(error) => {
                        assert_eq!(image, to.top(), "{op:?} of {args:?}: {error}");
                        continue;
                    }
                };
                assert_eq!(image.hull(value), image, "{op:?} of {args:?} is {value:?} in {model:?}");
            }
        }
        assert!(
            sharp > 40 || matches!(op, Op::BvSrem | Op::BvSmod | Op::FpToSigned(40)),
            "{op:?} is bounded {sharp} times only"
        );
    }
}

/// Where a single place is left, image and value are the same.
#[test]
fn images_of_points_are_points() {
    let mut random = Random::new(8);
    for (op, sorts) in operators() {
        let shapes: Vec<Shape> = sorts.iter().map(Shape::of).collect();
        let mut store = Store::new();
        let variables: Vec<TermId> =
            sorts.iter().enumerate().map(|(at, sort)| store.variable(&format!("x{at}"), sort.clone())).collect();
        let term = store.mk(op.clone(), &variables);
        for _ in 0..50 {
            let values: Vec<_> = shapes.iter().map(|shape| random_value(&mut random, *shape, shape.top())).collect();
            let args: Vec<Argument> =
                shapes.iter().zip(&values).map(|(shape, value)| (*shape, shape.only(value))).collect();
            let mut model = Model::new();
            for (variable, value) in variables.iter().zip(&values) {
                model.set_term(&store, *variable, value.clone());
            }
            let Ok(value) = Evaluator::new(&store, &model).value(term) else { continue };
            let to = Shape::of(store.sort(term));
            assert_eq!(Images::default().image(&op, store.sort(term), &args), to.only(&value), "{op:?} of {values:?}");
        }
    }
}

fn decided(store: &Store, assertions: &[TermId]) -> Verdict {
    let facts = Facts::default();
    let budget = Budget { work: 1_000_000, ..Budget::unlimited() };
    BranchAndPrune::default().check(&Query { store, assertions, facts: &facts }, &budget)
}

/// x · x < y and y ≤ c over binary64, for a c that admits no x where `bound` is negative.
fn square_below(bound: f64) -> Verdict {
    let mut store = Store::new();
    let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Float(Format::BINARY64)));
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let square = store.mk(Op::FpMul, &[mode, x, x]);
    let c = store.float_const(labrys_float::Float::from_f64(bound));
    let assertions = [store.mk(Op::FpLt, &[square, y]), store.mk(Op::FpLe, &[y, c])];
    decided(&store, &assertions)
}

#[test]
fn branching_refutes_what_pruning_does_not() {
    assert_eq!(square_below(-0.0), Verdict::Unsat);
    assert!(matches!(square_below(1e-300), Verdict::Unknown(_)));
}

#[test]
fn pruning_finds_the_ends_of_sets() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Float(Format::BINARY64));
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let number = |store: &mut Store, value: f64| store.float_const(labrys_float::Float::from_f64(value));
    let [three, nine, ten] = [3.0, 9.0, 10.0].map(|value| number(&mut store, value));
    let sum = store.mk(Op::FpAdd, &[mode, x, three]);
    let assertions = [store.mk(Op::FpLe, &[nine, sum]), store.mk(Op::FpLe, &[sum, ten])];
    let nothing = Facts::default();
    let query = Query { store: &store, assertions: &assertions, facts: &nothing };
    let Pruned::Facts(facts) = BranchAndPrune::prune(&query, &Budget::unlimited()) else { panic!("there is a model") };
    let domain = facts.float(x).expect("x is bounded");
    let ends = [domain.min_member(), domain.max_member()].map(|end| end.and_then(|end| end.to_f64()));
    // The least x whose sum with 3 rounds to 9, a tie, and the greatest whose sum rounds to 10, another one.
    assert_eq!(ends, [Some(6.0f64.next_down()), Some(7.0f64.next_up())]);
    assert!(!domain.nan);
}

#[test]
fn planted_models_are_not_refuted() {
    let (mut refuted, mut facts_seen) = (0, 0);
    for seed in 0..3000 {
        let formula = Formula::planted(seed, &FormulaShape { arrays: false, open: false, ..FormulaShape::full() });
        let budget = Budget { work: 20_000, ..Budget::unlimited() };
        let nothing = Facts::default();
        let query = Query { store: &formula.store, assertions: &formula.assertions, facts: &nothing };
        match BranchAndPrune::prune(&query, &budget) {
            Pruned::Unsat => refuted += 1,
            Pruned::Facts(facts) => facts_seen += facts.domains.len(),
            Pruned::Unknown(_) => {}
        }
        let verdict = BranchAndPrune { most: 16, ..BranchAndPrune::default() }.check(&query, &budget);
        assert_ne!(verdict, Verdict::Unsat, "seed {seed}");
    }
    assert_eq!(refuted, 0);
    assert!(facts_seen > 3000, "{facts_seen}");
}
