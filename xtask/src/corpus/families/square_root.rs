//! Square roots there and back.

use crate::corpus::script::Script;
use crate::corpus::width::Width;

/// Instance 0: sqrt(x²) = |x| where nothing over- or underflows. 1: sqrt(x)² differs from x by so many ulps. 2: the hypotenuse.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = [Width::Half, Width::Single, Width::Double][size];
    match instance {
        // Boldo, "Stupid is as stupid does: taking the square root of the square of a floating-point number", 2015: true in radix 2.
        0 => {
            let x = script.bounded(width, -100.0, 100.0);
            script.assert(&x.abs().more(&x.like(0.01)));
            let square = script.float(&x.mul(&x));
            let root = script.float(&square.sqrt());
            script.assert(&root.equals(&x.abs()).not());
            script.claim_unsat();
        }
        1 => {
            let x = script.bounded(width, 1.0, 4.0);
            let root = script.float(&x.sqrt());
            let square = script.float(&root.mul(&root));
            let gap = script.float(&square.sub(&x));
            let ulp = width.quantum(2.0);
            let value = gap.value.unwrap_or(ulp);
            match size {
                0 => script.assert(&gap.abs().more(&gap.like(2.0 * ulp))),
                1 => script.assert(&gap.abs().equals(&gap.like(ulp))),
                _ => script.assert(&gap.equals(&gap.like(value))),
            }
        }
        _ => {
            let (x, y) = (script.bounded(width, 0.5, 100.0), script.bounded(width, 0.5, 100.0));
            let (xx, yy) = (script.float(&x.mul(&x)), script.float(&y.mul(&y)));
            let sum = script.float(&xx.add(&yy));
            let hypotenuse = script.float(&sum.sqrt());
            if size == 1 {
                let value = hypotenuse.value.unwrap_or(1.0);
                script.assert(&hypotenuse.equals(&hypotenuse.like(value)));
                script.assert(&x.more(&y));
            } else {
                // Rounding keeps order, and the root of the rounded square is x by Boldo's theorem.
                script.assert(&hypotenuse.less(&x.max(&y)));
                script.claim_unsat();
            }
        }
    }
}
