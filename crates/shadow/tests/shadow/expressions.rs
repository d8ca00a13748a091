//! Random straight-line code with shared subterms: each shadow is as near to the exact value as the operations' error bounds say.

use std::fmt::Write as _;

use labrys_elementary::rug;
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::fixture::{PRECISION, Source};

const INPUTS: usize = 6;
const VALUES: usize = 120;
const FILES: u64 = 4;
const POINTS: usize = 30;

/// The bound of the worst operation: a quotient's.
const UNIT: f64 = 15.0 / (1u128 << 106) as f64;

#[derive(Clone, Copy)]
enum Operation {
    Add(usize, usize),
    Subtract(usize, usize),
    Multiply(usize, usize),
    Divide(usize, usize),
    Root(usize),
    Fused(usize, usize, usize),
    Negate(usize),
    /// A float of a double: rounded by the program, not by the shadow.
    Narrow(usize),
}

fn program(random: &mut StdRng) -> Vec<Operation> {
    (0..VALUES)
        .map(|index| {
            let known = INPUTS + index;
            let mut pick = || if random.random() { random.random_range(0..known) } else { known - 1 };
            let (a, b, c) = (pick(), pick(), pick());
            match random.random_range(0..16) {
                0..=3 => Operation::Add(a, b),
                4..=6 => Operation::Subtract(a, b),
                7..=10 => Operation::Multiply(a, b),
                11 | 12 => Operation::Divide(a, b),
                13 => Operation::Root(a),
                14 => Operation::Fused(a, b, c),
                _ if random.random() => Operation::Negate(a),
                _ => Operation::Narrow(a),
            }
        })
        .collect()
}

fn text(operations: &[Operation]) -> String {
    let mut text = format!("#include <math.h>\nvoid f(const double x[{INPUTS}], double out[{VALUES}]) {{\n");
    for i in 0..INPUTS {
        let _ = writeln!(text, "  double v{i} = x[{i}];");
    }
    for (index, operation) in operations.iter().enumerate() {
        let value = match operation {
            Operation::Add(a, b) => format!("v{a} + v{b}"),
            Operation::Subtract(a, b) => format!("v{a} - v{b}"),
            Operation::Multiply(a, b) => format!("v{a} * v{b}"),
            Operation::Divide(a, b) => format!("v{a} / v{b}"),
            Operation::Root(a) => format!("sqrt(fabs(v{a}))"),
            Operation::Fused(a, b, c) => format!("fma(v{a}, v{b}, v{c})"),
            Operation::Negate(a) => format!("-v{a}"),
            Operation::Narrow(a) => format!("(float)v{a}"),
        };
        let _ = writeln!(text, "  double v{} = {value};\n  out[{index}] = v{};", INPUTS + index, INPUTS + index);
    }
    text + "}\n"
}

/// A value and a bound of its shadow's error, absolute.
#[derive(Clone)]
struct Bounded {
    value: rug::Float,
    error: f64,
}

fn evaluate(operations: &[Operation], inputs: &[f64]) -> Vec<Bounded> {
    let number = |value: f64| Bounded { value: rug::Float::with_val(PRECISION, value), error: 0.0 };
    let mut all: Vec<Bounded> = inputs.iter().map(|value| number(*value)).collect();
    for operation in operations {
        let size = |index: usize| all[index].value.to_f64().abs();
        let error = |index: usize| all[index].error;
        let value = |index: usize| &all[index].value;
        let (value, propagated, steps) = match *operation {
            Operation::Add(a, b) => (rug::Float::with_val(PRECISION, value(a) + value(b)), error(a) + error(b), 1.0),
            Operation::Subtract(a, b) => {
                (rug::Float::with_val(PRECISION, value(a) - value(b)), error(a) + error(b), 1.0)
            }
            Operation::Multiply(a, b) => (
                rug::Float::with_val(PRECISION, value(a) * value(b)),
                error(a) * size(b) + error(b) * size(a) + error(a) * error(b),
                1.0,
            ),
            Operation::Divide(a, b) => {
                let quotient = rug::Float::with_val(PRECISION, value(a) / value(b));
                let left = size(b) - error(b);
                let propagated =
                    if left > 0.0 { (error(a) + error(b) * quotient.to_f64().abs()) / left } else { f64::INFINITY };
                (quotient, propagated, 1.0)
            }
            Operation::Root(a) => {
                let root = rug::Float::with_val(PRECISION, value(a).abs_ref()).sqrt();
                let left = root.to_f64() / 2.0;
                (root, if error(a) == 0.0 { 0.0 } else { error(a) / left }, 1.0)
            }
            Operation::Fused(a, b, c) => {
                let product = rug::Float::with_val(PRECISION, value(a) * value(b));
                let rounding = product.to_f64().abs() * UNIT;
                let propagated = error(a) * size(b) + error(b) * size(a) + error(a) * error(b) + error(c) + rounding;
                (product + value(c), propagated, 1.0)
            }
            Operation::Negate(a) => (rug::Float::with_val(PRECISION, -value(a)), error(a), 0.0),
            Operation::Narrow(a) => (value(a).clone(), error(a), 0.0),
        };
        let rounding = (value.to_f64().abs() + propagated) * UNIT * steps;
        all.push(Bounded { error: propagated + rounding, value });
    }
    all.split_off(inputs.len())
}

#[test]
fn shadows_are_within_the_bounds_of_their_operations() {
    let (mut checked, mut sharp) = (0, 0);
    for seed in 0..FILES {
        let mut random = StdRng::seed_from_u64(seed);
        let operations = program(&mut random);
        let source = Source::c(&text(&operations));
        let mut subject = source.subject(&format!("void f(const double x[{INPUTS}], double out[{VALUES}])"));
        for _ in 0..POINTS {
            let point: [f64; INPUTS] =
                std::array::from_fn(|_| random.random_range(-1.0..1.0) * 10f64.powf(random.random_range(-3.0..3.0)));
            let call = subject.call(&point);
            assert!(subject.own_is_plain(&call), "{seed} {point:?}");
            if call.record.marks.not_finite || call.record.marks.subnormal {
                continue;
            }
            for (index, bounded) in evaluate(&operations, &point).iter().enumerate() {
                let shadow = call.record.outputs[index];
                let found = rug::Float::with_val(PRECISION, shadow.high) + shadow.low;
                let error = (found - &bounded.value).abs().to_f64();
                assert!(error <= bounded.error, "{seed} {point:?}: value {index} {error:e} {:e}", bounded.error);
                checked += 1;
                sharp += usize::from(bounded.error < bounded.value.to_f64().abs() * 2f64.powi(-90));
            }
        }
    }
    assert!(checked > 3000 && sharp > checked / 2, "{sharp} of {checked}");
}
