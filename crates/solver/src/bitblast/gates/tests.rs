use super::{Gates, Lit, word_of};

/// All values of four inputs in the low 16 bits of words.
const INPUTS: [u64; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// Edges over four inputs: constants, inputs, and every gate of two of them, then gates of those.
fn small_circuits(gates: &mut Gates) -> Vec<Lit> {
    let inputs: Vec<Lit> = (0..4).map(|_| gates.input()).collect();
    let mut edges = vec![Lit::FALSE];
    edges.extend(&inputs);
    for i in 0..4 {
        for j in 0..i {
            let (a, b) = (inputs[i], inputs[j]);
            edges.extend([gates.and(a, b), gates.and(!a, b), gates.and(!a, !b), gates.xor(a, b)]);
            let next = inputs[(i + 1) % 4];
            edges.extend([gates.mux(a, b, next), gates.mux(b, !a, next), gates.majority(a, !b, next)]);
        }
    }
    edges
}

fn values(gates: &Gates) -> Vec<u64> {
    // Inputs are the gates after the constant.
    gates.evaluate_words(|index| INPUTS[index - 1])
}

#[test]
fn constructors_compute_what_they_say_whatever_they_are_given() {
    let mut gates = Gates::new();
    let edges = small_circuits(&mut gates);
    let edges: Vec<Lit> = edges.iter().flat_map(|edge| [*edge, !*edge]).collect();
    let mut wanted = Vec::new();
    for (i, &a) in edges.iter().enumerate() {
        for &b in &edges {
            wanted.push((gates.and(a, b), a, b, Lit::FALSE, 0));
            wanted.push((gates.or(a, b), a, b, Lit::FALSE, 1));
            wanted.push((gates.xor(a, b), a, b, Lit::FALSE, 2));
            for &c in edges.iter().skip(i % 5).step_by(5) {
                wanted.push((gates.mux(a, b, c), a, b, c, 3));
                wanted.push((gates.majority(a, b, c), a, b, c, 4));
            }
        }
    }
    let values = values(&gates);
    for (output, a, b, c, kind) in wanted {
        let [x, y, z] = [a, b, c].map(|edge| word_of(&values, edge));
        let expected = match kind {
            0 => x & y,
            1 => x | y,
            2 => x ^ y,
            3 => x & y | !x & z,
            _ => x & y | x & z | y & z,
        };
        assert_eq!(word_of(&values, output) & 0xffff, expected & 0xffff, "kind {kind} of {a:?} {b:?} {c:?}");
    }
}

#[test]
fn equal_circuits_are_built_once() {
    let mut gates = Gates::new();
    let (a, b, c) = (gates.input(), gates.input(), gates.input());
    let both = gates.and(a, b);
    let before = gates.len();
    assert_eq!(gates.and(b, a), both);
    assert_eq!(gates.and(both, a), both);
    assert_eq!(gates.and(both, !b), Lit::FALSE);
    assert_eq!(gates.or(!a, both), gates.or(!a, b));
    let sum = gates.xor(a, c);
    assert_eq!(gates.xor(sum, a), c);
    assert_eq!(gates.xor(!sum, c), !a);
    assert!(gates.len() <= before + 2, "an or and an exclusive or at most");
}

#[test]
fn conjunctions_that_make_a_choice_become_one() {
    let mut gates = Gates::new();
    let (c, yes, no) = (gates.input(), gates.input(), gates.input());
    let (taken, left) = (gates.and(c, yes), gates.and(!c, no));
    let chosen = gates.or(taken, left);
    assert_eq!(chosen, gates.mux(c, yes, no));
    let (both, neither) = (gates.and(c, yes), gates.and(!c, !yes));
    assert_eq!(gates.and(!both, !neither), gates.xor(c, yes));
}
