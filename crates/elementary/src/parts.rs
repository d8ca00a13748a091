//! Ranges of operands cut where functions are not monotone for sure: at zeros and infinities.

use labrys_float::Float;

use crate::Range;
use crate::range::{infinity, ranked};

/// A part of a range of operands.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A zero or an infinity.
    Special(Float),
    /// Ranks of finite numbers of one sign, without zeros.
    Finite(i128, i128),
}

/// The zeros and infinities of a range one by one, and the numbers between.
pub(crate) fn parts(range: &Range) -> Vec<Part> {
    let (low, high) = range.ranks();
    let top = infinity(range.format());
    let mut parts = Vec::new();
    for special in [!top, -1, 0, top] {
        if low <= special && special <= high {
            parts.push(Part::Special(ranked(range.format(), special)));
        }
    }
    for (first, last) in [(!top + 1, -2), (1, top - 1)] {
        let (first, last) = (low.max(first), high.min(last));
        if first <= last {
            parts.push(Part::Finite(first, last));
        }
    }
    parts
}
