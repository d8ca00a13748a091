//! Every operator on every input of tiny formats, in every mode.

use labrys_float::{Format, Packed, RoundingMode};

use super::{Bench, tiny};
use crate::bitblast::Gates;
use crate::bitblast::float::{Bits, FloatCircuit, FloatCircuits, ModeBits};

/// Makes an operator's result bits from its operands.
pub(super) type Build = fn(&mut FloatCircuits, &mut Gates, &ModeBits, &[FloatCircuit]) -> Bits;
/// The result by the kernel; `None` where any will do.
pub(super) type Oracle = fn(&Packed, RoundingMode, &[u64]) -> Option<u64>;

/// One format's operands of an input.
fn operands(format: Format, arity: usize, input: u64) -> Vec<u64> {
    let width = format.width();
    (0..arity as u32).map(|i| input >> (i * width) & ((1 << width) - 1)).collect()
}

fn exhaust(formats: &[Format], modes: &[RoundingMode], arity: usize, build: Build, oracle: Oracle) {
    for format in formats {
        let packed = Packed::new(*format).unwrap();
        // Comparisons have another circuit for what comes out of operations: without encodings.
        for keep in [true, false] {
            let mut bench = Bench::new(*format, arity);
            let mut arguments = bench.operands.clone();
            if !keep {
                arguments.iter_mut().for_each(|number| number.packed = None);
            }
            for mode in modes {
                let Bench { gates, circuits, .. } = &mut bench;
                let outputs = build(circuits, gates, &ModeBits::constant(*mode), &arguments);
                bench.exhaust(&outputs, |input, output| {
                    let arguments = operands(*format, arity, input);
                    if let Some(expected) = oracle(&packed, *mode, &arguments) {
                        assert_eq!(output, expected, "{format:?} {mode:?} {arguments:x?}");
                    }
                });
            }
        }
    }
}

const NEAREST: [RoundingMode; 1] = [RoundingMode::NearestEven];

#[test]
fn encodings() {
    exhaust(&tiny(), &NEAREST, 1, |c, g, _, a| c.to_bits(g, &a[0]), |p, _, a| Some(p.canonical(a[0])));
}

#[test]
fn signs() {
    let neg: Build = |c, g, _, a| {
        let r = c.neg(&a[0]);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &NEAREST, 1, neg, |p, _, a| Some(p.canonical(p.neg(a[0]))));
    let abs: Build = |c, g, _, a| {
        let r = c.abs(&a[0]);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &NEAREST, 1, abs, |p, _, a| Some(p.canonical(p.abs(a[0]))));
}

#[test]
fn comparisons() {
    let build: Build = |c, g, _, a| {
        vec![
            c.less(g, &a[0], &a[1]),
            c.less_equal(g, &a[0], &a[1]),
            c.ieee_equal(g, &a[0], &a[1]),
            c.same(g, &a[0], &a[1]),
        ]
    };
    let oracle: Oracle = |p, _, a| {
        let all = [p.less(a[0], a[1]), p.less_equal(a[0], a[1]), p.ieee_equal(a[0], a[1]), p.same(a[0], a[1])];
        Some(all.iter().enumerate().fold(0, |word, (i, bit)| word | u64::from(*bit) << i))
    };
    exhaust(&tiny(), &NEAREST, 2, build, oracle);
}

#[test]
fn classes() {
    let build: Build = |c, g, _, a| {
        let a = &a[0];
        vec![
            c.is_nan(a),
            c.is_infinite(a),
            c.is_zero(a),
            c.is_normal(g, a),
            c.is_subnormal(g, a),
            c.is_negative(g, a),
            c.is_positive(g, a),
        ]
    };
    let oracle: Oracle = |p, _, a| {
        let a = a[0];
        let all = [
            p.is_nan(a),
            p.is_infinite(a),
            p.is_zero(a),
            p.is_normal(a),
            p.is_subnormal(a),
            p.is_negative(a),
            p.is_positive(a),
        ];
        Some(all.iter().enumerate().fold(0, |word, (i, bit)| word | u64::from(*bit) << i))
    };
    exhaust(&tiny(), &NEAREST, 1, build, oracle);
}

#[test]
fn extrema() {
    let min: Build = |c, g, _, a| {
        let r = c.min(g, &a[0], &a[1], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &NEAREST, 2, min, |p, _, a| {
        (!(p.is_zero(a[0]) && p.is_zero(a[1]) && a[0] != a[1])).then(|| p.canonical(p.min(a[0], a[1])))
    });
    let max: Build = |c, g, _, a| {
        let r = c.max(g, &a[0], &a[1], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &NEAREST, 2, max, |p, _, a| {
        (!(p.is_zero(a[0]) && p.is_zero(a[1]) && a[0] != a[1])).then(|| p.canonical(p.max(a[0], a[1])))
    });
}

#[test]
fn sums() {
    let build: Build = |c, g, m, a| {
        let r = c.add(g, m, &a[0], &a[1], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &RoundingMode::ALL, 2, build, |p, m, a| Some(p.add(m, a[0], a[1])));
}

#[test]
fn products() {
    let build: Build = |c, g, m, a| {
        let r = c.mul(g, m, &a[0], &a[1], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &RoundingMode::ALL, 2, build, |p, m, a| Some(p.mul(m, a[0], a[1])));
}

#[test]
fn differences() {
    let build: Build = |c, g, m, a| {
        let r = c.sub(g, m, &a[0], &a[1], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &RoundingMode::ALL, 2, build, |p, m, a| Some(p.sub(m, a[0], a[1])));
}

#[test]
fn quotients() {
    let build: Build = |c, g, m, a| {
        let r = c.div(g, m, &a[0], &a[1], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &RoundingMode::ALL, 2, build, |p, m, a| Some(p.div(m, a[0], a[1])));
}

#[test]
fn roots() {
    let build: Build = |c, g, m, a| {
        let r = c.sqrt(g, m, &a[0], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &RoundingMode::ALL, 1, build, |p, m, a| Some(p.sqrt(m, a[0])));
}

#[test]
fn fused_products() {
    let build: Build = |c, g, m, a| {
        let r = c.fma(g, m, &a[0], &a[1], &a[2], None);
        c.to_bits(g, &r)
    };
    let formats = [(2, 2), (2, 3), (3, 2)].map(|(e, p)| Format::new(e, p));
    exhaust(&formats, &RoundingMode::ALL, 3, build, |p, m, a| Some(p.fma(m, a[0], a[1], a[2])));
    exhaust(&[Format::new(3, 3)], &NEAREST, 3, build, |p, m, a| Some(p.fma(m, a[0], a[1], a[2])));
}

#[test]
fn remainders() {
    let rem: Build = |c, g, _, a| {
        let r = c.rem(g, &a[0], &a[1], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &NEAREST, 2, rem, |p, _, a| Some(p.remainder(a[0], a[1])));
    let fmod: Build = |c, g, _, a| {
        let r = c.fmod(g, &a[0], &a[1], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &NEAREST, 2, fmod, |p, _, a| Some(p.fmod(a[0], a[1])));
}

#[test]
fn integral_values() {
    let build: Build = |c, g, m, a| {
        let r = c.round_to_integral(g, m, &a[0], None);
        c.to_bits(g, &r)
    };
    exhaust(&tiny(), &RoundingMode::ALL, 1, build, |p, m, a| Some(p.round_to_integral(m, a[0])));
    exhaust(&[Format::new(5, 6)], &RoundingMode::ALL, 1, build, |p, m, a| Some(p.round_to_integral(m, a[0])));
}
