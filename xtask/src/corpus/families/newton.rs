//! Newton iterations, unrolled 1 to 8 times.

use crate::corpus::script::Script;
use crate::corpus::term::Float;
use crate::corpus::width::Width;

/// Instance 0: the square root of [1, 4], off by more than the error bound. 1: the reciprocal by multiplications. 2: a root whose square
/// is not exact, from the witness.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let steps = [1, 3, 8][size];
    let width = [Width::Single, Width::Half, Width::Double][(size + instance) % 3];
    if instance == 1 {
        return reciprocal(script, steps, width);
    }
    let a = script.bounded(width, 1.0, 4.0);
    let mut x = script.float(&a.add(&a.like(1.0)).mul(&a.like(0.5)));
    for _ in 0..steps {
        x = root_step(script, &a, &x);
    }
    let square = script.float(&x.mul(&x));
    let gap = script.float(&square.sub(&a));
    if instance == 0 {
        // In exact arithmetic the first step leaves at most 0.31, the third less than 1e-7; rounding adds some ulps of 4.
        let bound = [0.4, 1e-5, 1e-6][size] + 4.0 * width.quantum(4.0);
        script.assert(&gap.abs().more(&gap.like(bound)));
    } else {
        let value = gap.value.unwrap_or(0.0);
        script.assert(&gap.equals(&gap.like(value)));
        script.assert(&a.more(&a.like(1.25)));
    }
}

/// (x + a / x) / 2
fn root_step(script: &mut Script, a: &Float, x: &Float) -> Float {
    let quotient = script.float(&a.div(x));
    let sum = script.float(&x.add(&quotient));
    script.float(&sum.mul(&sum.like(0.5)))
}

/// x (2 - d x) for d in [0.5, 1] from the linear estimate 48/17 - 32/17 d, which is off by 1/17: is d x ever above 1 by the bound?
fn reciprocal(script: &mut Script, steps: usize, width: Width) {
    let d = script.bounded(width, 0.5, 1.0);
    let scaled = script.float(&d.mul(&d.like(32.0 / 17.0)));
    let mut x = script.float(&d.like(48.0 / 17.0).sub(&scaled));
    for _ in 0..steps {
        let product = script.float(&d.mul(&x));
        let rest = script.float(&d.like(2.0).sub(&product));
        x = script.float(&x.mul(&rest));
    }
    let product = script.float(&d.mul(&x));
    let bound = 3.0 * width.quantum(1.0);
    script.assert(&product.more(&product.like(1.0 + bound)));
}
