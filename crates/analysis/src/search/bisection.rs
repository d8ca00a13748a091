//! Bisection: between two inputs on which a program behaves differently there are two neighbours on which it does, too. At such places
//! builds disagree: about which branch is taken, what overflows, which way a sum is rounded that cancels.

use labrys_fuzz::{Space, midpoint};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rustc_hash::FxHashMap;

use super::judge::Seen;

/// Ways that are halved at a time.
const WAYS: usize = 32;
/// How often each is halved in one round of the search.
pub const HALVINGS: usize = 16;
/// Behaviours of which inputs are kept.
const BEHAVIOURS: usize = 256;

/// Two inputs that behave differently.
#[derive(Clone, Debug)]
struct Way {
    low: Vec<u8>,
    high: Vec<u8>,
    /// How `low` behaves.
    behaviour: u64,
    /// The input half-way, where it is being run.
    middle: Option<Vec<u8>>,
}

/// Ways between inputs that behave differently.
pub struct Bisection {
    random: Pcg64,
    /// The behaviours seen, each with one of its inputs, the last that was learnt when there was a choice.
    known: Vec<(u64, Vec<u8>)>,
    of: FxHashMap<u64, usize>,
    ways: Vec<Way>,
}

impl Bisection {
    /// Nothing was run yet.
    pub fn new(seed: u64) -> Bisection {
        let random = Pcg64::seed_from_u64(seed ^ 0x6269_7365_6374);
        Bisection { random, known: Vec::new(), of: FxHashMap::default(), ways: Vec::new() }
    }

    /// Whether there are no two behaviours yet.
    pub fn is_empty(&self) -> bool {
        self.known.len() < 2
    }

    /// What an input showed.
    pub fn learn(&mut self, record: &[u8], seen: &Seen) {
        match self.of.get(&seen.behaviour) {
            // Another input of it now and then, so that other ways are gone.
            Some(&index) if self.random.random_ratio(1, 64) => self.known[index].1 = record.to_vec(),
            Some(_) => {}
            None if self.known.len() < BEHAVIOURS => {
                self.of.insert(seen.behaviour, self.known.len());
                self.known.push((seen.behaviour, record.to_vec()));
            }
            None => {}
        }
    }

    /// The inputs half-way on all ways; ways whose ends are neighbours are replaced by new ones.
    pub fn middles(&mut self, space: &Space) -> Vec<Vec<u8>> {
        self.ways.iter_mut().for_each(|way| way.middle = midpoint(space, &way.low, &way.high));
        self.ways.retain(|way| way.middle.is_some());
        while self.ways.len() < WAYS && self.known.len() > 1 {
            let from = self.random.random_range(0..self.known.len());
            let to = self.random.random_range(0..self.known.len() - 1);
            let to = to + usize::from(to >= from);
            let (behaviour, low) = self.known[from].clone();
            let high = self.known[to].1.clone();
            let middle = midpoint(space, &low, &high);
            self.ways.push(Way { low, high, behaviour, middle });
        }
        self.ways.iter().filter_map(|way| way.middle.clone()).collect()
    }

    /// Halves the ways whose middles were run. One that was not, because it was run before or is not in the domain, is given up.
    pub fn halve(&mut self, shown: &[(Vec<u8>, Seen)]) {
        let shown: FxHashMap<&[u8], u64> = shown.iter().map(|(record, seen)| (&record[..], seen.behaviour)).collect();
        self.ways.retain_mut(|way| {
            let Some(middle) = way.middle.take() else { return false };
            let Some(behaviour) = shown.get(&middle[..]) else { return false };
            *(if *behaviour == way.behaviour { &mut way.low } else { &mut way.high }) = middle;
            true
        });
    }
}
