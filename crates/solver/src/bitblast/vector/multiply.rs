//! Products: by shifted additions of recoded constants, else rows of full adders.

use super::{Bits, add, constant, resize};
use crate::bitblast::{Gates, Lit};

/// The low `width` bits of the product of two unsigned words, of any widths.
pub fn multiply(gates: &mut Gates, a: &[Lit], b: &[Lit], width: usize) -> Bits {
    let (a, b) = (&a[..a.len().min(width)], &b[..b.len().min(width)]);
    // The word with fewer bits that can be one selects the rows.
    let weight = |word: &[Lit]| word.iter().filter(|bit| **bit != Lit::FALSE).count();
    let constants = |word: &[Lit]| word.iter().all(|bit| bit.constant().is_some());
    if constants(b) {
        return by_constant(gates, a, b, width);
    }
    if constants(a) {
        return by_constant(gates, b, a, width);
    }
    let (rows, columns) = if weight(a) < weight(b) { (a, b) } else { (b, a) };
    by_rows(gates, columns, rows, width)
}

/// One row of adders for each bit of `rows` that can be one.
fn by_rows(gates: &mut Gates, columns: &[Lit], rows: &[Lit], width: usize) -> Bits {
    let mut product = constant(width, 0);
    // Bits of the product from here on are still zero.
    let mut top = 0;
    for (place, row) in rows.iter().enumerate() {
        if *row == Lit::FALSE {
            continue;
        }
        let high = (place + columns.len()).min(width);
        let addend: Bits = columns[..high - place].iter().map(|bit| gates.and(*row, *bit)).collect();
        let end = (high.max(top) + usize::from(top > place)).min(width);
        let addend = resize(&addend, end - place, Lit::FALSE);
        let (sum, _) = add(gates, &product[place..end], &addend, Lit::FALSE);
        product[place..end].copy_from_slice(&sum);
        top = end;
    }
    product
}

/// The constant recoded in signed digits, no two neighbours both nonzero: a third of the digits, not half, cost a row
/// (Reitwiesner, "Binary Arithmetic", 1960).
fn by_constant(gates: &mut Gates, a: &[Lit], by: &[Lit], width: usize) -> Bits {
    let mut product = constant(width, 0);
    for (place, negative) in digits(by, width) {
        let addend: Bits = a[..a.len().min(width - place)].iter().map(|bit| bit.invert_if(negative)).collect();
        // −x is ¬x + 1, with ones above.
        let addend = resize(&addend, width - place, Lit::of(negative));
        let (sum, _) = add(gates, &product[place..], &addend, Lit::of(negative));
        product[place..].copy_from_slice(&sum);
    }
    product
}

/// Places and signs of the nonzero digits of a constant in non-adjacent form, below place `width`.
fn digits(bits: &[Lit], width: usize) -> Vec<(usize, bool)> {
    let bit = |i: usize| bits.get(i).copied() == Some(Lit::TRUE);
    let mut digits = Vec::new();
    let mut carry = false;
    for place in 0..width {
        let one = bit(place) != carry;
        // An odd remainder takes the digit that leaves the next place even.
        let negative = one && bit(place + 1);
        carry = if one { negative } else { bit(place) && carry };
        if one {
            digits.push((place, negative));
        }
    }
    digits
}
