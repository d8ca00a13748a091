//! Path prefixes of a bisection, as of `dichotomic()` in Bagnara, Carlier, Gori, Gotlieb, "Symbolic path-oriented test data generation for
//! floating-point programs", ICST 2013: the interval is halved while the function's sign at the middle decides the branch.

use crate::corpus::script::Script;
use crate::corpus::width::Width;

/// Instance 0 follows the witness's path, 1 a drawn path, 2 the witness's path with a last branch that contradicts its own sign test.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = [Width::Double, Width::Single, Width::Double][instance];
    let steps = [3, 7, 12][size];
    let root = script.bounded(width, 1.0, 100.0);
    let mut low = script.variable(width, 0.0);
    let mut high = script.variable(width, 128.0);
    script.assert(&low.equals(&low.like(0.0)));
    script.assert(&high.at_least(&high.like(100.0)));
    script.assert(&high.at_most(&high.like(200.0)));
    for step in 0..steps {
        let sum = script.float(&low.add(&high));
        let middle = script.float(&sum.div(&sum.like(2.0)));
        let square = script.float(&middle.mul(&middle));
        let value = script.float(&square.sub(&root));
        let residue = script.float(&value.abs());
        script.assert(&residue.more(&residue.like(1e-9)));
        let above = value.more(&value.like(0.0));
        let goes_up = match instance {
            1 if step > 1 => script.random.once_in(2),
            _ => above.value != Some(true),
        };
        if goes_up {
            script.assert(&above.not());
            low = middle;
        } else {
            script.assert(&above);
            high = middle;
        }
    }
    if instance == 2 {
        // The bounds keep their order: the middle of two floats lies between them.
        script.assert(&low.more(&high));
        if width == Width::Double {
            script.claim_unsat();
        }
    }
}
