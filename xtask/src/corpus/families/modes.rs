//! Rounding modes: directed ones as bounds of the others, and modes as variables.

use crate::corpus::script::Script;
use crate::corpus::term::Float;
use crate::corpus::width::Width;

/// x op y in a mode, a term or one of the five.
fn operate(name: &str, mode: &str, a: &Float, b: &Float) -> Float {
    a.opaque(format!("({name} {mode} {} {})", a.text, b.text))
}

/// Instance 0: an interval evaluation that rounds outwards holds the result of a variable mode. 1: two modes, variables both, differ by
/// more than an ulp. 2: some mode makes a sum of thirds come out as wanted.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = [Width::Half, Width::Single, Width::Double][(size + instance) % 3];
    let steps = [1, 2, 4][size];
    let start = script.bounded(width, 1.0, 8.0);
    let (first, second) = (script.mode(), script.mode());
    let mut ends = [start.clone(), start.clone(), start.clone(), start.clone()];
    for step in 0..steps {
        let name = ["fp.mul", "fp.add", "fp.div", "fp.add"][(step + instance) % 4];
        let other = script.bounded(width, 1.0, 4.0);
        let modes: [&str; 4] = ["RTN", "RTP", &first, &second];
        for (end, mode) in ends.iter_mut().zip(modes) {
            *end = script.float(&operate(name, mode, end, &other));
        }
    }
    let [low, high, one, another] = ends;
    match instance {
        // The operations grow with their left operand, which stays positive, so that each step keeps the order of the three.
        0 => {
            script.assert(&one.at_least(&low).and(&one.at_most(&high)).not());
            script.claim_unsat();
        }
        1 => {
            let gap = script.float(&one.sub(&another));
            script.assert(&gap.abs().more(&gap.like(width.quantum(2.0))));
        }
        _ => {
            script.assert(&one.less(&another));
            script.assert(&one.more(&low));
            let middle = script.float(&low.add(&high).mul(&low.like(0.5)));
            script.assert(&middle.less(&one));
        }
    }
}
