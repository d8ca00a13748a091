//! Floats through their encodings: the inverse square root, neighbours by integer arithmetic, order by integer comparison.

use crate::corpus::script::Script;
use crate::corpus::term::{Bits, Float};
use crate::corpus::width::Width;

/// Instances 0 and 1 are the inverse square root with `size` Newton steps; 2 is one of the integer tricks, by size.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    match (instance, size) {
        (0 | 1, _) => inverse_root(script, size, instance == 0),
        (_, 0) => clear_sign(script),
        (_, 1) => integer_order(script),
        _ => neighbour(script),
    }
}

/// x * y * y of an approximate inverse root y lies in a range; `beyond` it nothing should be, inside it something.
fn inverse_root(script: &mut Script, steps: usize, beyond: bool) {
    let witness = script.random.between(0.5, 16.0);
    let encoding = script.vector(32, Width::Single.encode(Width::Single.round(witness)));
    let x = Float::from_encoding(Width::Single, &encoding);
    let x = script.float(&x);
    script.assert(&x.within(0.25, 64.0));
    let guess = Bits::literal(32, 0x5f37_59df).sub(&encoding.shift_right(1));
    let guess = script.bits(&guess);
    let mut y = script.float(&Float::from_encoding(Width::Single, &guess));
    let half = script.float(&x.mul(&x.like(0.5)));
    for _ in 0..steps {
        let square = script.float(&y.mul(&y));
        let scaled = script.float(&half.mul(&square));
        let factor = script.float(&scaled.like(1.5).sub(&scaled));
        y = script.float(&y.mul(&factor));
    }
    let square = script.float(&y.mul(&y));
    let product = script.float(&square.mul(&x));
    let tolerance = [0.08, 0.004, 0.000_02][steps];
    let close = product.within(1.0 - tolerance, 1.0 + tolerance);
    if beyond {
        script.assert(&close.not());
    } else {
        script.assert(&product.within(1.0 - tolerance, 1.0));
        script.assert(&y.within(0.15, 1.9));
    }
}

/// Clearing the sign bit is fp.abs.
fn clear_sign(script: &mut Script) {
    let witness = script.random.between(-4.0, -1.0);
    let encoding = script.vector(64, witness.to_bits());
    let x = Float::from_encoding(Width::Double, &encoding);
    let cleared = script.bits(&encoding.and(&encoding.like(u64::MAX >> 1)));
    let absolute = Float::from_encoding(Width::Double, &cleared);
    script.assert(&x.abs().same(&absolute).not());
    script.claim_unsat();
}

/// Positive floats order as their encodings do, and so do x and sqrt(x) beyond 1.
fn integer_order(script: &mut Script) {
    let witness = script.random.between(1.5, 1000.0);
    let encoding = script.vector(32, Width::Single.encode(Width::Single.round(witness)));
    let x = Float::from_encoding(Width::Single, &encoding);
    let x = script.float(&x);
    script.assert(&x.within(1.5, 1e30));
    let root = script.float(&x.sqrt());
    let root_encoding = script.encoding(&root);
    script.assert(&encoding.less(&root_encoding));
    script.claim_unsat();
}

/// The next float up by an integer increment: (x + next) / 2 is one of the two, as the sum of two neighbours is an odd multiple of half an ulp.
fn neighbour(script: &mut Script) {
    let witness = script.random.between(1.0, 2.0);
    let encoding = script.vector(64, witness.to_bits());
    let x = script.float(&Float::from_encoding(Width::Double, &encoding));
    script.assert(&x.within(1e-3, 1e3));
    let next = script.bits(&encoding.add(&encoding.like(1)));
    let y = script.float(&Float::from_encoding(Width::Double, &next));
    let sum = script.float(&x.add(&y));
    let middle = script.float(&sum.mul(&sum.like(0.5)));
    let middle_encoding = script.encoding(&middle);
    let changed = middle_encoding.xor(&encoding);
    script.assert(&middle_encoding.same(&encoding).or(&middle_encoding.same(&next)).not());
    script.assert(&changed.signed_less(&changed.like(1)).not());
    script.claim_unsat();
}
