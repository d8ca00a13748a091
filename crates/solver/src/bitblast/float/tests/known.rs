//! Circuits specialised by domains: where operands and result lie in them the constraints hold, and where the
//! constraints hold the result is right.

use labrys_float::{Format, Packed, RoundingMode};
use labrys_formulas::Random;

use super::operators::Oracle;
use super::tiny;
use crate::bitblast::float::{Bits, FloatCircuit, FloatCircuits, ModeBits};
use crate::bitblast::{Gates, Lit};
use crate::domain::{FloatDomain, Range};

type Known<'a> = Option<&'a FloatDomain>;
type Build = fn(&mut FloatCircuits, &mut Gates, &ModeBits, &[FloatCircuit], Known<'_>) -> FloatCircuit;

/// A random domain, seldom empty.
fn domain(format: Format, random: &mut Random) -> FloatDomain {
    let top = FloatDomain::top(format);
    let mut range = |all: Option<Range>| {
        let high = all?.high;
        let (a, b) = (1 + u128::from(random.bits()) % high, 1 + u128::from(random.bits()) % high);
        // Often narrow: that is where bits become constants.
        let b = if random.bits().is_multiple_of(2) { (a + b % 3).min(high) } else { b };
        (!random.bits().is_multiple_of(4)).then_some(Range { low: a.min(b), high: a.max(b) })
    };
    let (negative, positive) = (range(top.negative), range(top.positive));
    let flags = random.bits() | random.bits();
    let bit = |i: u32| flags >> i & 1 == 0;
    FloatDomain {
        negative,
        positive,
        minus_zero: bit(0),
        plus_zero: bit(1),
        minus_infinity: bit(2),
        plus_infinity: bit(3),
        nan: bit(4),
        ..top
    }
}

fn contains(domain: &FloatDomain, packed: &Packed, value: u64) -> bool {
    if packed.is_nan(value) {
        return domain.nan;
    }
    let negative = packed.is_negative(value);
    if packed.is_infinite(value) {
        return if negative { domain.minus_infinity } else { domain.plus_infinity };
    }
    if packed.is_zero(value) {
        return if negative { domain.minus_zero } else { domain.plus_zero };
    }
    let magnitude = u128::from(packed.abs(value));
    let range = if negative { domain.negative } else { domain.positive };
    range.is_some_and(|range| range.low <= magnitude && magnitude <= range.high)
}

/// Operands with domains, as fresh inputs.
fn operands(
    circuits: &mut FloatCircuits,
    gates: &mut Gates,
    format: Format,
    domains: &[FloatDomain],
) -> (Bits, Vec<FloatCircuit>) {
    let (mut inputs, mut numbers) = (Vec::new(), Vec::new());
    for domain in domains {
        let bits: Bits = (0..format.width()).map(|_| gates.input()).collect();
        numbers.push(circuits.unpack(gates, &bits, format, Some(domain)));
        inputs.extend(bits);
    }
    (inputs, numbers)
}

fn check(arity: usize, rounds: usize, build: Build, oracle: Oracle) {
    let mut random = Random::new(arity as u64);
    for format in tiny().into_iter().filter(|format| arity < 3 || format.width() < 6) {
        let packed = Packed::new(format).unwrap();
        let width = format.width();
        for round in 0..rounds {
            let mode = RoundingMode::ALL[round % 5];
            let domains: Vec<FloatDomain> = (0..arity).map(|_| domain(format, &mut random)).collect();
            let (mut gates, mut circuits) = (Gates::new(), FloatCircuits::new());
            let (inputs, arguments) = operands(&mut circuits, &mut gates, format, &domains);
            let known = domain(format, &mut random);
            if known.is_empty() {
                continue;
            }
            let result = build(&mut circuits, &mut gates, &ModeBits::constant(mode), &arguments, Some(&known));
            let mut outputs = circuits.to_bits(&mut gates, &result);
            outputs.push(gates.all(&circuits.constraints));
            super::run(&gates, &inputs, 0..1u64 << inputs.len(), &outputs, |input, output| {
                let arguments: Vec<u64> =
                    (0..arity as u32).map(|i| input >> (i * width) & ((1 << width) - 1)).collect();
                let expected = oracle(&packed, mode, &arguments);
                let inside = arguments.iter().zip(&domains).all(|(value, domain)| contains(domain, &packed, *value));
                let result_inside = expected.is_some_and(|expected| contains(&known, &packed, expected));
                let (holds, output) = (output >> width & 1 == 1, output & ((1 << width) - 1));
                let context = || format!("{format:?} {mode:?} {arguments:x?} {domains:?} {known:?}");
                assert!(holds || !(inside && result_inside), "{}", context());
                if let Some(expected) = expected.filter(|_| holds) {
                    assert_eq!(output, expected, "{}", context());
                }
            });
        }
    }
}

#[test]
fn sums() {
    check(2, 60, |c, g, m, a, k| c.add(g, m, &a[0], &a[1], k), |p, m, a| Some(p.add(m, a[0], a[1])));
}

#[test]
fn products() {
    check(2, 60, |c, g, m, a, k| c.mul(g, m, &a[0], &a[1], k), |p, m, a| Some(p.mul(m, a[0], a[1])));
}

#[test]
fn squares() {
    check(1, 200, |c, g, m, a, k| c.mul(g, m, &a[0], &a[0], k), |p, m, a| Some(p.mul(m, a[0], a[0])));
}

#[test]
fn quotients() {
    check(2, 60, |c, g, m, a, k| c.div(g, m, &a[0], &a[1], k), |p, m, a| Some(p.div(m, a[0], a[1])));
}

#[test]
fn roots() {
    check(1, 200, |c, g, m, a, k| c.sqrt(g, m, &a[0], k), |p, m, a| Some(p.sqrt(m, a[0])));
}

#[test]
fn fused_products() {
    check(3, 40, |c, g, m, a, k| c.fma(g, m, &a[0], &a[1], &a[2], k), |p, m, a| Some(p.fma(m, a[0], a[1], a[2])));
}

#[test]
fn remainders() {
    check(2, 60, |c, g, _, a, k| c.rem(g, &a[0], &a[1], k), |p, _, a| Some(p.remainder(a[0], a[1])));
    check(2, 60, |c, g, _, a, k| c.fmod(g, &a[0], &a[1], k), |p, _, a| Some(p.fmod(a[0], a[1])));
}

#[test]
fn integral_values() {
    check(1, 200, |c, g, m, a, k| c.round_to_integral(g, m, &a[0], k), |p, m, a| Some(p.round_to_integral(m, a[0])));
}

#[test]
fn extrema() {
    check(
        2,
        60,
        |c, g, _, a, k| c.min(g, &a[0], &a[1], k),
        |p, _, a| (!p.is_zero(a[0]) || !p.is_zero(a[1])).then(|| p.canonical(p.min(a[0], a[1]))),
    );
}

#[test]
fn a_constant_and_an_unknown() {
    let mut random = Random::new(9);
    for format in tiny() {
        let packed = Packed::new(format).unwrap();
        for _ in 0..40 {
            let constant = random.bits() & ((1 << format.width()) - 1);
            let (mut gates, mut circuits) = (Gates::new(), FloatCircuits::new());
            let bits: Bits = (0..format.width()).map(|_| gates.input()).collect();
            let x = circuits.unpack(&mut gates, &bits, format, None);
            let c = circuits.constant(&mut gates, &packed.decode(constant));
            for mode in RoundingMode::ALL {
                let m = ModeBits::constant(mode);
                let results = [
                    circuits.add(&mut gates, &m, &c, &x, None),
                    circuits.mul(&mut gates, &m, &c, &x, None),
                    circuits.div(&mut gates, &m, &c, &x, None),
                    circuits.div(&mut gates, &m, &x, &c, None),
                    circuits.fma(&mut gates, &m, &c, &x, &c, None),
                ];
                let outputs: Bits = results.iter().flat_map(|r| circuits.to_bits(&mut gates, r)).collect();
                super::run(&gates, &bits, 0..1 << format.width(), &outputs, |x, output| {
                    let expected = [
                        packed.add(mode, constant, x),
                        packed.mul(mode, constant, x),
                        packed.div(mode, constant, x),
                        packed.div(mode, x, constant),
                        packed.fma(mode, constant, x, constant),
                    ];
                    for (i, expected) in expected.into_iter().enumerate() {
                        let output = output >> (i as u32 * format.width()) & ((1 << format.width()) - 1);
                        assert_eq!(output, expected, "{format:?} {mode:?} {constant:x} {x:x} {i}");
                    }
                });
            }
        }
    }
}

#[test]
fn modes_that_are_not_known() {
    let format = Format::new(3, 3);
    let packed = Packed::new(format).unwrap();
    let (mut gates, mut circuits) = (Gates::new(), FloatCircuits::new());
    let mut inputs: Bits = (0..12).map(|_| gates.input()).collect();
    let a = circuits.unpack(&mut gates, &inputs[..6], format, None);
    let b = circuits.unpack(&mut gates, &inputs[6..], format, None);
    let code: [Lit; 3] = std::array::from_fn(|_| gates.input());
    inputs.extend(code);
    let mode = ModeBits::decode(&mut gates, code);
    let results = [circuits.mul(&mut gates, &mode, &a, &b, None), circuits.add(&mut gates, &mode, &a, &b, None)];
    let outputs: Bits = results.iter().flat_map(|r| circuits.to_bits(&mut gates, r)).collect();
    super::run(&gates, &inputs, 0..5 << 12, &outputs, |input, output| {
        let (a, b, mode) = (input & 63, input >> 6 & 63, RoundingMode::ALL[(input >> 12) as usize]);
        assert_eq!(output, packed.mul(mode, a, b) | packed.add(mode, a, b) << 6, "{mode:?} {a:x} {b:x}");
    });
}
