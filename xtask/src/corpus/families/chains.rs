//! Chains of x += f(x), as loops that symbolic execution unrolls.

use crate::corpus::script::Script;
use crate::corpus::term::Float;
use crate::corpus::width::Width;

/// Growth x += x/16, the logistic map x += r x (1 - x), and a discharge x += h (1 - x²).
fn increment(script: &mut Option<&mut Script>, kind: usize, x: &Float) -> Float {
    let mut name = |float: Float| match script {
        Some(script) => script.float(&float),
        None => Float { text: String::new(), ..float },
    };
    match kind {
        0 => name(x.mul(&x.like(0.0625))),
        1 => {
            let rest = name(x.like(1.0).sub(x));
            let product = name(x.mul(&rest));
            name(product.mul(&x.like(2.3)))
        }
        _ => {
            let square = name(x.mul(x));
            let rest = name(x.like(1.0).sub(&square));
            name(rest.mul(&x.like(0.3)))
        }
    }
}

/// The end of the chain under a start, without text.
fn end(kind: usize, steps: usize, width: Width, start: f64) -> f64 {
    let mut x = Float { text: String::new(), value: Some(width.round(start)), width };
    for _ in 0..steps {
        let added = increment(&mut None, kind, &x);
        x = Float { text: String::new(), ..x.add(&added) };
    }
    x.value.unwrap_or(f64::NAN)
}

/// Instance 0: beyond every end that sampling found. 1: above an end that is seldom passed. 2: exactly the witness's end.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let kind = (size + instance) % 3;
    let width = [Width::Double, Width::Single, Width::Single, Width::Half][(size + 2 * instance) % 4];
    let steps = [2, 4, 8][size];
    let (low, high) = [(1.0, 2.0), (0.05, 0.6), (0.0, 1.5)][kind];
    let mut best = (f64::NEG_INFINITY, low);
    let mut worst = f64::INFINITY;
    for _ in 0..5_000 {
        let start = width.round(script.random.between(low, high));
        let found = end(kind, steps, width, start);
        worst = worst.min(found);
        if found > best.0 {
            best = (found, start);
        }
    }
    let drawn = script.random.between(low, high);
    let witness = if instance == 1 { best.1 } else { drawn };
    let mut x = script.bounded_at(width, low, high, witness);
    for _ in 0..steps {
        let added = increment(&mut Some(&mut *script), kind, &x);
        x = script.float(&x.add(&added));
    }
    match instance {
        0 => script.assert(&x.more(&x.like(best.0 + 0.1 * (best.0 - worst)))),
        1 => script.assert(&x.at_least(&x.like(best.0))),
        _ => script.assert(&x.equals(&x.like(x.value.unwrap_or(1.0)))),
    }
}
