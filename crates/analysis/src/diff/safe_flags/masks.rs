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

    /// It with a flag.
    pub fn with(self, index: usize) -> Mask {
        Mask(self.0 | (1 << index))
    }

    /// How many flags it has.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether all of its flags are another's, too.
    pub fn is_part_of(self, other: Mask) -> bool {
        self.0 & !other.0 == 0
    }
}

/// A set that shows a divergence.
#[derive(Clone, Copy, Debug)]
struct Spoiler {
    set: Mask,
    /// Flags with any one of which it shows none.
    undone_by: Mask,
    /// Whether it is known which flags these are.
    is_examined: bool,
}

impl Spoiler {
    fn spoils(&self, mask: Mask) -> bool {
        self.set.is_part_of(mask) && mask.0 & self.undone_by.0 == 0
    }
}

/// All sets of so many flags, of which the open ones are in none that is good and have none that is spoilt, unless with a flag that undoes it.
pub struct Masks {
    /// The largest first; among equals those that have the first flags.
    order: Vec<Mask>,
    good: Vec<Mask>,
    spoilt: Vec<Spoiler>,
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
                && !self.spoilt.iter().any(|spoilt| spoilt.spoils(*mask))
                && !self.passed.contains(mask)
        };
        // Nothing at all is the baseline.
        self.order.iter().copied().filter(|mask| mask.0 != 0).find(is_open)
    }

    /// A set that shows a divergence, for it has this one that does; so do all that have it.
    pub fn spoil(&mut self, mask: Mask, least: Mask) {
        let spoiler = |set, is_examined| Spoiler { set, undone_by: Mask(0), is_examined };
        if !self.spoilt.iter().any(|known| known.set == least) {
            self.spoilt.push(spoiler(least, false));
        }
        // What undoes its part does not do so here.
        if !self.spoilt.iter().any(|known| known.spoils(mask)) {
            self.spoilt.push(spoiler(mask, true));
        }
        let spoilt = &self.spoilt;
        self.good.retain(|good| !spoilt.iter().any(|of| of.spoils(*good)));
    }

    /// A set that shows a divergence and of which it is not known whether all do that have one flag more.
    pub fn unexamined(&self) -> Option<Mask> {
        self.spoilt.iter().find(|of| !of.is_examined).map(|of| of.set)
    }

    /// The flags with any one of which a set shows no divergence.
    pub fn undo(&mut self, set: Mask, by: impl Iterator<Item = usize>) {
        let undone_by = by.fold(Mask(0), Mask::with);
        for of in self.spoilt.iter_mut().filter(|of| of.set == set) {
            (of.undone_by, of.is_examined) = (undone_by, true);
        }
    }

    /// A set that shows none; parts of it that were accepted are the largest no more.
    pub fn accept(&mut self, mask: Mask) {
        self.good.retain(|good| !good.is_part_of(mask));
        self.good.push(mask);
    }

    /// A set that is passed over.
    pub fn pass_over(&mut self, mask: Mask) {
        self.passed.push(mask);
    }

    /// The sets that are spoilt, without those that have another one.
    pub fn spoilt(&self) -> Vec<Mask> {
        let sets = || self.spoilt.iter().map(|of| of.set);
        sets().filter(|set| !sets().any(|other| other != *set && other.is_part_of(*set))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sets that are accepted.
    fn accepted(count: usize, is_spoilt: impl Fn(Mask) -> bool) -> Vec<u32> {
        let mut masks = Masks::new(count);
        loop {
            while let Some(mask) = masks.largest_open() {
                if is_spoilt(mask) {
                    let least = (0..count).fold(mask, |least, index| {
                        let without = least.without(index);
                        if is_spoilt(without) { without } else { least }
                    });
                    masks.spoil(mask, least);
                } else {
                    masks.accept(mask);
                }
            }
            let Some(set) = masks.unexamined() else { break };
            masks.undo(set, (0..count).filter(|index| !is_spoilt(set.with(*index))));
        }
        let mut good: Vec<u32> = masks.good.iter().map(|mask| mask.0).collect();
        good.sort_unstable();
        good
    }

    /// The sets that are accepted where a set is spoilt that has one of these.
    fn maximal(count: usize, spoilers: &[u32]) -> Vec<u32> {
        accepted(count, |mask| spoilers.iter().any(|spoiler| Mask(*spoiler).is_part_of(mask)))
    }

    /// Where one flag undoes what others spoil, the sets that have it were passed over without a word.
    #[test]
    fn sets_with_a_flag_that_undoes_a_spoilt_one_are_tried() {
        // 0 and 1 spoil each set without 3; 2 and 3 spoil each other.
        let is_spoilt = |mask: Mask| (mask.0 & 0b1011 == 0b0011) || (mask.0 & 0b1100 == 0b1100);
        let good = accepted(4, is_spoilt);
        assert_eq!(good, [0b0101, 0b0110, 0b1011]);
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
