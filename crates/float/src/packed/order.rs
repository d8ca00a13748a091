//! Comparisons, minima and maxima, and numbers in order.

use std::cmp::Ordering;

use super::Packed;

impl Packed {
    /// The order by value, −0 equal to +0; `None` if either is a NaN.
    pub fn compare(&self, a: u64, b: u64) -> Option<Ordering> {
        Some(self.ordinal(a)?.cmp(&self.ordinal(b)?))
    }

    /// a < b.
    pub fn less(&self, a: u64, b: u64) -> bool {
        self.compare(a, b) == Some(Ordering::Less)
    }

    /// a ≤ b.
    pub fn less_equal(&self, a: u64, b: u64) -> bool {
        self.compare(a, b).is_some_and(Ordering::is_le)
    }

    /// IEEE 754's equality: −0 equals +0, NaN nothing.
    pub fn ieee_equal(&self, a: u64, b: u64) -> bool {
        self.compare(a, b) == Some(Ordering::Equal)
    }

    /// SMT-LIB's `=`: one NaN, −0 ≠ +0.
    pub fn same(&self, a: u64, b: u64) -> bool {
        a == b || (self.is_nan(a) && self.is_nan(b))
    }

    /// The smaller number, the number if one is NaN; −0 below +0, as IEEE 754-2019 has it.
    pub fn min(&self, a: u64, b: u64) -> u64 {
        self.select(a, b, Ordering::Less)
    }

    /// The larger number, the number if one is NaN; −0 below +0, as IEEE 754-2019 has it.
    pub fn max(&self, a: u64, b: u64) -> u64 {
        self.select(a, b, Ordering::Greater)
    }

    fn select(&self, a: u64, b: u64, wanted: Ordering) -> u64 {
        match (self.is_nan(a), self.is_nan(b)) {
            (true, true) => self.nan(),
            (true, false) => b,
            (false, true) => a,
            (false, false) => {
                let place = |x: u64| if self.sign_bit(x) { !(self.magnitude(x) as i64) } else { x as i64 };
                if place(a).cmp(&place(b)) == wanted { a } else { b }
            }
        }
    }

    /// The place among the format's numbers: 0 for both zeros, 1 for the smallest positive number, −1 for its negative;
    /// `None` for NaNs. Adjacent numbers differ by 1, infinities included.
    pub fn ordinal(&self, a: u64) -> Option<i64> {
        let magnitude = self.magnitude(a);
        // A magnitude has at most 63 bits.
        let place = if self.sign_bit(a) { -(magnitude as i64) } else { magnitude as i64 };
        (magnitude <= self.infinity).then_some(place)
    }

    /// The number at a place; places beyond the infinities give them, 0 gives +0.
    pub fn from_ordinal(&self, ordinal: i64) -> u64 {
        self.signed(ordinal < 0, ordinal.unsigned_abs().min(self.infinity))
    }

    /// The least number greater than this one; +∞ and NaN stay. The smallest negative number's is −0.
    pub fn next_up(&self, a: u64) -> u64 {
        match self.ordinal(a) {
            None => self.nan(),
            Some(-1) => self.zero(true),
            Some(ordinal) => self.from_ordinal(ordinal + 1),
        }
    }

    /// The greatest number less than this one; −∞ and NaN stay. The smallest positive number's is +0.
    pub fn next_down(&self, a: u64) -> u64 {
        self.neg(self.next_up(self.neg(a)))
    }
}
