//! Sets of bit vectors: an unsigned interval and the bits that are known.
//!
//! The two parts say more together than apart: [`BitVecDomain::normalised`] moves the bounds to vectors whose bits agree
//! with the known ones, and reads off the bits that the bounds have in common. Both steps keep every member.

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

/// All `width` bits; `width` is at most 128.
pub(crate) fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl BitVecDomain {
    /// Every vector of the width.
    pub fn top(width: u32) -> BitVecDomain {
        BitVecDomain { width, low: 0, high: mask(width), ones: 0, zeros: 0 }
    }

    /// One vector.
    pub fn only(width: u32, bits: u128) -> BitVecDomain {
        let all = mask(width);
        BitVecDomain { width, low: bits & all, high: bits & all, ones: bits & all, zeros: !bits & all }
    }

    /// No vector.
    pub fn empty(width: u32) -> BitVecDomain {
        BitVecDomain { width, low: 1, high: 0, ones: 0, zeros: 0 }
    }

    /// The vectors between two bounds, both included.
    pub fn between(width: u32, low: u128, high: u128) -> BitVecDomain {
        BitVecDomain { width, low, high: high.min(mask(width)), ones: 0, zeros: 0 }.normalised()
    }

    /// The vectors with some bits known.
    pub fn bits(width: u32, ones: u128, zeros: u128) -> BitVecDomain {
        let all = mask(width);
        BitVecDomain { ones: ones & all, zeros: zeros & all, ..BitVecDomain::top(width) }.normalised()
    }

    /// Whether nothing is a member. Only of a normalised set.
    pub fn is_empty(&self) -> bool {
        self.low > self.high
    }

    /// Whether a vector is a member.
    pub fn contains(&self, bits: u128) -> bool {
        self.low <= bits && bits <= self.high && self.agrees(bits)
    }

    /// The only member, if there is exactly one.
    pub fn as_single(&self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Bits that are one or zero in every member.
    pub fn known(&self) -> u128 {
        self.ones | self.zeros
    }

    fn agrees(&self, bits: u128) -> bool {
        bits & self.ones == self.ones && bits & self.zeros == 0
    }

    /// The least vector not below `bound` whose bits agree, whatever the interval.
    pub fn least_from(&self, bound: u128) -> Option<u128> {
        let wrong = (self.ones & !bound) | (self.zeros & bound);
        if wrong == 0 {
            return Some(bound);
        }
        let place = 127 - wrong.leading_zeros();
        // Below the place that becomes one, only the bits that must be one are.
        let raise = |place: u32| (bound >> place | 1) << place | (self.ones & ((1 << place) - 1));
        if self.ones >> place & 1 == 1 {
            return Some(raise(place));
        }
        // `place` must fall to zero: a higher zero that is free must rise instead.
        let free = !bound & !self.zeros & mask(self.width);
        let above = if place == 127 { 0 } else { free >> (place + 1) << (place + 1) };
        (above != 0).then(|| raise(above.trailing_zeros()))
    }

    /// The greatest vector not above `bound` whose bits agree, whatever the interval.
    pub fn greatest_to(&self, bound: u128) -> Option<u128> {
        let all = mask(self.width);
        let mirrored = BitVecDomain { ones: self.zeros, zeros: self.ones, ..*self };
        mirrored.least_from(!bound & all).map(|bits| !bits & all)
    }

    /// The same set, its bounds members and the bits that they share known.
    pub fn normalised(self) -> BitVecDomain {
        let empty = BitVecDomain::empty(self.width);
        if self.low > self.high || self.ones & self.zeros != 0 {
            return empty;
        }
        let (Some(low), Some(high)) = (self.least_from(self.low), self.greatest_to(self.high)) else { return empty };
        if low > high {
            return empty;
        }
        let different = 128 - (low ^ high).leading_zeros();
        let shared = mask(self.width) & !mask(different);
        BitVecDomain { low, high, ones: self.ones | (low & shared), zeros: self.zeros | (!low & shared), ..self }
    }

    /// The vectors in both sets.
    pub fn intersect(&self, other: &BitVecDomain) -> BitVecDomain {
        BitVecDomain {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            ones: self.ones | other.ones,
            zeros: self.zeros | other.zeros,
        }
        .normalised()
    }

    /// The least set that holds both.
    pub fn hull(&self, other: &BitVecDomain) -> BitVecDomain {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        BitVecDomain {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            ones: self.ones & other.ones,
            zeros: self.zeros & other.zeros,
        }
        .normalised()
    }

    /// The members between two bounds, both included.
    pub fn within(&self, low: u128, high: u128) -> BitVecDomain {
        BitVecDomain { low: self.low.max(low), high: self.high.min(high), ..*self }.normalised()
    }

    /// How many vectors the interval and the known bits leave at most.
    pub fn count(&self) -> u128 {
        if self.is_empty() {
            return 0;
        }
        let interval = (self.high - self.low).saturating_add(1);
        let free = self.width - self.known().count_ones().min(self.width);
        if free >= 128 { interval } else { interval.min(1 << free) }
    }
}

#[cfg(test)]
mod tests {
    use super::BitVecDomain;

    /// Every set of 4-bit vectors that the representation can name.
    fn all() -> impl Iterator<Item = BitVecDomain> {
        (0..16u128).flat_map(|low| (low..16).map(move |high| (low, high))).flat_map(|(low, high)| {
            (0..16u128).flat_map(move |ones| {
                (0..16u128).filter(move |zeros| ones & zeros == 0).map(move |zeros| BitVecDomain {
                    width: 4,
                    low,
                    high,
                    ones,
                    zeros,
                })
            })
        })
    }

    #[test]
    fn normalising_keeps_the_members_and_makes_the_bounds_members() {
        for set in all() {
            let normal = set.normalised();
            let members: Vec<u128> = (0..16).filter(|bits| set.contains(*bits)).collect();
            assert_eq!(members, (0..16).filter(|bits| normal.contains(*bits)).collect::<Vec<_>>(), "{set:?}");
            assert_eq!(normal.is_empty(), members.is_empty());
            if let (Some(first), Some(last)) = (members.first(), members.last()) {
                assert_eq!((normal.low, normal.high), (*first, *last), "{set:?}");
                assert!(normal.count() >= members.len() as u128);
            }
        }
    }

    #[test]
    fn hulls_hold_both_and_intersections_are_exact() {
        let sets: Vec<BitVecDomain> = all().step_by(37).map(BitVecDomain::normalised).collect();
        for a in &sets {
            for b in &sets {
                let (both, either) = (a.intersect(b), a.hull(b));
                for bits in 0..16 {
                    assert_eq!(both.contains(bits), a.contains(bits) && b.contains(bits), "{a:?} {b:?}");
                    assert!(either.contains(bits) || !(a.contains(bits) || b.contains(bits)), "{a:?} {b:?}");
                }
            }
        }
    }
}
