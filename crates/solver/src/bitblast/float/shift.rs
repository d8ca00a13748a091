//! Shifts by variable amounts, normalisation, and thermometer codes.

use super::Bits;
use crate::bitblast::{Gates, Lit};

/// a shifted right by an unsigned amount, zeros coming in, and whether a one was lost.
pub fn right_sticky(gates: &mut Gates, a: &[Lit], amount: &[Lit]) -> (Bits, Lit) {
    let mut word = a.to_vec();
    let mut lost = Vec::new();
    for (power, bit) in amount.iter().enumerate().rev() {
        if *bit == Lit::FALSE {
            continue;
        }
        let by = if power < usize::BITS as usize - 1 { (1 << power).min(word.len()) } else { word.len() };
        let any = gates.any(&word[..by]);
        lost.push(gates.and(*bit, any));
        word = (0..word.len())
            .map(|i| {
                let shifted = word.get(i + by).copied().unwrap_or(Lit::FALSE);
                gates.mux(*bit, shifted, word[i])
            })
            .collect();
    }
    (word, gates.any(&lost))
}

/// a shifted left until its leading bit is one, and by how much (unsigned). Of a zero the word is zero and the amount
/// means nothing. No more than `most` places are ever needed.
pub fn normalise(gates: &mut Gates, a: &[Lit], most: usize) -> (Bits, Bits) {
    let mut word = a.to_vec();
    let most = most.min(word.len().saturating_sub(1));
    let stages = (usize::BITS - most.leading_zeros()) as usize;
    let mut amount = vec![Lit::FALSE; stages];
    for power in (0..stages).rev() {
        let by = 1usize << power;
        let top = word.len() - by.min(word.len());
        let shift = !gates.any(&word[top..]);
        word = (0..word.len())
            .map(|i| {
                let shifted = if i >= by { word[i - by] } else { Lit::FALSE };
                // What is shifted out is zero, so the top of the word needs no choice where it stays.
                if i >= top {
                    {
                        let moved = gates.and(shift, shifted);
                        gates.or(word[i], moved)
                    }
                } else {
                    gates.mux(shift, shifted, word[i])
                }
            })
            .collect();
        amount[power] = shift;
    }
    (word, amount)
}

/// Bit i, for i below `count`, says whether the unsigned number is greater than i.
pub fn thermometer(gates: &mut Gates, number: &[Lit], count: usize) -> Bits {
    let mut code = Vec::new();
    // Over the low bits seen so far: code[i] = number > i, for all i below 2^bits − 1.
    for bit in number {
        let mut wider: Bits = code.iter().map(|greater| gates.or(*bit, *greater)).collect();
        wider.push(*bit);
        wider.extend(code.iter().map(|greater| gates.and(*bit, *greater)).collect::<Bits>());
        code = wider;
    }
    code.resize(count, Lit::FALSE);
    code
}
