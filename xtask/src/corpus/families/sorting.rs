//! Sorting networks, with fp.min and fp.max or with comparisons.

use crate::corpus::script::Script;
use crate::corpus::term::{Float, Truth};
use crate::corpus::width::Width;

/// Networks for 3, 5 and 8 inputs of the known least number of comparators: Knuth, TAOCP 3, section 5.3.4.
const NETWORKS: [&[(usize, usize)]; 3] = [
    &[(0, 2), (0, 1), (1, 2)],
    &[(0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3)],
    &[
        (0, 2),
        (1, 3),
        (4, 6),
        (5, 7),
        (0, 4),
        (1, 5),
        (2, 6),
        (3, 7),
        (0, 1),
        (2, 3),
        (4, 5),
        (6, 7),
        (2, 4),
        (3, 5),
        (1, 4),
        (3, 6),
        (1, 2),
        (3, 4),
        (5, 6),
    ],
];

/// Instance 0: the network sorts. 1: without its last comparator it does not. 2: it keeps the sum of its inputs, up to rounding.
pub fn make(script: &mut Script, size: usize, instance: usize) {
    let width = [Width::Double, Width::Single, Width::Half][(size + instance) % 3];
    let inputs = [3, 5, 8][size];
    let mut network = NETWORKS[size];
    let mut values: Vec<Float> = (0..inputs).map(|_| script.bounded(width, -100.0, 100.0)).collect();
    let total = (instance == 2).then(|| sum(script, &values));
    if instance == 1 {
        network = &network[..network.len() - 1];
    }
    for &(low, high) in network {
        let (a, b) = (values[low].clone(), values[high].clone());
        let (least, most) = if instance == 0 {
            (a.min(&b), a.max(&b))
        } else {
            let ordered = a.at_most(&b);
            (Float::choose(&ordered, &a, &b), Float::choose(&ordered, &b, &a))
        };
        values[low] = script.float(&least);
        values[high] = script.float(&most);
    }
    if let Some(total) = total {
        let again = sum(script, &values);
        let gap = script.float(&total.sub(&again));
        // Sums of at most eight terms of at most 100: an error of an ulp of 1024 each, at most.
        script.assert(&gap.abs().more(&gap.like(4.0 * width.quantum(1000.0))));
        return;
    }
    let sorted = values
        .windows(2)
        .map(|pair| pair[0].at_most(&pair[1]))
        .reduce(|all, next| all.and(&next))
        .unwrap_or(Truth { text: "true".to_owned(), value: Some(true) });
    script.assert(&sorted.not());
    if instance == 0 {
        script.claim_unsat();
    }
}

fn sum(script: &mut Script, values: &[Float]) -> Float {
    let mut total = values[0].clone();
    for value in &values[1..] {
        total = script.float(&total.add(value));
    }
    total
}
