//! Additions that absorb: Botella, Gotlieb, Michel, "Symbolic execution of floating-point computations", STVR 2006, and its longer kin.

use crate::corpus::script::Script;
use crate::corpus::width::Width;

/// x + c - c is a multiple of an ulp of c; the question is whether it can be less than one, one, or something between two of them.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = [Width::Single, Width::Double][(size + instance) % 2];
    let big = [1e12, 1e9, 6e10][size];
    if size == 0 {
        let x = script.variable(width, [9_999.0, 1e-3, 5e-5][instance]);
        let constant = x.like(big);
        let sum = script.float(&x.add(&constant));
        if instance == 0 {
            script.assert(&x.less(&x.like(10_000.0)));
            script.assert(&sum.more(&constant));
        } else {
            script.assert(&x.more(&x.like(0.0)));
            script.assert(&sum.equals(&constant));
        }
        return;
    }
    let ulp = width.quantum(width.round(big));
    let mut total = None;
    for index in 0..[0, 2, 5][size] {
        let x = script.bounded(width, 0.0, 4.0 * ulp);
        let constant = x.like(big);
        let shifted = script.float(&x.add(&constant));
        let back = script.float(&shifted.sub(&constant));
        total = Some(match total {
            None => back,
            Some(total) => script.float(&if index % 2 == 0 { back.sub(&total) } else { back.add(&total) }),
        });
    }
    let total = total.expect("two or five terms");
    match instance {
        // Every term is a multiple of an ulp, and so is their sum.
        0 => {
            script.assert(&total.more(&total.like(0.0)));
            script.assert(&total.less(&total.like(ulp)));
            script.claim_unsat();
        }
        1 => {
            let value = total.value.unwrap_or(ulp);
            script.assert(&total.equals(&total.like(value)));
        }
        _ => {
            script.assert(&total.more(&total.like(ulp)));
            script.assert(&total.less(&total.like(2.0 * ulp)));
            script.claim_unsat();
        }
    }
}
