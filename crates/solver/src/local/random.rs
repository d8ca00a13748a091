//! The search's only source of chance: the same seed gives the same search on every machine.

/// Steele, Lea, Flood's SplitMix64 ("Fast splittable pseudorandom number generators", OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, 0 if that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// An index below `length`.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True once in `rarity` times.
    pub fn once_in(&mut self, rarity: u64) -> bool {
        self.below(rarity) == 0
    }

    /// One of the elements.
    pub fn pick<T: Copy>(&mut self, elements: &[T]) -> Option<T> {
        elements.get(self.index(elements.len())).copied()
    }

    /// A number with a random count of random bits, at most `bits` of them: every order of magnitude is as likely.
    pub fn scaled(&mut self, bits: u32) -> u64 {
        let count = self.below(u64::from(bits.min(64)) + 1) as u32;
        if count == 0 { 0 } else { self.bits() >> (64 - count) }
    }
}
