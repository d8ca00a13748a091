//! Parts of the inputs, which of their exceptions are open, and which part to split next.
//!
//! Sites whose exceptions are settled need no splitting: what the first run found of them stands. Of each part only what is open is kept,
//! so that thousands of them fit into memory.

use labrys_float::Flags;
use labrys_solver::domain::FloatDomain;

use crate::entry::Input;
use crate::graph::Domain;
use crate::integer::IntDomain;

/// A part of the inputs and what its runs may raise that splitting might still exclude.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub inputs: Vec<Input>,
    /// Sites, by their numbers in the search, with the exceptions that are open.
    pub open: Vec<(usize, Flags)>,
    /// Where to look first for an input to split.
    pub next: usize,
    /// How often it was split.
    pub depth: u32,
    /// Splits, the last ones of those that led here, after which as much was open as before.
    pub vain: u32,
}

/// What splits of each input have brought so far.
#[derive(Clone, Debug)]
pub(crate) struct Gains {
    /// Exceptions excluded, and splits.
    inputs: Vec<(f64, f64)>,
    splits: u64,
}

/// Splits are this deep at most, and so much deeper for each input.
const MAX_DEPTH: (usize, usize) = (12, 8);

impl Part {
    /// How many exceptions are open.
    pub fn count(&self) -> usize {
        self.open.iter().map(|(_, flags)| flags.bits().count_ones() as usize).sum()
    }

    /// Leaves out exceptions that some part keeps for good.
    pub fn without(mut self, lost: &[Flags]) -> Part {
        for (site, flags) in &mut self.open {
            *flags -= lost[*site];
        }
        self.open.retain(|(_, flags)| !flags.is_empty());
        self
    }

    /// Whether it may be split at all.
    pub fn is_divisible(&self) -> bool {
        let (least, more) = MAX_DEPTH;
        let is_shallow = (self.depth as usize) < least + more * self.inputs.len();
        !self.open.is_empty() && is_shallow && self.inputs.iter().any(|input| halves(input).is_some())
    }
}

/// The places of the parts that are split next, at most `limit`, best last.
///
/// An exception is excluded only once no part has it, so those count most that few parts have; deep parts and those whose splits bring
/// nothing count less, since there may be an input behind what is open.
pub(crate) fn best(parts: &[Part], limit: usize) -> Vec<usize> {
    let sites = parts.iter().flat_map(|part| &part.open).map(|(site, _)| site + 1).max().unwrap_or(0);
    let mut parts_with = vec![0u32; sites];
    for (site, _) in parts.iter().flat_map(|part| &part.open) {
        parts_with[*site] += 1;
    }
    let score = |part: &Part| {
        let weight =
            |(site, flags): &(usize, Flags)| f64::from(flags.bits().count_ones()) / f64::from(parts_with[*site].max(1));
        let open: f64 = part.open.iter().map(weight).sum();
        open * 0.85f64.powi(part.depth as i32) * 0.6f64.powi(part.vain as i32)
    };
    let mut places: Vec<(f64, usize)> = parts.iter().map(score).zip(0..).collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    places.split_off(places.len().saturating_sub(limit)).into_iter().map(|(_, place)| place).collect()
}

impl Gains {
    /// No splits yet.
    pub fn new(inputs: usize) -> Gains {
        Gains { inputs: vec![(0.0, 0.0); inputs], splits: 0 }
    }

    /// The input of a part to split, and its halves: mostly the one that has brought most, now and then the next in turn.
    pub fn choose(&self, part: &Part) -> Option<(usize, [Domain; 2])> {
        let count = part.inputs.len();
        let in_turn = (0..count).map(|i| (part.next + i) % count);
        let mut divisible = in_turn.filter_map(|index| Some((index, halves(&part.inputs[index])?)));
        if self.splits.is_multiple_of(3) {
            return divisible.next();
        }
        let rate = |index: usize| {
            let (excluded, splits) = self.inputs[index];
            (excluded + 1.0) / (splits + 1.0)
        };
        // Of equal ones the first in turn.
        divisible.reduce(|best, other| if rate(other.0) > rate(best.0) { other } else { best })
    }

