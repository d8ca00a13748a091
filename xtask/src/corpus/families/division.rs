//! Divisions behind guards.

use crate::corpus::script::Script;
use crate::corpus::width::Width;

/// Instance 0: a chain of guarded quotients that stays finite. 1: the same with the guard `!= 0`, which lets it overflow. 2: a / b * b against a.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = [Width::Single, Width::Double][(size + instance) % 2];
    if instance == 2 {
        return there_and_back(script, size, width);
    }
    let mut quotient = None;
    for _ in 0..[1, 2, 4][size] {
        let numerator = script.bounded(width, -1000.0, 1000.0);
        let drawn = script.random.between(-2.0, 2.0);
        let tiny = width.round(if width == Width::Single { 1e-40 } else { 1e-310 });
        let witness = if instance == 0 { drawn } else { tiny };
        let divisor = script.variable(width, witness);
        script.assert(&divisor.within(-8.0, 8.0));
        let divisor = match quotient {
            None => divisor,
            Some(previous) => {
                let factor = divisor.mul(&divisor.like(0.125));
                let factor = script.float(&factor);
                script.float(&factor.add(&divisor.mul(&previous)))
            }
        };
        let guard = if instance == 0 {
            divisor.abs().more(&divisor.like(0.001))
        } else {
            divisor.equals(&divisor.like(0.0)).not()
        };
        script.assert(&guard);
        quotient = Some(script.float(&numerator.div(&divisor)));
    }
    let quotient = quotient.expect("at least one");
    // A numerator of at most 1000 over a divisor of at least 0.001 is at most 1000001.
    if instance == 0 {
        script.assert(&quotient.abs().more(&quotient.like(1_000_001.0)));
        script.claim_unsat();
    } else {
        script.assert(&quotient.is_infinite());
    }
}

/// a / b * b within an ulp or so of a: always; farther off by half of one: sometimes; in three rounds.
fn there_and_back(script: &mut Script, size: usize, width: Width) {
    let a = script.bounded(width, 1.0, 2.0);
    let b = script.bounded(width, 1.0, 2.0);
    let mut value = a.clone();
    for _ in 0..=size {
        let quotient = script.float(&value.div(&b));
        value = script.float(&quotient.mul(&b));
    }
    let gap = script.float(&value.sub(&a));
    let ulp = width.quantum(1.0);
    if size == 1 {
        script.assert(&gap.abs().more(&gap.like(4.0 * ulp)));
    } else {
        script.assert(&gap.equals(&gap.like(0.0)).not());
        script.assert(&a.more(&b));
    }
}
