//! Intervals of integers.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// All integers between two, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub low: BigInt,
    pub high: BigInt,
}

impl Range {
    pub fn of(value: BigInt) -> Range {
        Range { low: value.clone(), high: value }
    }

    /// What a signed vector holds.
    pub fn signed(width: u32) -> Range {
        let end = BigInt::one() << (width - 1);
        Range { low: -&end, high: end - 1 }
    }

    pub fn unsigned(width: u32) -> Range {
        Range { low: BigInt::zero(), high: (BigInt::one() << width) - 1 }
    }

    pub fn is_within(&self, other: &Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    pub fn contains(&self, value: &BigInt) -> bool {
        self.low <= *value && *value <= self.high
    }

    /// The same without zero, where that is an end and not all.
    pub fn without_zero_at_an_end(mut self) -> Range {
        if self.low.is_zero() && self.high.is_positive() {
            self.low = BigInt::one();
        } else if self.high.is_zero() && self.low.is_negative() {
            self.high = -BigInt::one();
        }
        self
    }

    /// What is in both; this one, if that is nothing: there is no model then, of which anything is true.
    pub fn met(&self, other: &Range) -> Range {
        let (low, high) = (self.low.clone().max(other.low.clone()), self.high.clone().min(other.high.clone()));
        if low <= high { Range { low, high } } else { self.clone() }
    }

    /// The smallest one that holds both.
    pub fn joined(&self, other: &Range) -> Range {
        Range { low: self.low.clone().min(other.low.clone()), high: self.high.clone().max(other.high.clone()) }
    }

    pub fn plus(&self, other: &Range) -> Range {
        Range { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    pub fn minus(&self, other: &Range) -> Range {
        Range { low: &self.low - &other.high, high: &self.high - &other.low }
    }

    pub fn times(&self, other: &Range) -> Range {
        let corners = [&self.low, &self.high].map(|a| [&other.low, &other.high].map(|b| a * b)).concat();
        let (mut low, mut high) = (corners[0].clone(), corners[0].clone());
        for corner in corners {
            low = low.min(corner.clone());
            high = high.max(corner);
        }
        Range { low, high }
    }

    /// Bits of a signed vector that holds all.
    pub fn bits(&self) -> u32 {
        let of = |value: &BigInt| match value.is_negative() {
            true => (-value - 1i32).bits() + 1,
            false => value.bits() + 1,
        };
        of(&self.low).max(of(&self.high)) as u32
    }

    /// The greatest absolute value.
    pub fn size(&self) -> BigInt {
        self.low.abs().max(self.high.abs())
    }
}