    /// Notes what a split brought: the share of exceptions that are open in only one half, or in none.
    pub fn note(&mut self, index: usize, whole: &Part, halves: &[Part; 2]) {
        let before = 2.0 * whole.count().max(1) as f64;
        let after = (halves[0].count() + halves[1].count()) as f64;
        let (excluded, splits) = &mut self.inputs[index];
        *excluded += (before - after) / before;
        *splits += 1.0;
        self.splits += 1;
    }
}

/// The parts of an input's domain.
fn halves(input: &Input) -> Option<[Domain; 2]> {
    match &input.domain {
        Domain::Float(set) => {
            let nan = FloatDomain { nan: true, ..FloatDomain::empty(set.format) };
            if set.nan && set.has_numbers() {
                return Some([Domain::Float(set.without_nan()), Domain::Float(nan)]);
            }
            let rank = set.split()?;
            Some([Domain::Float(set.at_most(rank)), Domain::Float(set.at_least(rank + 1))])
        }
        Domain::Int(set) => {
            let middle = match (set.low, set.high) {
                (low, high) if low == high => return None,
                (low, high) if low < 0 && high >= 0 => -1,
                // By magnitude, so that small numbers are told apart first.
                (low, high) if low >= 0 => {
                    let (a, b) = ((low as f64 + 1.0).ln(), (high as f64 + 1.0).ln());
                    ((((a + b) / 2.0).exp() - 1.0) as i128).clamp(low, high - 1)
                }
                (low, high) => {
                    let (a, b) = ((-low as f64).ln(), (-high as f64).ln());
                    (-((a + b) / 2.0).exp() as i128).clamp(low, high - 1)
                }
            };
            let (low, high): (Option<IntDomain>, Option<IntDomain>) =
                (set.clip(set.low, middle), set.clip(middle + 1, set.high));
            Some([Domain::Int(low?), Domain::Int(high?)])
        }
        Domain::Pointer(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{Leaf, LengthOptions, parse_signature};

    use super::*;

    fn leaf() -> Leaf {
        let signature = parse_signature("double f(int n)", &LengthOptions::default()).unwrap();
        signature.input_layout().leaves[0].clone()
    }

    fn part(low: i128, high: i128, open: &[usize], vain: u32) -> Part {
        let input = Input { leaf: leaf(), domain: Domain::Int(IntDomain::between(32, low, high)) };
        let open = open.iter().map(|site| (*site, Flags::OVERFLOW)).collect();
        Part { inputs: vec![input.clone(), input], open, next: 0, depth: 3, vain }
    }

    #[test]
    fn what_few_parts_have_open_comes_first() {
        let parts = [part(0, 1, &[0, 1], 0), part(2, 3, &[0, 1], 0), part(4, 5, &[0, 2], 0)];
        assert_eq!(best(&parts, 1), [2]);
        let vain = [part(0, 1, &[0, 1], 0), part(2, 3, &[0, 1], 0), part(4, 5, &[0, 2], 4)];
        assert_ne!(best(&vain, 1), [2]);
        assert_eq!(best(&vain, 5).len(), 3);
    }

    #[test]
    fn halves_are_disjoint_and_hold_everything() {
        let whole = part(-5, 9, &[0], 0);
        let [Domain::Int(low), Domain::Int(high)] = halves(&whole.inputs[0]).unwrap() else { panic!() };
        assert_eq!((low.low, low.high, high.low, high.high), (-5, -1, 0, 9));
        assert!(!part(4, 4, &[0], 0).is_divisible());
    }

    #[test]
    fn inputs_whose_splits_exclude_something_are_preferred() {
        let whole = part(0, 1000, &[0, 1, 2], 0);
        let mut gains = Gains::new(2);
        gains.note(0, &whole, &[whole.clone(), whole.clone()]);
        gains.note(1, &whole, &[part(0, 30, &[], 0), part(31, 1000, &[0], 0)]);
        assert_eq!(gains.choose(&whole).unwrap().0, 1);
        gains.note(1, &whole, &[whole.clone(), whole.clone()]);
        // Every third one is taken in turn.
        assert_eq!(gains.choose(&whole).unwrap().0, 0);
    }
}
