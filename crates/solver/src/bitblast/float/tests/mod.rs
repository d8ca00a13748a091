//! Circuits against labrys-float.

use labrys_float::Format;
use rustc_hash::FxHashMap;

use super::{Bits, FloatCircuit, FloatCircuits};
use crate::bitblast::{Gates, Lit, word_of};

mod conversions;
mod known;
mod operators;
mod random;

/// Formats small enough for all inputs.
fn tiny() -> Vec<Format> {
    [(2, 2), (2, 3), (3, 3), (3, 4), (2, 5), (4, 2)].map(|(e, p)| Format::new(e, p)).to_vec()
}

/// A circuit over packed operands.
struct Bench {
    gates: Gates,
    circuits: FloatCircuits,
    /// The operands' bits, one after the other.
    inputs: Bits,
    operands: Vec<FloatCircuit>,
}

impl Bench {
    fn new(format: Format, arity: usize) -> Bench {
        let (mut gates, mut circuits, mut inputs, mut operands) =
            (Gates::new(), FloatCircuits::new(), Vec::new(), Vec::new());
        for _ in 0..arity {
            let bits: Bits = (0..format.width()).map(|_| gates.input()).collect();
            operands.push(circuits.from_bits(&mut gates, &bits, format, None));
            inputs.extend(bits);
        }
        Bench { gates, circuits, inputs, operands }
    }

    /// Calls `compare` with the inputs' bits and the outputs', for all inputs.
    fn exhaust(&self, outputs: &[Lit], compare: impl FnMut(u64, u64)) {
        run(&self.gates, &self.inputs, 0..1 << self.inputs.len(), outputs, compare);
    }
}

/// Calls `compare` with the inputs' bits and the outputs', for all these inputs.
fn run(
    gates: &Gates,
    inputs: &[Lit],
    all: impl Iterator<Item = u64>,
    outputs: &[Lit],
    mut compare: impl FnMut(u64, u64),
) {
    let all: Vec<u64> = all.collect();
    let places: FxHashMap<usize, usize> = inputs.iter().enumerate().map(|(bit, lit)| (lit.gate(), bit)).collect();
    for batch in all.chunks(64) {
        let word = |bit: usize| batch.iter().enumerate().fold(0u64, |word, (i, input)| word | (input >> bit & 1) << i);
        let values = gates.evaluate_words(|gate| places.get(&gate).map_or(0, |bit| word(*bit)));
        let words: Vec<u64> = outputs.iter().map(|lit| word_of(&values, *lit)).collect();
        for (i, input) in batch.iter().enumerate() {
            let output = words.iter().enumerate().fold(0u64, |output, (bit, word)| output | (word >> i & 1) << bit);
            compare(*input, output);
        }
    }
}
