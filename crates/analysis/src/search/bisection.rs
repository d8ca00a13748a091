//! Bisection: between two inputs on which a program behaves differently there are two neighbours on which it does, too. At such places
//! builds disagree: about which branch is taken, what overflows, which way a sum is rounded that cancels.

use labrys_fuzz::{Space, midpoint};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rustc_hash::FxHashMap;

/// Ways that are halved at a time.
const WAYS: usize = 32;
/// How often each is halved in one round of the search.
pub const HALVINGS: usize = 16;
/// How often ways are halved until their ends are neighbours: floats of 64 bits have as many ordinals.
pub const WHOLE_WAY: usize = 64;
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
    /// The behaviours seen, each with some of its inputs.
    known: Vec<(u64, Vec<Vec<u8>>)>,
    /// How many inputs of each.
    kept: usize,
    of: FxHashMap<u64, usize>,
    ways: Vec<Way>,
}

impl Bisection {
    /// Nothing was run yet; of each behaviour so many inputs will be kept, at least one.
    pub fn new(seed: u64, kept: usize) -> Bisection {
        let random = Pcg64::seed_from_u64(seed ^ 0x6269_7365_6374);
        Bisection { random, kept, known: Vec::new(), of: FxHashMap::default(), ways: Vec::new() }
    }

    /// Whether there are no two behaviours yet.
    pub fn is_empty(&self) -> bool {
        self.known.len() < 2
    }

    /// How an input behaved.
    pub fn learn(&mut self, record: &[u8], behaviour: u64) {
        match self.of.get(&behaviour) {
            Some(&index) if self.known[index].1.len() < self.kept => self.known[index].1.push(record.to_vec()),
            // Another input of it now and then, so that other ways are gone.
            Some(&index) if self.random.random_ratio(1, 64) => {
                let known = &mut self.known[index].1;
                let place = chosen(&mut self.random, known.len());
                known[place] = record.to_vec();
            }
            Some(_) => {}
            None if self.known.len() < BEHAVIOURS => {
                self.of.insert(behaviour, self.known.len());
                self.known.push((behaviour, vec![record.to_vec()]));
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
            let behaviour = self.known[from].0;
            let [low, high] = [from, to].map(|index| {
                let known = &self.known[index].1;
                known[chosen(&mut self.random, known.len())].clone()
            });
            let middle = midpoint(space, &low, &high);
            self.ways.push(Way { low, high, behaviour, middle });
        }
        self.ways.iter().filter_map(|way| way.middle.clone()).collect()
    }

    /// Halves the ways whose middles were run. One that was not, because it was run before or is not in the domain, is given up.
    pub fn halve<'s>(&mut self, shown: impl Iterator<Item = (&'s [u8], u64)>) {
        let shown: FxHashMap<&[u8], u64> = shown.collect();
        self.ways.retain_mut(|way| {
            let Some(middle) = way.middle.take() else { return false };
            let Some(behaviour) = shown.get(&middle[..]) else { return false };
            *(if *behaviour == way.behaviour { &mut way.low } else { &mut way.high }) = middle;
            true
        });
    }
}

/// A random place among so many, where there is a choice.
fn chosen(random: &mut Pcg64, count: usize) -> usize {
    if count > 1 { random.random_range(0..count) } else { 0 }
}
