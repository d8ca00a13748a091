//! What local search finds: satisfiable queries of the kinds that programs over floats give, generated from a seed, each
//! under a time limit; per family how many were solved and in what time.
//!
//! `cargo bench -p labrys-solver --bench local [-- SECONDS [FAMILY]]`; two seconds a query if nothing is said.

use std::time::{Duration, Instant};

use labrys_float::{Float, Format, RoundingMode};
use labrys_solver::domain::Facts;
use labrys_solver::{Budget, Engine, LocalSearch, Query, Verdict};
use labrys_term::{Op, Sort, Store, TermId};

/// Queries in each family.
const QUERIES: u64 = 12;

/// A query under construction: terms over one format, rounding to nearest even.
struct Builder {
    store: Store,
    mode: TermId,
    format: Format,
    assertions: Vec<TermId>,
    state: u64,
}

impl Builder {
    fn new(format: Format, seed: u64) -> Builder {
        let mut store = Store::new();
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
        Builder { store, mode, format, assertions: Vec::new(), state }
    }

    /// A random number in the interval.
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.state >> 11) as f64 / (1u64 << 53) as f64)
    }

    fn variable(&mut self, name: &str) -> TermId {
        self.store.variable(name, Sort::Float(self.format))
    }

    fn variables(&mut self, count: usize) -> Vec<TermId> {
        (0..count).map(|index| self.variable(&format!("x{index}"))).collect()
    }

    fn number(&mut self, value: f64) -> TermId {
        let value = labrys_float::Environment::default().convert(&Float::from_f64(value), self.format).value;
        self.store.float_const(value)
    }

    fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        let mut all = vec![self.mode];
        all.extend_from_slice(args);
        self.store.mk(op, &all)
    }

    fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.op(Op::FpAdd, &[a, b])
    }

    fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.op(Op::FpSub, &[a, b])
    }

    fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.op(Op::FpMul, &[a, b])
    }

    fn div(&mut self, a: TermId, b: TermId) -> TermId {
        self.op(Op::FpDiv, &[a, b])
    }

    fn assert(&mut self, op: Op, a: TermId, b: TermId) {
        let atom = self.store.mk(op, &[a, b]);
        self.assertions.push(atom);
    }

    fn assert_not(&mut self, op: Op, a: TermId, b: TermId) {
        let atom = self.store.mk(op, &[a, b]);
        let negation = self.store.not(atom);
        self.assertions.push(negation);
    }

    /// low ≤ a ≤ high.
    fn within(&mut self, a: TermId, low: f64, high: f64) {
        let (low, high) = (self.number(low), self.number(high));
        self.assert(Op::FpLe, low, a);
        self.assert(Op::FpLe, a, high);
    }

    fn polynomial(&mut self, x: TermId, coefficients: &[f64]) -> TermId {
        let mut value = self.number(coefficients[0]);
        for &coefficient in &coefficients[1..] {
            let scaled = self.mul(value, x);
            let coefficient = self.number(coefficient);
            value = self.add(scaled, coefficient);
        }
        value
    }
}

fn evaluate(coefficients: &[f64], x: f64) -> f64 {
    coefficients[1..].iter().fold(coefficients[0], |value, coefficient| value * x + coefficient)
}

