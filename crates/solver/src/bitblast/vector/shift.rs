//! Shifts and rotations by words.

use super::{Bits, mux};
use crate::bitblast::{Gates, Lit};

/// The word shifted towards its high end by the unsigned `amount`, of any width, zeros coming in.
pub fn shift_left(gates: &mut Gates, a: &[Lit], amount: &[Lit]) -> Bits {
    let reversed: Bits = a.iter().rev().copied().collect();
    let mut shifted = shift_right(gates, &reversed, amount, Lit::FALSE);
    shifted.reverse();
    shifted
}

/// The word shifted towards its low end by the unsigned `amount`, of any width, `fill` coming in.
pub fn shift_right(gates: &mut Gates, a: &[Lit], amount: &[Lit], fill: Lit) -> Bits {
    let stages = stages(a.len()).min(amount.len());
    let mut word = a.to_vec();
    for (stage, bit) in amount[..stages].iter().enumerate() {
        let by = 1usize << stage;
        let moved: Bits = (0..word.len()).map(|i| word.get(i + by).copied().unwrap_or(fill)).collect();
        word = mux(gates, *bit, &moved, &word);
    }
    // Any higher bit of the amount empties the word.
    let beyond = gates.any(&amount[stages..]);
    let filled = vec![fill; word.len()];
    mux(gates, beyond, &filled, &word)
}

/// The word rotated towards its high end by a known amount.
pub fn rotate_left(a: &[Lit], by: usize) -> Bits {
    let mut word = a.to_vec();
    if !word.is_empty() {
        word.rotate_right(by % a.len());
    }
    word
}

/// The word rotated towards its low end by a known amount.
pub fn rotate_right(a: &[Lit], by: usize) -> Bits {
    let mut word = a.to_vec();
    if !word.is_empty() {
        word.rotate_left(by % a.len());
    }
    word
}

/// How many bits of an amount shift a word of so many bits by less than twice its width.
fn stages(width: usize) -> usize {
    width.next_power_of_two().trailing_zeros() as usize
}
