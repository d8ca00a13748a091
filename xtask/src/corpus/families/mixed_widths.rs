//! Computations in one format and results in another.

use crate::corpus::script::Script;
use crate::corpus::term::Float;
use crate::corpus::width::Width;

/// Instance 0: one operation in a wider format and a rounding is the narrow operation. 1: two operations are not. 2: through integers.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    match instance {
        0 => innocuous(script, size),
        1 => accumulated(script, size),
        _ => through_integers(script, size),
    }
}

/// Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 1995: with 2p + 2 bits it is, and p = 11 and 24, p' = 24 and 53 are enough.
fn innocuous(script: &mut Script, size: usize) {
    let (narrow, wide) =
        [(Width::Half, Width::Single), (Width::Single, Width::Double), (Width::Single, Width::Double)][size];
    let (a, b) = (script.bounded(narrow, 0.125, 64.0), script.bounded(narrow, -64.0, -0.125));
    let (wide_a, wide_b) = (script.float(&a.convert(wide)), script.float(&b.convert(wide)));
    let operation = [Float::div, Float::add, Float::mul][size];
    let direct = script.float(&operation(&a, &b));
    let detour = script.float(&operation(&wide_a, &wide_b).convert(narrow));
    script.assert(&direct.same(&detour).not());
    script.claim_unsat();
}

/// A dot product in the wide format, rounded at the end, against the narrow one: is one of them larger by some ulps?
fn accumulated(script: &mut Script, size: usize) {
    let narrow = [Width::Half, Width::Single, Width::Single][size];
    let wide = [Width::Single, Width::Double, Width::Double][size];
    let mut sums: Option<(Float, Float)> = None;
    for _ in 0..[2, 2, 4][size] {
        let (a, b) = (script.bounded(narrow, 1.0, 2.0), script.bounded(narrow, 1.0, 2.0));
        let product = script.float(&a.mul(&b));
        let wide_product = script.float(&a.convert(wide).mul(&b.convert(wide)));
        sums = Some(match sums {
            None => (product, wide_product),
            Some((sum, wide_sum)) => (script.float(&sum.add(&product)), script.float(&wide_sum.add(&wide_product))),
        });
    }
    let (sum, wide_sum) = sums.expect("at least two terms");
    let rounded = script.float(&wide_sum.convert(narrow));
    let gap = script.float(&sum.sub(&rounded));
    let ulps = [1.0, 0.5, 1.0][size];
    script.assert(&gap.abs().more(&gap.like(ulps * narrow.quantum(4.0))));
}

/// Integers of `digits` bits survive the way through a float of that precision, and of one bit more do not.
fn through_integers(script: &mut Script, size: usize) {
    let width = [Width::Half, Width::Single, Width::Double][size];
    let integer_size = [16, 32, 64][size];
    let (_, precision) = width.bits();
    let x = script.vector(integer_size, 5);
    let limit = x.like(1 << (precision + u32::from(size == 1)));
    script.assert(&x.less(&limit));
    let float = Float {
        text: format!("((_ to_fp_unsigned {} {precision}) RNE {})", width.bits().0, x.text),
        value: None,
        width,
    };
    let float = script.float(&float);
    let back = script.bits(&crate::corpus::term::Bits {
        text: format!("((_ fp.to_ubv {integer_size}) RTZ {})", float.text),
        value: None,
        size: integer_size,
    });
    script.assert(&back.same(&x).not());
    if size != 1 {
        script.claim_unsat();
    }
}
