//! The inputs with the largest errors, by output.

use labrys_report::FoundBy;
use std::collections::BTreeMap;

/// How many inputs of an output are kept.
const KEPT: usize = 16;

/// What inputs are kept for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group {
    /// The output.
    pub output: String,
    /// By what inputs are compared.
    pub objective: Objective,
    /// Whether results are NaN, infinite or zero where true ones are not, or the other way round.
    pub is_other_class: bool,
}

/// What is largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Objective {
    /// The error, by the measure that was asked for.
    #[default]
    Error,
    /// Its excess over what the problem itself brings about.
    Excess,
    /// The absolute error, which a bound is proved of.
    Absolute,
}

/// An input with a large error.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The input.
    pub record: Vec<u8>,
    /// How large, on the search's scale.
    pub score: f64,
    /// Who found it.
    pub found_by: FoundBy,
}

/// The inputs with the largest errors, the largest first.
#[derive(Debug, Default)]
pub struct Candidates {
    by_group: BTreeMap<Group, Vec<Candidate>>,
    counts: BTreeMap<Group, u64>,
}

impl Candidates {
    /// Keeps an input if its error is among the largest; whether it was. Of equal ones the first stays.
    pub fn offer(&mut self, group: Group, candidate: Candidate) -> bool {
        *self.counts.entry(group.clone()).or_default() += 1;
        let kept = self.by_group.entry(group).or_default();
        let place = kept.partition_point(|other| other.score >= candidate.score);
        let is_kept = place < KEPT && kept.iter().all(|other| other.record != candidate.record);
        if is_kept {
            kept.insert(place, candidate);
            kept.truncate(KEPT);
        }
        is_kept
    }

    /// The first so many of each group, the very first of all groups before all others.
    pub fn best(&self, count: usize) -> Vec<(Group, Candidate)> {
        let of_rank = |rank: usize| {
            self.by_group.iter().filter_map(move |(group, kept)| Some((group.clone(), kept.get(rank)?.clone())))
        };
        (0..count).flat_map(of_rank).collect()
    }

    /// Counts further inputs that have an error and were not offered.
    pub fn count_further(&mut self, group: Group, inputs: u64) {
        *self.counts.entry(group).or_default() += inputs;
    }

    /// What an input must exceed to be kept.
    pub fn least(&self, group: &Group) -> f64 {
        let kept = self.by_group.get(group).and_then(|kept| kept.get(KEPT - 1));
        kept.map_or(f64::NEG_INFINITY, |last| last.score)
    }

    /// The largest of a group.
    pub fn largest(&self, group: &Group) -> Option<f64> {
        self.by_group.get(group).and_then(|kept| kept.first()).map(|first| first.score)
    }

    /// Whether nothing was kept.
    pub fn is_empty(&self) -> bool {
        self.by_group.is_empty()
    }

    /// How many inputs were offered.
    pub fn count(&self, group: &Group) -> u64 {
        self.counts.get(group).copied().unwrap_or_default()
    }

    /// What was kept, by what for; never nothing.
    pub fn iter(&self) -> impl Iterator<Item = (&Group, &[Candidate])> {
        self.by_group.iter().map(|(group, kept)| (group, &kept[..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_are_kept_in_order() {
        let mut candidates = Candidates::default();
        let group = || Group { output: "result".to_owned(), objective: Objective::Error, is_other_class: false };
        for number in 0..100u8 {
            let score = f64::from(u32::from(number) * 37 % 100);
            candidates.offer(group(), Candidate { record: vec![number], score, found_by: FoundBy::Random });
        }
        candidates.offer(group(), Candidate { record: vec![27], score: 99.0, found_by: FoundBy::Given });
        let (_, kept) = candidates.iter().next().unwrap();
        let scores: Vec<f64> = kept.iter().map(|candidate| candidate.score).collect();
        assert_eq!(scores, (84..100).rev().map(f64::from).collect::<Vec<_>>());
        assert_eq!(kept[0].found_by, FoundBy::Random);
    }
}
