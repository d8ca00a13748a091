//! Range checks of polynomials of degree 3, 6 and 9.

use crate::corpus::script::Script;
use crate::corpus::term::Float;
use crate::corpus::width::Width;

/// Instance 0: above everything that sampling found. 1: above nearly everything. 2: Horner's scheme against powers.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let degree = [3, 6, 9][size];
    let width = [Width::Single, Width::Double][(size + instance) % 2];
    let coefficients: Vec<f64> =
        (0..=degree).map(|power| width.round(script.random.between(-4.0, 4.0) / f64::from(1 << (power / 2)))).collect();
    let range = (-1.25, 1.5);
    let mut best = (f64::NEG_INFINITY, 0.0);
    let mut least = f64::INFINITY;
    for _ in 0..20_000 {
        let x = width.round(script.random.between(range.0, range.1));
        let value = coefficients.iter().rev().fold(0.0, |sum, &c| width.round(width.round(sum * x) + c));
        least = least.min(value);
        if value > best.0 {
            best = (value, x);
        }
    }
    let witness = best.1;
    let x = script.bounded_at(width, range.0, range.1, witness);
    let horner = horner(script, &x, &coefficients);
    let spread = best.0 - least;
    match instance {
        0 => script.assert(&horner.more(&horner.like(best.0 + 0.02 * spread))),
        1 => script.assert(&horner.at_least(&horner.like(best.0))),
        _ => {
            let sum = powers(script, &x, &coefficients);
            let gap = script.float(&sum.sub(&horner));
            // The first size is beyond what the errors can add up to, the others are met by some inputs.
            let ulps = [64.0, 2.0, 3.0][size];
            script.assert(&gap.abs().more(&gap.like(ulps * width.quantum(4.0))));
        }
    }
}

fn horner(script: &mut Script, x: &Float, coefficients: &[f64]) -> Float {
    let mut sum = x.like(coefficients[coefficients.len() - 1]);
    for &coefficient in coefficients.iter().rev().skip(1) {
        let product = script.float(&sum.mul(x));
        sum = script.float(&product.add(&x.like(coefficient)));
    }
    sum
}

fn powers(script: &mut Script, x: &Float, coefficients: &[f64]) -> Float {
    let mut sum = x.like(coefficients[0]);
    let mut power = x.like(1.0);
    for &coefficient in &coefficients[1..] {
        power = script.float(&power.mul(x));
        let product = script.float(&power.mul(&x.like(coefficient)));
        sum = script.float(&sum.add(&product));
    }
    sum
}
