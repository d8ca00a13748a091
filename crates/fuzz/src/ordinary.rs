//! Inputs as people use them: numbers of a common scale, few digits, small integers, the program's own literals.
//!
//! Uniform ordinals are uniform in magnitude: of two such numbers one hardly ever matters beside the other, and sums of them never
//! cancel. So a part of the inputs is drawn as one expects of a caller: all values of a record on one scale.

use rand::{Rng, RngExt};

use crate::domain::Domain;
use crate::space::Space;

/// Scales that people use: the ends of an interval.
const SCALES: [(f64, f64); 8] = [
    (-1.0, 1.0),
    (0.0, 1.0),
    (-10.0, 10.0),
    (0.0, 10.0),
    (-100.0, 100.0),
    (-1000.0, 1000.0),
    (0.0, 1000.0),
    (0.0, 1e6),
];
/// Bounds wider than this are none that a uniform number makes sense in.
const WIDEST: f64 = 1e9;

/// How the values of a record are drawn.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// Uniform on a scale.
    Uniform(f64, f64),
    /// Small integers.
    Integers,
    /// Few decimal digits, on a scale.
    Decimals(f64, f64),
    /// Literals of the program, or a few steps from one.
    Literals,
}

impl Style {
    fn draw(space: &Space, random: &mut impl Rng) -> Style {
        let (low, high) = SCALES[random.random_range(0..SCALES.len())];
        match random.random_range(0..8) {
            0 => Style::Integers,
            1 | 2 => Style::Decimals(low, high),
            3 if !space.literals.is_empty() => Style::Literals,
            _ => Style::Uniform(low, high),
        }
    }
}

/// A record of ordinary numbers within the bounds: mostly all of one style.
pub(crate) fn draw_ordinary(space: &Space, random: &mut impl Rng) -> Vec<u8> {
    let mut record = space.origin();
    let common = Style::draw(space, random);
    for variable in &space.variables {
        let style = if random.random_ratio(1, 8) { Style::draw(space, random) } else { common };
        variable.leaf.write(&mut record, one(&variable.domain, style, &space.literals, random));
    }
    record
}

/// A value of a domain, uniform among numbers, where it has bounds; else on one of the scales.
pub(crate) fn uniform(domain: &Domain, random: &mut impl Rng) -> u128 {
    let (low, high) = SCALES[random.random_range(0..SCALES.len())];
    one(domain, Style::Uniform(low, high), &[], random)
}

/// One value of a domain.
fn one(domain: &Domain, style: Style, literals: &[f64], random: &mut impl Rng) -> u128 {
    let (from, to) = domain.values();
    // Where the user gave bounds, these are the scale.
    let is_bounded = from >= -WIDEST && to <= WIDEST && from < to;
    let on_scale = |low: f64, high: f64| match (low.max(from), high.min(to)) {
        _ if is_bounded => (from, to),
        (low, high) if low < high => (low, high),
        _ => (low, high),
    };
    let uniform = |(low, high): (f64, f64), random: &mut _| low + (high - low) * unit(random);
    match style {
        Style::Uniform(low, high) => domain.near(uniform(on_scale(low, high), random)),
        Style::Integers => domain.near(uniform(on_scale(-16.0, 16.0), random).round()),
        Style::Decimals(low, high) => {
            let step = 10f64.powi(random.random_range(0..4));
            domain.near((uniform(on_scale(low, high), random) * step).round() / step)
        }
        Style::Literals => {
            let literal = literals[random.random_range(0..literals.len())];
            let bits = domain.near(if random.random_ratio(1, 4) { -literal } else { literal });
            match (domain.place(bits), random.random_range(0..2)) {
                (Some(place), 0) => domain.at(place + random.random_range(-2..=2)),
                _ => bits,
            }
        }
    }
}

/// A number in [0, 1) of 53 random bits.
fn unit(random: &mut impl Rng) -> f64 {
    (random.random::<u64>() >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use labrys_program::{FloatType, ScalarType};
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::domain::InputClass;

    fn doubles(domain: &Domain, style: Style, literals: &[f64]) -> Vec<f64> {
        let mut random = Pcg64::seed_from_u64(1);
        (0..1000).map(|_| f64::from_bits(one(domain, style, literals, &mut random) as u64)).collect()
    }

    #[test]
    fn styles_are_what_they_say() {
        let all = Domain::new(ScalarType::Float(FloatType::F64), InputClass::All);
        let uniform = doubles(&all, Style::Uniform(-10.0, 10.0), &[]);
        assert!(uniform.iter().all(|x| (-10.0..=10.0).contains(x)));
        assert!(uniform.iter().filter(|x| x.abs() > 5.0).count() > 400);
        assert!(doubles(&all, Style::Integers, &[]).iter().all(|x| x.fract() == 0.0 && x.abs() <= 16.0));
        let near = |x: &f64| (x.abs() - 0.375).abs() < 1e-15;
        assert!(doubles(&all, Style::Literals, &[0.375]).iter().all(near));
    }

    #[test]
    fn bounds_are_the_scale_where_there_are_some() {
        let mut domain = Domain::new(ScalarType::Float(FloatType::F64), InputClass::All);
        let place = |x: f64| x.to_bits() as i128;
        domain.intersect(place(20.0), place(20000.0));
        let uniform = doubles(&domain, Style::Uniform(-1.0, 1.0), &[]);
        assert!(uniform.iter().all(|x| (20.0..=20000.0).contains(x)));
        assert!(uniform.iter().filter(|x| **x > 10000.0).count() > 400);
    }

    #[test]
    fn every_format_and_integers_have_ordinary_values() {
        for float in [FloatType::F16, FloatType::F32, FloatType::F64, FloatType::X87] {
            let domain = Domain::new(ScalarType::Float(float), InputClass::Finite);
            for (value, text) in [(1.5, "1.5"), (-10.25, "-10.25"), (1000.0, "1000"), (0.0, "0")] {
                let format = float.format();
                let expected = labrys_float::Float::parse_decimal(format, text).and_then(|float| float.to_u128());
                assert_eq!(Some(domain.near(value)), expected, "{float:?} {value}");
            }
        }
        let bytes = Domain::new(ScalarType::Int { bits: 8, signed: true }, InputClass::All);
        assert_eq!((bytes.near(-3.4), bytes.near(1e6), bytes.near(-1e6)), (0xfd, 0x7f, 0x80));
        assert_eq!(bytes.values(), (-128.0, 127.0));
    }
}
