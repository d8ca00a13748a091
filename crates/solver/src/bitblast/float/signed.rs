//! Signed numbers with bounds: what exponents are computed with.
//!
//! The bounds are kept by every operation, and a number is only as wide as they need: exponents that are known to lie
//! close together give short subtractions and short shifts without further care. A number may also stand for one that
//! only matters under some condition (the exponent of what may be a zero); then its bounds hold where it matters.

use super::Bits;
use crate::bitblast::{Gates, Lit, vector};

/// A signed number in two's complement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Low bit first, the last one is the sign. At least one, and no more than the bounds need.
    bits: Bits,
    /// The least value, where the value matters.
    low: i128,
    /// The greatest value, where the value matters.
    high: i128,
}

/// How many bits two's complement needs for both.
fn width(low: i128, high: i128) -> usize {
    let bits = |value: i128| 129 - (if value < 0 { !value } else { value }).leading_zeros() as usize;
    bits(low).max(bits(high))
}

impl Signed {
    /// The number of these bits, of which it is known that it lies between the bounds (wherever it matters).
    pub fn new(bits: Bits, low: i128, high: i128) -> Signed {
        let high = high.max(low);
        let width = width(low, high);
        let sign = bits.last().copied().unwrap_or(Lit::FALSE);
        let mut bits: Bits = (0..width).map(|i| bits.get(i).copied().unwrap_or(sign)).collect();
        // The bits above the first in which the bounds differ are the same for all between them.
        for i in (0..width).rev() {
            if (low ^ high) >> i & 1 == 1 {
                break;
            }
            bits[i] = Lit::of(low >> i & 1 == 1);
        }
        Signed { bits, low, high }
    }

    /// A constant.
    pub fn constant(value: i128) -> Signed {
        Signed::new(vector::constant(width(value, value), value as u128), value, value)
    }

    /// An unsigned number.
    pub fn unsigned(bits: &[Lit], high: i128) -> Signed {
        let mut bits = bits.to_vec();
        bits.push(Lit::FALSE);
        Signed::new(bits, 0, high)
    }

    /// Its least value.
    pub fn low(&self) -> i128 {
        self.low
    }

    /// Its greatest value.
    pub fn high(&self) -> i128 {
        self.high
    }

    /// Bit i, of which there are as many as one likes.
    pub fn bit(&self, i: usize) -> Lit {
        self.bits[i.min(self.bits.len() - 1)]
    }

    /// Its low bits.
    pub fn word(&self, width: usize) -> Bits {
        (0..width).map(|i| self.bit(i)).collect()
    }

    /// How many bits it has.
    pub fn width(&self) -> usize {
        self.bits.len()
    }

    /// The same number with tighter bounds, which hold wherever it matters.
    pub fn within(&self, low: i128, high: i128) -> Signed {
        Signed::new(self.bits.clone(), low.max(self.low), high.min(self.high))
    }

    /// −a − 1.
    pub fn complement(&self) -> Signed {
        Signed { bits: vector::not(&self.bits), low: !self.high, high: !self.low }
    }

    /// a + b + carry.
    pub fn sum(&self, gates: &mut Gates, other: &Signed, carry: Lit) -> Signed {
        let extra = |value: bool| i128::from(value);
        let low = self.low + other.low + extra(carry == Lit::TRUE);
        let high = self.high + other.high + extra(carry != Lit::FALSE);
        let width = width(low, high);
        let (sum, _) = vector::add(gates, &self.word(width), &other.word(width), carry);
        Signed::new(sum, low, high)
    }

    /// a − b.
    pub fn difference(&self, gates: &mut Gates, other: &Signed) -> Signed {
        self.sum(gates, &other.complement(), Lit::TRUE)
    }

    /// a + constant.
    pub fn plus(&self, gates: &mut Gates, value: i128) -> Signed {
        self.sum(gates, &Signed::constant(value), Lit::FALSE)
    }

    /// `yes` where `condition` holds, else `no`.
    pub fn mux(gates: &mut Gates, condition: Lit, yes: &Signed, no: &Signed) -> Signed {
        match condition.constant() {
            Some(true) => return yes.clone(),
            Some(false) => return no.clone(),
            None => {}
        }
        let width = yes.width().max(no.width());
        let bits = vector::mux(gates, condition, &yes.word(width), &no.word(width));
        Signed::new(bits, yes.low.min(no.low), yes.high.max(no.high))
    }

    /// a < b, or a ≤ b if `or_equal`.
    pub fn less(&self, gates: &mut Gates, other: &Signed, or_equal: bool) -> Lit {
        if self.high < other.low || (or_equal && self.high == other.low) {
            return Lit::TRUE;
        }
        if self.low > other.high || (!or_equal && self.low == other.high) {
            return Lit::FALSE;
        }
        let (left, right) = (self.ordered(other), other.ordered(self));
        vector::less(gates, &left, &right, Lit::of(or_equal))
    }

    /// The bits in the width of both, the sign inverted: the order of unsigned numbers.
    pub fn ordered(&self, other: &Signed) -> Bits {
        let width = self.width().max(other.width());
        let mut bits = self.word(width);
        bits[width - 1] = !bits[width - 1];
        bits
    }

    /// a < value.
    pub fn below(&self, gates: &mut Gates, value: i128) -> Lit {
        self.less(gates, &Signed::constant(value), false)
    }

    /// a > value.
    pub fn above(&self, gates: &mut Gates, value: i128) -> Lit {
        Signed::constant(value).less(gates, self, false)
    }

    /// a = b.
    pub fn equal(&self, gates: &mut Gates, other: &Signed) -> Lit {
        if self.high < other.low || self.low > other.high {
            return Lit::FALSE;
        }
        let width = self.width().max(other.width());
        vector::equal(gates, &self.word(width), &other.word(width))
    }

    /// max(a, 0) as an unsigned number of so many bits, 2^width − 1 where it is greater.
    pub fn saturated(&self, gates: &mut Gates, width: usize) -> Bits {
        if self.high <= 0 {
            return vec![Lit::FALSE; width];
        }
        let positive = !self.bit(usize::MAX);
        let above: Bits =
            (width..self.width().max(width) - usize::from(self.width() > width)).map(|i| self.bit(i)).collect();
        let over = gates.any(&above);
        (0..width)
            .map(|i| {
                let bit = if i + 1 >= self.width() { Lit::FALSE } else { self.bits[i] };
                let filled = gates.or(bit, over);
                gates.and(filled, positive)
            })
            .collect()
    }
}
