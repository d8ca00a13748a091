//! Solutions on a line, against every number of a tiny format.

use std::time::Duration;

use labrys_float::{Float, Format};
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value, VariableId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::Limits;
use crate::local::random::Random;
use crate::nonlinear::assignment::Assignment;
use crate::nonlinear::config::{Dependent, NonlinearConfig, NonlinearSteps};
use crate::nonlinear::context::Context;
use crate::nonlinear::effort::Effort;
use crate::nonlinear::problem::Problem;
use crate::nonlinear::univariate::{self, Solutions};

/// 4 bits of exponent, 4 of precision: 239 finite numbers up to 240.
const TINY: Format = Format::new(4, 4);

/// A step of building terms: an operation, two operands by number, and a constant in quarters.
type Choice = (u8, u8, u8, i8);

/// Terms over `x` and, where there is one, the root of a term before it.
struct Generated {
    store: Store,
    x: VariableId,
    /// The root and its operand, if any.
    root: Option<(VariableId, TermId)>,
    conditions: Vec<TermId>,
    truths: Vec<TermId>,
}

fn generate(choices: &[Choice]) -> Generated {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Real);
    let variable = store.as_variable(x).expect("it is one");
    let (mut terms, mut truths) = (vec![x], Vec::new());
    let (mut root, mut conditions) = (None, Vec::new());
    for &(kind, i, j, n) in choices {
        let constant = store.real_const(BigRational::new(n.into(), BigInt::from(4)));
        let (a, b) = (terms[i as usize % terms.len()], terms[j as usize % terms.len()]);
        let truth: Option<TermId> = truths.get(i as usize % truths.len().max(1)).copied();
        match kind % 16 {
            0 | 1 => terms.push(store.mk(Op::RealAdd, &[a, constant])),
            2 => terms.push(store.mk(Op::RealSub, &[a, b])),
            3 | 4 => terms.push(store.mk(Op::RealMul, &[a, b])),
            5 => terms.push(store.mk(Op::RealMul, &[a, constant])),
            6 => terms.push(store.mk(Op::RealDiv, &[constant, a])),
            7 => terms.push(store.mk(Op::RealDiv, &[a, b])),
            8 => terms.push(store.mk(Op::RealAbs, &[a])),
            9 => terms.extend(truth.map(|condition| store.mk(Op::Ite, &[condition, a, b]))),
            10 if root.is_none() => {
                let d = store.variable("d", Sort::Real);
                let (square, zero) = (store.mk(Op::RealMul, &[d, d]), store.real_const(BigRational::zero()));
                conditions = vec![store.mk(Op::RealLe, &[zero, d]), store.mk(Op::Eq, &[square, a])];
                root = store.as_variable(d).map(|variable| (variable, a));
                terms.push(d);
            }
            11 => truths.push(store.mk(Op::Eq, &[a, constant])),
            12 => truths.push(store.mk(Op::RealLe, &[a, b])),
            13 => truths.extend(truth.map(|condition| store.not(condition))),
            14 => {
                let parts: Vec<TermId> = truths.iter().rev().take(2).copied().collect();
                truths.push(if n % 2 == 0 { store.or(&parts) } else { store.and(&parts) });
            }
            _ => truths.push(store.mk(Op::RealLt, &[constant, a])),
        }
    }
    Generated { store, x: variable, root, conditions, truths }
}

/// What solving the line of the only input gives, and every number's place.
fn solve(
    store: &Store,
    query: &[TermId],
    dependents: &[Dependent],
    evaluate: &mut dyn FnMut(&Dependent, &[BigRational]) -> Option<BigRational>,
) -> (Solutions, NonlinearSteps) {
    let limits = Limits { work: 0, wall: Duration::from_secs(60), memory_mib: 0 };
    let config = NonlinearConfig { limits, ..NonlinearConfig::default() };
    let formats = |variable| (store.variable_info(variable).0 == "x").then_some(TINY);
    let problem = Problem::read(store, query, dependents, &formats, &config).expect("it is well formed");
    let mut context = Context {
        problem: &problem,
        config: &config,
        evaluate,
        random: Random::new(0),
        effort: Effort::new(&config.limits),
        steps: NonlinearSteps::default(),
        real: None,
    };
    let literals = problem.literals.clone();
    let mut assignment = Assignment::default();
    assert_eq!(problem.inputs.len(), 1);
    let solutions = univariate::solve(&mut context, &mut assignment, 0, &literals).expect("a minute is enough");
    (solutions, context.steps)
}

