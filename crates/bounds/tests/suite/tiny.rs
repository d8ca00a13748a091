//! All inputs of a tiny format: 3 bits of exponent, 4 of precision. The bound holds for each, and that of a single operation is nearly attained.

use labrys_bounds::{Input, Options, Outcome, Path, Request, bound};
use labrys_elementary::{rug, to_precise};
use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Random;
use labrys_term::{Op, Sort, Store, TermId};

use crate::observe::{error, evaluate};

const TINY: Format = Format::new(3, 4);

/// Every finite number of the format, in order.
fn numbers() -> Vec<f64> {
    let all = (0..1u32 << TINY.width()).map(|bits| Float::from_bits(TINY, bits)).filter(Float::is_finite);
    let mut all: Vec<f64> = all.map(|float| to_precise(&float).to_f64()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// The bound over two ranges, and the largest error of all inputs; none where nothing is proved.
fn both(store: &Store, variables: [TermId; 2], result: TermId, ranges: [(f64, f64); 2]) -> Option<(f64, f64)> {
    let inputs = [0, 1].map(|place| Input { variable: variables[place], low: ranges[place].0, high: ranges[place].1 });
    let paths = [Path { guards: vec![], result }];
    let request = Request { store, inputs: &inputs, calls: &[], paths: &paths };
    let Outcome::Proved(found) = bound(&request, &Options { gap: 0.001, ..Options::default() }).expect("valid") else {
        return None;
    };
    let inside = |range: (f64, f64)| numbers().into_iter().filter(move |x| range.0 <= *x && *x <= range.1);
    let mut largest = rug::Float::new(500);
    let mut random = Random::new(0);
    for x in inside(ranges[0]) {
        for y in inside(ranges[1]) {
            let point = [(variables[0], x), (variables[1], y)];
            let values = evaluate(store, &[], &[result], &point, 0, &mut random);
            let (computed, exact) = values[&result].number();
            let observed = error(computed, exact);
            assert!(observed <= found.upper, "{observed} > {} at {x} {y}", found.upper);
            largest = largest.max(&observed);
        }
    }
    Some((found.upper, largest.to_f64()))
}

fn declare(store: &mut Store) -> [TermId; 2] {
    ["x", "y"].map(|name| store.variable(name, Sort::Float(TINY)))
}

#[test]
fn bounds_of_single_operations_are_attained() {
    let all = numbers();
    let mut random = Random::new(3);
    let mut share: Vec<f64> = Vec::new();
    for case in 0..300 {
        let mut store = Store::new();
        let [x, y] = declare(&mut store);
        let direction = [RoundingMode::NearestEven, RoundingMode::NearestAway, RoundingMode::TowardNegative];
        let mode = store.rounding_mode(direction[case % 3]);
        let op = [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv, Op::FpSqrt][case % 5].clone();
        let result = if op == Op::FpSqrt { store.mk(op, &[mode, x]) } else { store.mk(op, &[mode, x, y]) };
        let mut range = || {
            let (a, b) = (random.pick(&all), random.pick(&all));
            (a.min(b), a.max(b))
        };
        let ranges = [range(), range()];
        if let Some((upper, largest)) = both(&store, [x, y], result, ranges) {
            if upper > 0.0 {
                share.push(largest / upper);
            } else {
                assert!(largest == 0.0);
            }
        }
    }
    share.sort_by(f64::total_cmp);
    println!(
        "{} bounds, attained to {:.2} at least, {:.2} at the median",
        share.len(),
        share[0],
        share[share.len() / 2]
    );
    // A few ranges hold so few numbers that none is rounded by half an ulp.
    assert!(share.len() > 80 && share[share.len() / 5] >= 0.5);
}

#[test]
fn bounds_of_several_operations_hold_for_all_inputs() {
    let all = numbers();
    let mut random = Random::new(4);
    let (mut proved, mut near) = (0, 0);
    for _ in 0..400 {
        let mut store = Store::new();
        let variables = declare(&mut store);
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let mut pool = variables.to_vec();
        let constant = store.float_const(Float::from_bits(TINY, random.bits() as u32 & 0x6f));
        if store.node(constant).op == Op::FloatConst(Float::zero(TINY, false)) {
            continue;
        }
        pool.push(constant);
        for _ in 0..2 + random.below(3) {
            let (a, b) = (random.pick(&pool), random.pick(&pool));
            let op =
                random.pick(&[Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv, Op::FpSqrt, Op::FpMin, Op::FpAbs, Op::FpFma]);
            let term = match op {
                Op::FpMin => store.mk(op, &[a, b]),
                Op::FpAbs => store.mk(op, &[a]),
                Op::FpSqrt => store.mk(op, &[mode, a]),
                Op::FpFma => store.mk(op, &[mode, a, b, variables[1]]),
                _ => store.mk(op, &[mode, a, b]),
            };
            pool.push(term);
        }
        let mut range = || {
            let (a, b) = (random.pick(&all) / 4.0, random.pick(&all) / 4.0);
            (a.min(b), a.max(b))
        };
        let ranges = [range(), range()];
        let result = *pool.last().expect("terms");
        if let Some((upper, largest)) = both(&store, variables, result, ranges) {
            proved += 1;
            near += usize::from(largest * 3.0 >= upper);
        }
    }
    println!("{proved} proved, {near} near");
    assert!(proved > 100 && near * 2 > proved);
}
