//! Sets of flags, and which of them are still to be tried.

/// A set of at most 16 flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mask(u32);

impl Mask {
    /// Whether it has a flag.
    pub fn has(self, index: usize) -> bool {
        (self.0 >> index) & 1 == 1
    }

    /// It without a flag.
    pub fn without(self, index: usize) -> Mask {
        Mask(self.0 & !(1 << index))
    }

    /// Whether all of its flags are another's, too.
    fn is_part_of(self, other: Mask) -> bool {
        self.0 & !other.0 == 0
    }
}

/// All sets of so many flags, of which the open ones are in none that is good and have none that is spoilt.
pub struct Masks {
    /// The largest first; among equals those that have the first flags.
    order: Vec<Mask>,
    good: Vec<Mask>,
    spoilt: Vec<Mask>,
    /// Those that nothing can be said of.
    passed: Vec<Mask>,
}

impl Masks {
    /// Those of `count` flags.
    pub fn new(count: usize) -> Masks {
        let mut order: Vec<Mask> = (0..1u32 << count.min(16)).map(Mask).collect();
        order.sort_by_key(|mask| std::cmp::Reverse((mask.0.count_ones(), mask.0.reverse_bits())));
        Masks { order, good: Vec::new(), spoilt: Vec::new(), passed: Vec::new() }
    }

    /// The largest that is open.
    pub fn largest_open(&self) -> Option<Mask> {
        let is_open = |mask: &Mask| {
            !self.good.iter().any(|good| mask.is_part_of(*good))
                && !self.spoilt.iter().any(|spoilt| spoilt.is_part_of(*mask))
                && !self.passed.contains(mask)
        };
        // Nothing at all is the baseline.
        self.order.iter().copied().filter(|mask| mask.0 != 0).find(is_open)
    }

    /// A set that shows a divergence, and so do all that have it.
    pub fn spoil(&mut self, mask: Mask) {
        self.good.retain(|good| !mask.is_part_of(*good));
        self.spoilt.push(mask);
    }

    /// A set that shows none.
    pub fn accept(&mut self, mask: Mask) {
        self.good.push(mask);
    }

    /// A set that is passed over.
    pub fn pass_over(&mut self, mask: Mask) {
        self.passed.push(mask);
    }

    /// The least spoilt sets.
    pub fn spoilt(&self) -> &[Mask] {
        &self.spoilt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sets that are accepted where a set is spoilt that has one of these.
    fn maximal(count: usize, spoilers: &[u32]) -> Vec<u32> {
        let mut masks = Masks::new(count);
        let mut good = Vec::new();
        while let Some(mask) = masks.largest_open() {
            let is_spoilt = |mask: Mask| spoilers.iter().any(|spoiler| Mask(*spoiler).is_part_of(mask));
            if is_spoilt(mask) {
                let least = (0..count).fold(mask, |least, index| {
                    let without = least.without(index);
                    if is_spoilt(without) { without } else { least }
                });
                masks.spoil(least);
            } else {
                masks.accept(mask);
                good.push(mask.0);
            }
        }
        good.sort_unstable();
        good
    }

    /// Against all subsets, one by one.
    #[test]
    fn exactly_the_maximal_sets_are_accepted() {
        for spoilers in [&[][..], &[0b1], &[0b11, 0b100], &[0b110, 0b1010, 0b1], &[0b11111], &[0b10, 0b1000, 0b10001]] {
            let is_good = |mask: u32| !spoilers.iter().any(|spoiler| spoiler & !mask == 0);
            let is_maximal = |mask: &u32| {
                *mask != 0
                    && is_good(*mask)
                    && (0..5).all(|index| (mask >> index) & 1 == 1 || !is_good(mask | (1 << index)))
            };
            let expected: Vec<u32> = (0..32).filter(is_maximal).collect();
            assert_eq!(maximal(5, spoilers), expected, "{spoilers:?}");
        }
    }

    #[test]
    fn larger_sets_come_first_and_early_flags_stay() {
        let mut masks = Masks::new(3);
        let mut order = Vec::new();
        while let Some(mask) = masks.largest_open() {
            order.push(mask.0);
            masks.pass_over(mask);
        }
        assert_eq!(order, [0b111, 0b011, 0b101, 0b110, 0b001, 0b010, 0b100]);
    }
}
