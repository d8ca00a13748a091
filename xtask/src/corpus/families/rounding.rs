//! Rounding to integers, range reduction and remainders.

use crate::corpus::script::Script;
use crate::corpus::width::Width;

/// Instance 0: x - c * round(x / c) is at most c / 2, and a little. 1: round trips through integers. 2: fp.rem.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = [Width::Half, Width::Single, Width::Double][size];
    let reach = [8.0, 100.0, 10_000.0][size];
    match instance {
        0 => {
            let x = script.bounded(width, -reach, reach);
            let period = x.like(std::f64::consts::FRAC_PI_2);
            let scaled = script.float(&x.div(&period));
            let turns = script.float(&scaled.round_to_integral());
            let whole = script.float(&turns.mul(&period));
            let rest = script.float(&x.sub(&whole));
            script.assert(&rest.abs().more(&rest.like(0.7855 + 2.0 * width.quantum(reach))));
        }
        1 => {
            // A value that rounding to integral leaves alone is an integer, and adding a quarter does not change what it rounds to.
            let x = script.bounded(width, -reach, reach);
            let rounded = script.float(&x.round_to_integral());
            let moved = script.float(&rounded.add(&x.like(0.25)));
            let again = script.float(&moved.round_to_integral());
            let gap = script.float(&x.sub(&rounded));
            if size == 1 {
                let value = gap.value.unwrap_or(0.0);
                script.assert(&gap.equals(&gap.like(value)));
                script.assert(&again.equals(&rounded));
            } else {
                script.assert(&again.equals(&rounded).not().or(&gap.abs().more(&gap.like(0.5))));
                script.claim_unsat();
            }
        }
        _ => {
            let x = script.bounded(width, 1.0, reach);
            let y = script.bounded(width, 1.0, 3.0);
            let remainder = script.float(&x.opaque(format!("(fp.rem {} {})", x.text, y.text)));
            if size == 1 {
                script.assert(&remainder.less(&remainder.like(-1.2)));
            } else {
                // The IEEE remainder is at most half of the divisor.
                let half = script.float(&y.mul(&y.like(0.5)));
                script.assert(&remainder.abs().more(&half));
                script.claim_unsat();
            }
        }
    }
}
