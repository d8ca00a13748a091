//! Error-free transformations: Knuth's two-sum, Dekker's fast two-sum, the product's error by fma. All in rounding to nearest, without
//! overflow and, for products, without underflow.

use crate::corpus::script::Script;
use crate::corpus::term::Float;
use crate::corpus::width::Width;

const WIDTHS: [Width; 3] = [Width::Half, Width::Single, Width::Double];

/// Instance 0: the transformation's sum rounds to itself. 1: the error is not always zero. 2: two ways to the error agree.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = WIDTHS[size];
    let (a, b) = (script.bounded(width, 0.5, 100.0), script.bounded(width, -60.0, 60.0));
    match instance {
        0 => {
            let (sum, error) = two_sum(script, &a, &b);
            // Knuth, TAOCP 2, section 4.2.2, theorem B: sum + error = a + b, and the sum is its nearest float.
            let again = script.float(&sum.add(&error));
            script.assert(&again.equals(&sum).not());
            script.claim_unsat();
        }
        1 => {
            let product = script.float(&a.mul(&b));
            let error = script.float(&a.fma(&b, &product.neg()));
            script.assert(&error.abs().more(&error.like(0.0)));
            let sum = script.float(&product.add(&error));
            script.assert(&sum.equals(&product));
        }
        _ => {
            // Dekker, "A floating-point technique for extending the available precision", 1971: for |a| >= |b| three operations do.
            script.assert(&b.abs().at_most(&a));
            let (_, error) = two_sum(script, &a, &b);
            let sum = script.float(&a.add(&b));
            let part = script.float(&sum.sub(&a));
            let fast = script.float(&b.sub(&part));
            script.assert(&fast.equals(&error).not());
            script.claim_unsat();
        }
    }
}

fn two_sum(script: &mut Script, a: &Float, b: &Float) -> (Float, Float) {
    let sum = script.float(&a.add(b));
    let b_part = script.float(&sum.sub(a));
    let a_part = script.float(&sum.sub(&b_part));
    let a_error = script.float(&a.sub(&a_part));
    let b_error = script.float(&b.sub(&b_part));
    let error = script.float(&a_error.add(&b_error));
    (sum, error)
}