/// Every finite number of the format, once, with its place.
fn numbers() -> Vec<(BigInt, BigRational)> {
    let floats = (0..1u32 << TINY.width()).map(|bits| Float::from_bits(TINY, bits));
    let mut numbers: Vec<(BigInt, BigRational)> =
        floats.filter_map(|float| Some((float.ordinal()?, float.to_rational()?))).collect();
    numbers.sort();
    numbers.dedup();
    numbers
}

/// Whether a query holds at x, the root being rational or not.
///
/// Nothing is said where that hangs on a division by zero: a literal may hold whatever the quotient is. An irrational
/// root's comparisons are evaluated between two numbers 2^-400 apart; where these differ, nothing is said.
fn holds(generated: &Generated, truth: TermId, x: &BigRational) -> Option<bool> {
    let mut model = Model::new();
    model.set(generated.x, Value::Real(x.clone()));
    let Some((variable, operand)) = generated.root else {
        return Evaluator::new(&generated.store, &model).holds(truth).ok();
    };
    let Ok(Value::Real(square)) = Evaluator::new(&generated.store, &model).value(operand) else { return None };
    if square.is_negative() {
        return Some(false);
    }
    let unit = BigInt::from(1) << 400u32;
    let scaled: BigInt = (&square * BigRational::from_integer(&unit * &unit)).to_integer();
    let root = scaled.sqrt();
    let answer = |root: BigInt| {
        let mut model = model.clone();
        model.set(variable, Value::Real(BigRational::new(root, unit.clone())));
        Evaluator::new(&generated.store, &model).holds(truth).ok()
    };
    if BigRational::new(&root * &root, &unit * &unit) == square {
        return answer(root);
    }
    let answers = [answer(root.clone()), answer(root + 1)];
    if answers[0] == answers[1] { answers[0] } else { None }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(0), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn solutions_are_exactly_the_numbers_that_satisfy(choices in prop::collection::vec(any::<Choice>(), 3..16)) {
        let generated = generate(&choices);
        let Some(&truth) = generated.truths.last() else { return Ok(()) };
        prop_assume!(generated.store.free_variables(&[truth]).contains(&generated.x));
        let query = [generated.conditions.as_slice(), &[truth]].concat();
        let (solutions, _) = solve(&generated.store, &query, &[], &mut |_, _| None);
        for (place, x) in numbers() {
            let is_found = solutions.ranges.iter().any(|(from, to)| *from <= place && place <= *to);
            let Some(expected) = holds(&generated, truth, &x) else { continue };
            // A solution is one whatever the method; that there are no others is claimed of complete ones.
            prop_assert!(!is_found || expected, "{x} is none");
            prop_assert!(is_found || !expected || !solutions.is_complete, "{x} is missing");
        }
    }
}

/// A function with one threshold that no polynomial gives away, found to the last place.
#[test]
fn sampled_thresholds_are_found_by_bisection() {
    let mut store = Store::new();
    let (x, y) = (store.variable("x", Sort::Real), store.variable("y", Sort::Real));
    let dependent =
        Dependent { variable: store.as_variable(y).expect("it is one"), operands: vec![x], function: "step".into() };
    // 1 from 11/16 to 13, and 0 elsewhere: as sharp as functions can be.
    let (low, high) = (BigRational::new(11.into(), 16.into()), BigRational::from_integer(13.into()));
    let mut step = |_: &Dependent, operands: &[BigRational]| {
        let inside = low <= operands[0] && operands[0] <= high;
        Some(BigRational::from_integer(i32::from(inside).into()))
    };
    let half = store.real_const(BigRational::new(1.into(), 2.into()));
    let query = [store.mk(Op::RealLt, &[half, y])];
    let (solutions, _) = solve(&store, &query, &[dependent], &mut step);
    assert!(!solutions.is_complete);
    let places: Vec<&BigInt> = solutions.ranges.iter().flat_map(|(from, to)| [from, to]).collect();
    let expected: Vec<BigInt> =
        numbers().into_iter().filter(|(_, x)| low <= *x && *x <= high).map(|(place, _)| place).collect();
    assert_eq!(places.first().copied(), expected.first());
    assert_eq!(places.last().copied(), expected.last());
}
