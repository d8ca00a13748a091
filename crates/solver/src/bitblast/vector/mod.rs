//! Circuits over words: sums, comparisons, choices. Products, quotients and shifts have files of their own.
//!
//! A word is its bits, the low one first. Words that meet in one operation have one width unless the operation says
//! otherwise; constants among the bits simplify the circuit as it is built. Every circuit is tested against the exact
//! evaluator of terms: exhaustively for widths up to 4 or 5, and on random words of 32 and 64 bits.

mod divide;
mod multiply;
mod shift;
#[cfg(test)]
mod tests;

use num_bigint::BigUint;

use super::{Gates, Lit};

pub use divide::{divide, signed_divide, signed_modulo, signed_remainder};
pub use multiply::multiply;
pub use shift::{rotate_left, rotate_right, shift_left, shift_right};

/// A word: its bits, the low one first.
pub type Bits = Vec<Lit>;

/// The constant with the low `width` bits of `value`.
pub fn constant(width: usize, value: u128) -> Bits {
    (0..width).map(|i| Lit::of(i < 128 && value >> i & 1 == 1)).collect()
}

/// The constant with the low `width` bits of `value`.
pub fn big_constant(width: usize, value: &BigUint) -> Bits {
    (0..width).map(|i| Lit::of(value.bit(i as u64))).collect()
}

/// A word of free inputs.
pub fn inputs(gates: &mut Gates, width: usize) -> Bits {
    (0..width).map(|_| gates.input()).collect()
}

/// Every bit inverted.
pub fn not(a: &[Lit]) -> Bits {
    a.iter().map(|bit| !*bit).collect()
}

/// Bit by bit by any gate.
pub fn bitwise(gates: &mut Gates, a: &[Lit], b: &[Lit], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Bits {
    a.iter().zip(b).map(|(a, b)| gate(gates, *a, *b)).collect()
}

/// `yes` where `condition` holds, else `no`.
pub fn mux(gates: &mut Gates, condition: Lit, yes: &[Lit], no: &[Lit]) -> Bits {
    yes.iter().zip(no).map(|(yes, no)| gates.mux(condition, *yes, *no)).collect()
}

/// Each bit, where `keep` holds.
pub fn mask(gates: &mut Gates, keep: Lit, a: &[Lit]) -> Bits {
    a.iter().map(|bit| gates.and(keep, *bit)).collect()
}

/// a + b + carry, and the carry out.
pub fn add(gates: &mut Gates, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Bits, Lit) {
    let mut sum = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        let (bit, next) = gates.full_adder(*a, *b, carry);
        sum.push(bit);
        carry = next;
    }
    (sum, carry)
}

/// a − b modulo 2^width, and whether a ≥ b as unsigned numbers.
pub fn sub(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Bits, Lit) {
    add(gates, a, &not(b), Lit::TRUE)
}

/// a + carry, and the carry out.
pub fn increment(gates: &mut Gates, a: &[Lit], mut carry: Lit) -> (Bits, Lit) {
    let mut sum = Vec::with_capacity(a.len());
    for bit in a {
        sum.push(gates.xor(*bit, carry));
        carry = gates.and(*bit, carry);
    }
    (sum, carry)
}

/// −a modulo 2^width.
pub fn negate(gates: &mut Gates, a: &[Lit]) -> Bits {
    negate_if(gates, Lit::TRUE, a)
}

/// −a where `condition` holds, else a.
pub fn negate_if(gates: &mut Gates, condition: Lit, a: &[Lit]) -> Bits {
    // −a inverts the bits above the lowest one: with no carry chain but an or.
    let mut seen = Lit::FALSE;
    let mut result = Vec::with_capacity(a.len());
    for bit in a {
        let flip = gates.and(condition, seen);
        result.push(gates.xor(*bit, flip));
        seen = gates.or(seen, *bit);
    }
    result
}

/// a = b.
pub fn equal(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Bits = a.iter().zip(b).map(|(a, b)| !gates.xor(*a, *b)).collect();
    gates.all(&same)
}

/// a < b as unsigned numbers, or a ≤ b where `or_equal` holds.
pub fn less(gates: &mut Gates, a: &[Lit], b: &[Lit], or_equal: Lit) -> Lit {
    // The carry of b − a: of each place, the bit of b decides where the bits differ.
    a.iter().zip(b).fold(or_equal, |below, (a, b)| gates.majority(!*a, *b, below))
}

/// a < b as numbers in two's complement, or a ≤ b where `or_equal` holds.
pub fn signed_less(gates: &mut Gates, a: &[Lit], b: &[Lit], or_equal: Lit) -> Lit {
    less(gates, &offset(a), &offset(b), or_equal)
}

/// The word whose unsigned order is the signed order of `a`: the sign inverted.
fn offset(a: &[Lit]) -> Bits {
    let mut bits = a.to_vec();
    if let Some(sign) = bits.last_mut() {
        *sign = !*sign;
    }
    bits
}

/// Whether the word is zero.
pub fn is_zero(gates: &mut Gates, a: &[Lit]) -> Lit {
    !gates.any(a)
}

/// The word widened to `width` bits by `fill`, or its low bits.
pub fn resize(a: &[Lit], width: usize, fill: Lit) -> Bits {
    (0..width).map(|i| a.get(i).copied().unwrap_or(fill)).collect()
}

/// The word's sign bit; false of an empty word.
pub fn sign(a: &[Lit]) -> Lit {
    a.last().copied().unwrap_or(Lit::FALSE)
}
