//! Special and random inputs of the usual formats, against the exact kernel.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_formulas::Random;
use num_bigint::BigUint;
use num_traits::Zero;
use rustc_hash::FxHashMap;

use crate::bitblast::float::{Bits, FloatCircuit, FloatCircuits, ModeBits};
use crate::bitblast::{Gates, Lit, word_of};

fn bits(random: &mut Random, width: u32) -> BigUint {
    let digits: Vec<u32> = (0..width.div_ceil(32)).map(|_| (random.bits() >> 32) as u32).collect();
    BigUint::new(digits) & ((BigUint::from(1u8) << width) - 1u8)
}

/// An encoding: uniform, or near another number's exponent, or with few bits, or special.
fn encoding(random: &mut Random, format: Format, near: &Float) -> Float {
    let width = format.width();
    let encoding = match random.bits() % 8 {
        0 | 1 => bits(random, width),
        2 | 3 => {
            // Near: the last number's exponent give or take three, another fraction.
            let scaled = Environment::default().scale(near, (random.bits() % 7) as i64 - 3).value;
            scaled.bits() ^ bits(random, format.precision() - 1)
        }
        4 => near.bits() ^ (bits(random, width) & bits(random, width) & bits(random, width) & bits(random, width)),
        5 => {
            let width = random.bits() % u64::from(format.precision() - 1);
            bits(random, width as u32 + 1)
        }
        6 => {
            let small = Float::one(format).bits() + bits(random, 3);
            small ^ (BigUint::from(random.bits() & 1) << (width - 1))
        }
        _ => {
            let all = [
                Float::zero(format, true),
                Float::zero(format, false),
                Float::infinity(format, true),
                Float::infinity(format, false),
                Float::nan(format),
                Float::max_finite(format),
                Float::min_normal(format),
                Float::min_subnormal(format),
                Float::one(format),
            ];
            all[random.below(all.len())].bits().clone()
        }
    };
    Float::from_bits(format, encoding)
}

type Build = fn(&mut FloatCircuits, &mut Gates, &ModeBits, &[FloatCircuit]) -> FloatCircuit;
type Oracle = fn(&Environment, &[Float]) -> Float;

/// Compares an operator's circuit with the kernel on so many batches of 64 inputs for each mode.
fn compare(format: Format, arity: usize, batches: usize, build: Build, oracle: Oracle) {
    let mut random = Random::new(u64::from(format.width()));
    let (mut gates, mut circuits) = (Gates::new(), FloatCircuits::new());
    let (mut places, mut operands) = (FxHashMap::default(), Vec::new());
    for operand in 0..arity {
        let bits: Bits = (0..format.width()).map(|_| gates.input()).collect();
        places.extend(bits.iter().enumerate().map(|(bit, lit)| (lit.gate(), (operand, bit as u64))));
        operands.push(circuits.from_bits(&mut gates, &bits, format, None));
    }
    let code: [Lit; 3] = std::array::from_fn(|_| gates.input());
    let mode = ModeBits::decode(&mut gates, code);
    let result = build(&mut circuits, &mut gates, &mode, &operands);
    let outputs = circuits.to_bits(&mut gates, &result);
    for round in 0..batches * 5 {
        let environment = Environment::with_rounding(RoundingMode::ALL[round % 5]);
        let inputs: Vec<Vec<Float>> = (0..64)
            .map(|_| {
                let mut last = Float::one(format);
                let mut next = || {
                    last = encoding(&mut random, format, &last);
                    last.clone()
                };
                (0..arity).map(|_| next()).collect()
            })
            .collect();
        let values = gates.evaluate_words(|gate| match places.get(&gate) {
            Some((operand, bit)) => inputs
                .iter()
                .enumerate()
                .fold(0, |word, (i, input)| word | u64::from(input[*operand].bits().bit(*bit)) << i),
            None => code
                .iter()
                .position(|lit| lit.gate() == gate)
                .map_or(0, |bit| if (round % 5) >> bit & 1 == 1 { u64::MAX } else { 0 }),
        });
        let words: Vec<u64> = outputs.iter().map(|lit| word_of(&values, *lit)).collect();
        for (i, input) in inputs.iter().enumerate() {
            let mut bits = BigUint::zero();
            words.iter().enumerate().for_each(|(bit, word)| bits.set_bit(bit as u64, word >> i & 1 == 1));
            let expected = oracle(&environment, input);
            assert_eq!(&bits, expected.bits(), "{format:?} {environment:?} {input:?}: {expected:?}");
        }
    }
}

fn each(arity: usize, batches: usize, build: Build, oracle: Oracle) {
    for format in [Format::BINARY16, Format::BINARY32, Format::BINARY64, Format::X87] {
        compare(format, arity, batches, build, oracle);
    }
    compare(Format::BINARY128, arity, 1, build, oracle);
}

#[test]
fn sums() {
    each(2, 8, |c, g, m, a| c.add(g, m, &a[0], &a[1], None), |e, a| e.add(&a[0], &a[1]).value);
}

#[test]
fn products() {
    each(2, 6, |c, g, m, a| c.mul(g, m, &a[0], &a[1], None), |e, a| e.mul(&a[0], &a[1]).value);
}

#[test]
fn quotients() {
    each(2, 6, |c, g, m, a| c.div(g, m, &a[0], &a[1], None), |e, a| e.div(&a[0], &a[1]).value);
}

#[test]
fn roots() {
    each(1, 6, |c, g, m, a| c.sqrt(g, m, &a[0], None), |e, a| e.sqrt(&a[0]).value);
}

#[test]
fn fused_products() {
    each(3, 6, |c, g, m, a| c.fma(g, m, &a[0], &a[1], &a[2], None), |e, a| e.fma(&a[0], &a[1], &a[2]).value);
}

#[test]
fn integral_values() {
    let oracle: Oracle = |e, a| e.round_to_integral(&a[0], e.rounding, false).value;
    each(1, 6, |c, g, m, a| c.round_to_integral(g, m, &a[0], None), oracle);
}

#[test]
fn remainders() {
    for format in [Format::BINARY16, Format::BINARY32] {
        compare(format, 2, 4, |c, g, _, a| c.rem(g, &a[0], &a[1], None), |e, a| e.ieee_remainder(&a[0], &a[1]).value);
        compare(format, 2, 4, |c, g, _, a| c.fmod(g, &a[0], &a[1], None), |e, a| e.fmod(&a[0], &a[1]).value);
    }
}

#[test]
fn conversions() {
    let there: Build = |c, g, m, a| {
        let single = c.convert(g, m, &a[0], Format::BINARY32, None);
        c.convert(g, m, &single, a[0].format, None)
    };
    let back: Oracle = |e, a| e.convert(&e.convert(&a[0], Format::BINARY32).value, a[0].format()).value;
    each(1, 6, there, back);
    let integers: Build = |c, g, m, a| {
        let bits = c.to_bits(g, &a[0]);
        c.from_signed(g, m, &bits[..16], a[0].format, None)
    };
    let numbers: Oracle = |e, a| {
        let canonical = if a[0].is_nan() { Float::nan(a[0].format()) } else { a[0].clone() };
        let low = canonical.bits().iter_u32_digits().next().unwrap_or(0) as u16 as i16;
        e.from_integer(&low.into(), a[0].format()).value
    };
    each(1, 6, integers, numbers);
}
