//! Inputs worth changing: each showed something that no input before it had shown.

use std::hash::Hash;

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

/// How many of the first picks a new entry gets ahead of the others.
const FRESH_PICKS: u32 = 8;
/// After so many picks the weights of all entries are computed anew.
const STALE_AFTER: u32 = 256;

/// An input that showed a new feature.
#[derive(Clone, Debug)]
struct Entry<F> {
    record: Vec<u8>,
    /// The features it was the first to show.
    features: Vec<F>,
    picks: u32,
}

/// A corpus under feedback: features are hashes of whatever the analysis tells apart, events, branch outcomes, classes of
/// results. What is picked for mutation is every other time one of the newest entries, else an entry drawn with a weight
/// that falls with the number of times its rarest feature was seen and with the times it was picked.
#[derive(Clone, Debug)]
pub struct Corpus<F = u64> {
    entries: Vec<Entry<F>>,
    by_record: FxHashMap<Vec<u8>, usize>,
    /// How many offers showed each feature.
    seen: FxHashMap<F, u32>,
    /// Entries with early picks left, newest last.
    fresh: Vec<(usize, u32)>,
    /// Running sums of the entries' weights as of the last computation.
    sums: Vec<u64>,
    picks_until_stale: u32,
    turn: bool,
}

impl<F: Copy + Eq + Hash> Default for Corpus<F> {
    fn default() -> Corpus<F> {
        Corpus::new()
    }
}

impl<F: Copy + Eq + Hash> Corpus<F> {
    /// An empty corpus.
    pub fn new() -> Corpus<F> {
        Corpus {
            entries: Vec::new(),
            by_record: FxHashMap::default(),
            seen: FxHashMap::default(),
            fresh: Vec::new(),
            sums: Vec::new(),
            picks_until_stale: 0,
            turn: false,
        }
    }

    /// Tells what an input showed; keeps the input if a feature is new. Whether it was. An input may be offered several
    /// times with different features and is held once.
    pub fn offer(&mut self, record: &[u8], features: &[F]) -> bool {
        let mut new = Vec::new();
        for &feature in features {
            let count = self.seen.entry(feature).or_insert(0);
            *count = count.saturating_add(1);
            if *count == 1 {
                new.push(feature);
            }
        }
        if new.is_empty() {
            return false;
        }
        if let Some(&index) = self.by_record.get(record) {
            self.entries[index].features.extend(new);
            return true;
        }
        let index = self.entries.len();
        self.by_record.insert(record.to_vec(), index);
        self.entries.push(Entry { record: record.to_vec(), features: new, picks: 0 });
        self.fresh.push((index, FRESH_PICKS));
        true
    }

    /// The next entry to change; `None` while empty. The same offers, picks and random words give the same entry.
    pub fn pick(&mut self, random: &mut impl Rng) -> Option<&[u8]> {
        if self.entries.is_empty() {
            return None;
        }
        self.turn = !self.turn;
        let index = match self.fresh.last_mut() {
            Some((index, left)) if self.turn => {
                let index = *index;
                *left -= 1;
                if *left == 0 {
                    self.fresh.pop();
                }
                index
            }
            _ => self.weighted(random),
        };
        let entry = &mut self.entries[index];
        entry.picks = entry.picks.saturating_add(1);
        Some(&entry.record)
    }

    /// An entry drawn by weight.
    fn weighted(&mut self, random: &mut impl Rng) -> usize {
        if self.picks_until_stale == 0 || self.sums.is_empty() {
            self.picks_until_stale = STALE_AFTER;
            let mut sum = 0u64;
            self.sums = self
                .entries
                .iter()
                .map(|entry| {
                    sum += self.weight(entry);
                    sum
                })
                .collect();
        }
        self.picks_until_stale -= 1;
        let total = self.sums.last().copied().unwrap_or(1);
        let drawn = random.random_range(0..total);
        self.sums.partition_point(|sum| *sum <= drawn)
    }

    /// At least 1, at most 2^20.
    fn weight(&self, entry: &Entry<F>) -> u64 {
        let rarest = entry.features.iter().filter_map(|feature| self.seen.get(feature)).min().copied().unwrap_or(1);
        ((1 << 20) / u64::from(rarest.max(1)) / (1 + u64::from(entry.picks / 4))).max(1)
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many inputs are held.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many features were seen.
    pub fn features(&self) -> usize {
        self.seen.len()
    }

    /// The inputs held, oldest first.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.entries.iter().map(|entry| entry.record.as_slice())
    }

    /// Any entry, all alike: the partner of a crossover.
    pub(crate) fn any(&self, random: &mut impl Rng) -> Option<&[u8]> {
        if self.entries.is_empty() {
            return None;
        }
        Some(&self.entries[random.random_range(0..self.entries.len())].record)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn keeps_what_shows_something_new() {
        let mut corpus = Corpus::new();
        assert!(corpus.offer(b"a", &[1, 2]));
        assert!(!corpus.offer(b"b", &[2, 1]));
        assert!(corpus.offer(b"c", &[2, 3]));
        // The same input with another feature is held once.
        assert!(corpus.offer(b"a", &[4]));
        assert!(!corpus.offer(b"d", &[]));
        assert_eq!(corpus.records().collect::<Vec<_>>(), [b"a", b"c"]);
        assert_eq!(corpus.features(), 4);
    }

    #[test]
    fn rare_and_new_entries_are_picked_more_often() {
        let mut corpus = Corpus::new();
        corpus.offer(b"common", &[1]);
        corpus.offer(b"rare", &[2]);
        for _ in 0..1000 {
            corpus.offer(b"x", &[1]);
        }
        let mut random = Pcg64::seed_from_u64(0);
        for _ in 0..64 {
            corpus.pick(&mut random);
        }
        let picks = |corpus: &Corpus, index: usize| corpus.entries[index].picks;
        assert!(picks(&corpus, 1) > 2 * picks(&corpus, 0), "{:?}", corpus.entries);
        corpus.offer(b"new", &[3]);
        for _ in 0..16 {
            corpus.pick(&mut random);
        }
        assert!(picks(&corpus, 2) >= 8);
    }

    #[test]
    fn picks_are_deterministic() {
        let picks = || {
            let mut corpus = Corpus::new();
            let mut random = Pcg64::seed_from_u64(7);
            let mut picked = Vec::new();
            for i in 0..500u64 {
                corpus.offer(&i.to_le_bytes(), &[i % 37]);
                picked.push(corpus.pick(&mut random).map(<[u8]>::to_vec));
            }
            picked
        };
        assert_eq!(picks(), picks());
    }
}