type Family = (&'static str, fn(u64) -> Builder);

const FAMILIES: [Family; 15] = [
    ("polynomial range", polynomial_range),
    ("polynomial value", polynomial_value),
    ("two polynomials", two_polynomials),
    ("newton", newton),
    ("sqrt round trip", sqrt_round_trip),
    ("guarded division", guarded_division),
    ("mixed widths", mixed_widths),
    ("inverse sqrt bits", inverse_sqrt),
    ("sums in two orders", sum_orders),
    ("sorting network", sorting_network),
    ("chain", chain),
    ("system", system),
    ("linear inequalities", linear),
    ("float to bits", float_bits),
    ("vectors", vectors),
];

fn format(seed: u64) -> Format {
    if seed.is_multiple_of(2) { Format::BINARY32 } else { Format::BINARY64 }
}

fn coefficients(builder: &mut Builder, seed: u64) -> Vec<f64> {
    (0..4 + seed % 7).map(|_| (builder.uniform(-8.0, 8.0) * 16.0).round() / 16.0).collect()
}

/// A polynomial of degree 3 to 9 within 2^-16 of a value it takes, one variable in a box.
fn polynomial_range(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let coefficients = coefficients(&mut builder, seed);
    let planted = builder.uniform(-3.0, 3.0);
    let value = evaluate(&coefficients, planted);
    let x = builder.variable("x");
    let polynomial = builder.polynomial(x, &coefficients);
    builder.within(x, -4.0, 4.0);
    let slack = value.abs() * 2f64.powi(-16);
    builder.within(polynomial, value - slack, value + slack);
    builder
}

/// A polynomial in double precision exactly equal to a value it takes.
fn polynomial_value(seed: u64) -> Builder {
    let mut builder = Builder::new(Format::BINARY64, seed);
    let coefficients = coefficients(&mut builder, seed);
    let planted = (builder.uniform(-3.0, 3.0) * 1048576.0).round() / 1048576.0;
    let value = evaluate(&coefficients, planted);
    let x = builder.variable("x");
    let polynomial = builder.polynomial(x, &coefficients);
    let value = builder.number(value);
    builder.assert(Op::FpEq, polynomial, value);
    builder
}

/// Two polynomials of two variables, each near a value.
fn two_polynomials(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let first = coefficients(&mut builder, seed);
    let second = coefficients(&mut builder, seed + 1);
    let (a, b) = (builder.uniform(-2.0, 2.0), builder.uniform(-2.0, 2.0));
    let xs = builder.variables(2);
    let (p, q) = (builder.polynomial(xs[0], &first), builder.polynomial(xs[1], &second));
    let (sum, product) = (builder.add(p, q), builder.mul(p, q));
    let (u, v) = (evaluate(&first, a), evaluate(&second, b));
    for (term, value) in [(sum, u + v), (product, u * v)] {
        builder.within(term, value - 0.001 * value.abs(), value + 0.001 * value.abs());
    }
    builder.within(xs[0], -2.0, 2.0);
    builder.within(xs[1], -2.0, 2.0);
    builder
}

/// Newton's iteration for a square root, 1 to 8 steps, ending off or on the root.
fn newton(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let steps = 1 + seed % 8;
    let (a, start) = (builder.variable("a"), builder.variable("x"));
    builder.within(a, 1.0, 1000.0);
    builder.within(start, 0.001, 1000.0);
    let half = builder.number(0.5);
    let mut x = start;
    for _ in 0..steps {
        let quotient = builder.div(a, x);
        let sum = builder.add(x, quotient);
        x = builder.mul(half, sum);
    }
    let square = builder.mul(x, x);
    let error = builder.sub(square, a);
    if seed.is_multiple_of(3) {
        builder.assert(Op::FpEq, square, a);
    } else {
        let bound = builder.number(if steps > 4 { 1e-3 } else { 10.0 });
        builder.assert(Op::FpLt, bound, error);
    }
    builder
}

/// Square roots of squares and squares of square roots that are, or are not, what they were.
fn sqrt_round_trip(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let x = builder.variable("x");
    let low = builder.uniform(1.0, 100.0);
    builder.within(x, low, low * 1.01);
    let root = builder.op(Op::FpSqrt, &[x]);
    let square = builder.mul(root, root);
    let three = builder.number(3.0);
    let tripled = builder.mul(x, three);
    let back = builder.div(tripled, three);
    match seed % 3 {
        0 => builder.assert(Op::FpEq, square, x),
        1 => builder.assert(Op::FpLt, square, x),
        _ => {
            builder.assert(Op::FpLt, x, back);
            builder.assert(Op::FpLt, square, x);
        }
    }
    builder
}

/// A quotient whose divisor nearly vanishes but passes its guard.
fn guarded_division(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let xs = builder.variables(3);
    xs.iter().for_each(|x| builder.within(*x, -100.0, 100.0));
    let product = builder.mul(xs[0], xs[1]);
    let divisor = builder.sub(product, xs[2]);
    let magnitude = builder.store.mk(Op::FpAbs, &[divisor]);
    let guard = builder.number(1e-5);
    builder.assert(Op::FpLt, guard, magnitude);
    let sum = builder.add(xs[0], xs[2]);
    let quotient = builder.div(sum, divisor);
    let bound = builder.uniform(1e5, 1e6);
    builder.within(quotient, bound, bound * 1.001);
    let seven = builder.number(7.0);
    builder.assert(Op::FpLt, seven, product);
    builder
}

/// Single, double and integer conversions together.
fn mixed_widths(seed: u64) -> Builder {
    let mut builder = Builder::new(Format::BINARY64, seed);
    let x = builder.variable("x");
    let narrow = builder.op(Op::FpFromFloat(Format::BINARY32), &[x]);
    let wide = builder.op(Op::FpFromFloat(Format::BINARY64), &[narrow]);
    let i = builder.store.variable("i", Sort::BitVec(32));
    let converted = builder.op(Op::FpFromSigned(Format::BINARY64), &[i]);
    let sum = builder.add(wide, converted);
    let truncate = builder.store.rounding_mode(RoundingMode::TowardZero);
    let back = builder.store.mk(Op::FpToSigned(32), &[truncate, sum]);
    let low = builder.uniform(10.0, 1e6);
    builder.within(x, low, low + 1.0);
    builder.within(sum, 3.0 * low, 3.0 * low + 0.25);
    builder.assert(Op::FpLt, x, wide);
    let constant = builder.store.bv_const(32, (3.0 * low) as u32);
    builder.assert(Op::Eq, back, constant);
    builder
}

/// The inverse square root by its bits and a Newton step: where its relative error is large or small.
fn inverse_sqrt(seed: u64) -> Builder {
    let mut builder = Builder::new(Format::BINARY32, seed);
    let i = builder.store.variable("i", Sort::BitVec(32));
    let x = builder.store.mk(Op::FpFromBits(Format::BINARY32), &[i]);
    builder.within(x, 0.01, 100.0);
    let one = builder.store.bv_const(32, 1u8);
    let magic = builder.store.bv_const(32, 0x5f37_59dfu32);
    let shifted = builder.store.mk(Op::BvLshr, &[i, one]);
    let guess = builder.store.mk(Op::BvSub, &[magic, shifted]);
    let y = builder.store.mk(Op::FpFromBits(Format::BINARY32), &[guess]);
    let (half, three_halves) = (builder.number(0.5), builder.number(1.5));
    let half_x = builder.mul(half, x);
    let square = builder.mul(y, y);
    let product = builder.mul(half_x, square);
    let factor = builder.sub(three_halves, product);
    let y = builder.mul(y, factor);
    let square = builder.mul(y, y);
    let near_one = builder.mul(square, x);
    match seed % 3 {
        0 => builder.within(near_one, 0.9966, 0.99661),
        1 => builder.within(near_one, 0.9999999, 1.0),
        _ => {
            let low = builder.uniform(0.2, 8.0);
            builder.within(y, low, low * 1.000001);
        }
    }
    builder
}

/// Sums of 4 to 8 numbers in two orders that differ by as much as is asked for.
fn sum_orders(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let xs = builder.variables(4 + (seed % 5) as usize);
    xs.iter().for_each(|x| builder.within(*x, -1e6, 1e6));
    let mut forward = xs[0];
    xs[1..].iter().for_each(|x| forward = builder.add(forward, *x));
    let mut backward = xs[xs.len() - 1];
    xs[..xs.len() - 1].iter().rev().for_each(|x| backward = builder.add(backward, *x));
    let difference = builder.sub(forward, backward);
    match seed % 3 {
        0 => {
            builder.assert_not(Op::FpEq, forward, backward);
            builder.within(forward, 1.0, 2.0);
        }
        1 => {
            let bound = builder.number(if builder.format == Format::BINARY32 { 0.2 } else { 2e-10 });
            builder.assert(Op::FpLt, bound, difference);
        }
        _ => {
            let (zero, target) = (builder.number(0.0), builder.number(1.0 / 3.0));
            builder.assert(Op::FpEq, forward, target);
            builder.assert(Op::FpLt, difference, zero);
        }
    }
    builder
}

/// Three to six numbers sorted by compare-exchanges; the sorted ones and their sum are constrained.
fn sorting_network(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let mut xs = builder.variables(3 + (seed % 4) as usize);
    let inputs = xs.clone();
    for round in 0..xs.len() {
        for left in (round % 2..xs.len() - 1).step_by(2) {
            let less = builder.store.mk(Op::FpLe, &[xs[left], xs[left + 1]]);
            let (a, b) = (xs[left], xs[left + 1]);
            xs[left] = builder.store.mk(Op::Ite, &[less, a, b]);
            xs[left + 1] = builder.store.mk(Op::Ite, &[less, b, a]);
        }
    }
    let mut low = -50.0;
    for x in &xs {
        builder.within(*x, low, low + 5.0);
        low = builder.uniform(low + 3.0, low + 20.0);
    }
    // Not in order already.
    builder.assert(Op::FpLt, inputs[1], inputs[0]);
    builder.assert(Op::FpLt, inputs[0], inputs[2]);
    builder
}

/// x += f(x), several times, ending in a window.
fn chain(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let start = builder.variable("x");
    builder.within(start, 0.0, 1.0);
    let rate = builder.number(0.3);
    let one = builder.number(1.0);
    let (mut x, mut value) = (start, builder.uniform(0.1, 0.6));
    for _ in 0..4 + seed % 12 {
        let rest = builder.sub(one, x);
        let growth = builder.mul(x, rest);
        let growth = builder.mul(rate, growth);
        x = builder.add(x, growth);
        value += 0.3 * value * (1.0 - value);
    }
    builder.within(x, value, value * (1.0 + 1e-6));
    builder
}

/// x + y and x · y near given values, and a third variable tied to both.
fn system(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let (a, b) = (builder.uniform(0.5, 9.0), builder.uniform(-9.0, -0.5));
    let xs = builder.variables(3);
    let (sum, product) = (builder.add(xs[0], xs[1]), builder.mul(xs[0], xs[1]));
    let quotient = builder.div(xs[2], sum);
    let slack = if seed.is_multiple_of(2) { 1e-3 } else { 1e-5 };
    builder.within(sum, a + b - slack, a + b + slack);
    builder.within(product, a * b - slack, a * b + slack);
    builder.within(quotient, 2.0, 2.0 + slack);
    builder.assert(Op::FpLt, xs[0], xs[1]);
    builder
}

/// 4 to 26 variables in a box under twice as many sums of a few products, each close to what a planted point gives.
fn linear(seed: u64) -> Builder {
    let mut builder = Builder::new(format(seed), seed);
    let count = 4 + 2 * seed as usize;
    let xs = builder.variables(count);
    let planted: Vec<f64> = (0..count).map(|_| builder.uniform(-10.0, 10.0)).collect();
    xs.iter().for_each(|x| builder.within(*x, -10.0, 10.0));
    for _ in 0..2 * count {
        let (mut sum, mut value) = (builder.number(0.0), 0.0);
        for _ in 0..4 {
            let place = builder.uniform(0.0, count as f64) as usize % count;
            let factor = (builder.uniform(-1.0, 1.0) * 1000.0).round() / 1000.0;
            let coefficient = builder.number(factor);
            let term = builder.mul(coefficient, xs[place]);
            sum = builder.add(sum, term);
            value += factor * planted[place];
        }
        let bound = builder.number(value + 0.01 + 0.1 * value.abs());
        builder.assert(Op::FpLe, sum, bound);
    }
    builder
}

/// A float's encoding tied to integer arithmetic on it.
fn float_bits(seed: u64) -> Builder {
    let mut builder = Builder::new(Format::BINARY64, seed);
    let i = builder.store.variable("i", Sort::BitVec(64));
    let x = builder.store.mk(Op::FpFromBits(Format::BINARY64), &[i]);
    let exponent = builder.store.mk(Op::Extract { high: 62, low: 52 }, &[i]);
    let low = builder.store.mk(Op::Extract { high: 15, low: 0 }, &[i]);
    let target = builder.store.bv_const(11, 1000 + seed * 3);
    let pattern = builder.store.bv_const(16, 0xbeefu32 ^ seed as u32);
    builder.assert(Op::Eq, exponent, target);
    builder.assert(Op::Eq, low, pattern);
    let third = builder.number(1.37);
    let scaled = builder.mul(x, third);
    let bits = builder.store.mk(Op::FpToBits, &[scaled]);
    let parity = builder.store.mk(Op::Extract { high: 3, low: 0 }, &[bits]);
    let wanted = builder.store.bv_const(4, seed % 16);
    builder.assert(Op::Eq, parity, wanted);
    builder
}

/// Products, quotients and shifts of vectors.
fn vectors(seed: u64) -> Builder {
    let mut builder = Builder::new(Format::BINARY32, seed);
    let xs: Vec<TermId> = (0..3).map(|index| builder.store.variable(&format!("v{index}"), Sort::BitVec(32))).collect();
    let product = builder.store.mk(Op::BvMul, &[xs[0], xs[1]]);
    let target = builder.store.bv_const(32, (0x0123_4567u64 * (seed + 3)) as u32 & !7);
    builder.assert(Op::Eq, product, target);
    let quotient = builder.store.mk(Op::BvUdiv, &[xs[2], xs[0]]);
    let hundred = builder.store.bv_const(32, 100 + seed as u32);
    builder.assert(Op::Eq, quotient, hundred);
    let sum = builder.store.mk(Op::BvAdd, &[xs[1], xs[2]]);
    builder.assert(Op::BvUlt, sum, hundred);
    builder.assert_not(Op::BvUle, xs[0], hundred);
    builder
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let seconds: f64 = words.first().and_then(|word| word.parse().ok()).unwrap_or(2.0);
    let wanted = words.get(1);
    let (mut solved_in_all, mut queries) = (0, 0);
    for (name, generate) in FAMILIES.iter().filter(|(name, _)| wanted.is_none_or(|wanted| name.contains(wanted))) {
        let (mut solved, mut times, mut left) = (0, Vec::new(), Vec::new());
        for seed in 0..QUERIES {
            let builder = generate(seed);
            let facts = Facts::default();
            let query = Query { store: &builder.store, assertions: &builder.assertions, facts: &facts };
            let start = Instant::now();
            let deadline = Some(start + Duration::from_secs_f64(seconds));
            let mut engine = LocalSearch::default();
            match engine.check(&query, &Budget { deadline, seed, ..Budget::unlimited() }) {
                Verdict::Sat(_) => {
                    solved += 1;
                    times.push(start.elapsed().as_secs_f64() * 1000.0);
                }
                _ => {
                    left.push(seed);
                    eprintln!("{seed}: {:?}", engine.statistics());
                }
            }
        }
        times.sort_by(f64::total_cmp);
        let middle = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
        let longest = times.last().copied().unwrap_or(f64::NAN);
        println!("{name:20} {solved:3} of {QUERIES}, median {middle:8.2} ms, longest {longest:8.2} ms, left {left:?}");
        solved_in_all += solved;
        queries += QUERIES;
    }
    println!("{:20} {solved_in_all:3} of {queries}", "all");
}
