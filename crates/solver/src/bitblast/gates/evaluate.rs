//! Values of gates when the inputs have values: one assignment, or 64 at a time.

use super::{Gate, Gates, Lit};

impl Gates {
    /// The values of all gates when inputs have the given ones: for tests and models.
    pub fn evaluate(&self, input: impl Fn(usize) -> bool) -> Vec<bool> {
        self.evaluate_words(|index| if input(index) { u64::MAX } else { 0 })
            .into_iter()
            .map(|word| word & 1 == 1)
            .collect()
    }

    /// The values of all gates under 64 assignments: bit i of a word is the value under assignment i.
    pub fn evaluate_words(&self, input: impl Fn(usize) -> u64) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.gates.len());
        for (index, gate) in self.gates.iter().enumerate() {
            let of = |lit: Lit| word_of(&values, lit);
            let value = match *gate {
                Gate::False => 0,
                Gate::Input => input(index),
                Gate::And(a, b) => of(a) & of(b),
                Gate::Xor(a, b) => of(a) ^ of(b),
                Gate::Mux(c, yes, no) => of(c) & of(yes) | !of(c) & of(no),
                Gate::Majority(a, b, c) => of(a) & of(b) | (of(a) | of(b)) & of(c),
            };
            values.push(value);
        }
        values
    }
}

/// The value of an edge, given those of all gates.
pub fn value_of(values: &[bool], lit: Lit) -> bool {
    values[lit.gate()] != lit.is_inverted()
}

/// The values of an edge under 64 assignments, given those of all gates.
pub fn word_of(values: &[u64], lit: Lit) -> u64 {
    values[lit.gate()] ^ if lit.is_inverted() { u64::MAX } else { 0 }
}
