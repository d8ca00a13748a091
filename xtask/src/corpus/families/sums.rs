//! The same sum in different orders.

use crate::corpus::script::Script;
use crate::corpus::term::Float;
use crate::corpus::width::Width;

/// Instance 0: left to right and pairwise differ by more than the error bound. 1: they differ by an amount that the witness shows. 2: a
/// compensated sum (Kahan, "Further remarks on reducing truncation errors", 1965) against the plain one.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = [Width::Single, Width::Double][(size + instance) % 2];
    let terms = [3, 4, 6][size];
    let values: Vec<Float> = (0..terms).map(|_| script.bounded(width, 1.0, 10.0)).collect();
    let plain = left_to_right(script, &values);
    let other = if instance == 2 { compensated(script, &values) } else { pairwise(script, &values) };
    let gap = script.float(&plain.sub(&other));
    let ulp = width.quantum(10.0 * f64::from(u8::try_from(terms).unwrap_or(8)));
    match instance {
        // Each of at most ten additions errs by at most half an ulp of the largest possible sum.
        0 => {
            script.assert(&gap.abs().more(&gap.like(f64::from(u8::try_from(terms).unwrap_or(8)) * ulp)));
            script.claim_unsat();
        }
        1 => {
            let value = gap.value.unwrap_or(ulp);
            script.assert(&gap.equals(&gap.like(value)));
            script.assert(&values[0].more(&values[0].like(1.0)));
        }
        _ => script.assert(&gap.abs().more(&gap.like(ulp))),
    }
}

fn left_to_right(script: &mut Script, values: &[Float]) -> Float {
    let mut total = values[0].clone();
    for value in &values[1..] {
        total = script.float(&total.add(value));
    }
    total
}

fn pairwise(script: &mut Script, values: &[Float]) -> Float {
    let mut row = values.to_vec();
    row.reverse();
    while row.len() > 1 {
        row = row
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => script.float(&a.add(b)),
                rest => rest[0].clone(),
            })
            .collect();
    }
    row.swap_remove(0)
}

fn compensated(script: &mut Script, values: &[Float]) -> Float {
    let mut total = values[0].clone();
    let mut lost = total.like(0.0);
    for value in &values[1..] {
        let corrected = script.float(&value.sub(&lost));
        let next = script.float(&total.add(&corrected));
        let gained = script.float(&next.sub(&total));
        lost = script.float(&gained.sub(&corrected));
        total = next;
    }
    total
}
