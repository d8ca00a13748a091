//! Sets of bit vectors: an unsigned interval and the bits that are known.

/// A set of bit vectors of at most 128 bits: those in an interval, read as unsigned numbers, whose known bits agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitVecDomain {
    /// The width in bits.
    pub width: u32,
    /// The least member or less.
    pub low: u128,
    /// The greatest member or more; less than `low` in the empty set.
    pub high: u128,
    /// Bits that are one in every member.
    pub ones: u128,
    /// Bits that are zero in every member.
    pub zeros: u128,
}

impl BitVecDomain {
    /// Every vector of the width.
    pub fn top(width: u32) -> BitVecDomain {
        let high = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        BitVecDomain { width, low: 0, high, ones: 0, zeros: 0 }
    }

    /// One vector.
    pub fn only(width: u32, bits: u128) -> BitVecDomain {
        let all = BitVecDomain::top(width).high;
        BitVecDomain { width, low: bits, high: bits, ones: bits & all, zeros: !bits & all }
    }
}
