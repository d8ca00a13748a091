//! Circuits against labrys-float.

use labrys_float::Format;

use super::{Bits, FloatCircuit, FloatCircuits};
use crate::bitblast::{Gates, Lit, word_of};

mod conversions;
mod operators;

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
        self.run(0..1 << self.inputs.len(), outputs, compare);
    }

    fn run(&self, all: impl Iterator<Item = u64>, outputs: &[Lit], mut compare: impl FnMut(u64, u64)) {
        let all: Vec<u64> = all.collect();
        for batch in all.chunks(64) {
            let word =
                |bit: usize| batch.iter().enumerate().fold(0u64, |word, (i, input)| word | (input >> bit & 1) << i);
            let mut words = vec![0u64; self.gates.len()];
            for (bit, lit) in self.inputs.iter().enumerate() {
                words[lit.gate()] = word(bit);
            }
            let values = self.gates.evaluate_words(|gate| words[gate]);
            for (i, input) in batch.iter().enumerate() {
                let output = outputs
                    .iter()
                    .enumerate()
                    .fold(0u64, |output, (bit, lit)| output | (word_of(&values, *lit) >> i & 1) << bit);
                compare(*input, output);
            }
        }
    }
}
