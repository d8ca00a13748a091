//! Paths that wait for somebody who chooses among them by where they stand: those that stand alike are looked at once.

use indexmap::IndexMap;

/// What is chosen by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// The blocks of the call stack, the innermost last.
    pub(crate) blocks: Box<[usize]>,
    /// How many steps the path has taken of one that is looked for.
    pub(crate) steps: usize,
    /// Whether inputs are known that take it.
    pub(crate) has_witness: bool,
}

/// The paths, by place.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    /// Of each place the youngest at the end, with the number of paths that had waited before.
    places: IndexMap<Place, Vec<(u64, T)>>,
    pushed: u64,
    length: usize,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Waiting { places: IndexMap::new(), pushed: 0, length: 0 }
    }
}

impl<T> Waiting<T> {
    pub(crate) fn push(&mut self, place: Place, path: T) {
        self.places.entry(place).or_default().push((self.pushed, path));
        self.pushed += 1;
        self.length += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Takes out the youngest path of the place with the least score; of equal ones the youngest of all. Paths of places without a score
    /// are dropped.
    pub(crate) fn take<S: Ord>(&mut self, mut score: impl FnMut(&Place) -> Option<S>) -> Option<(Place, T)> {
        let mut best: Option<(S, u64, usize)> = None;
        let mut index = 0;
        while let Some((place, paths)) = self.places.get_index(index) {
            let Some(score) = score(place) else {
                self.length -= paths.len();
                self.places.swap_remove_index(index);
                continue;
            };
            let age = paths.last().map_or(0, |(number, _)| *number);
            if best.as_ref().is_none_or(|(least, youngest, _)| (&score, u64::MAX - age) < (least, u64::MAX - youngest))
            {
                best = Some((score, age, index));
            }
            index += 1;
        }
        let (_, _, index) = best?;
        let (place, paths) = self.places.get_index_mut(index)?;
        let taken = (place.clone(), paths.pop()?.1);
        self.length -= 1;
        if paths.is_empty() {
            self.places.swap_remove_index(index);
        }
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_score_comes_first_then_the_youngest() {
        let place = |block| Place { blocks: Box::new([block]), steps: 0, has_witness: true };
        let mut waiting = Waiting::default();
        for (block, name) in [(3, "far"), (1, "old"), (2, "equal"), (9, "useless"), (1, "young")] {
            waiting.push(place(block), name);
        }
        let score = |place: &Place| Some(place.blocks[0].max(2)).filter(|score| *score < 9);
        let order: Vec<_> = std::iter::from_fn(|| waiting.take(score)).map(|(_, name)| name).collect();
        assert_eq!(order, ["young", "equal", "old", "far"]);
        assert_eq!(waiting.len(), 0);
    }
}
