//! Random numbers for tests.

use rand::distr::uniform::{SampleRange, SampleUniform};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Random numbers whose sequence is the same for a seed in every run and on every machine (PCG64; O'Neill, "PCG: A family of
/// simple fast space-efficient statistically good algorithms for random number generation", 2014).
///
/// ```
/// use labrys_formulas::Random;
///
/// let (mut one, mut other) = (Random::new(7), Random::new(7));
/// assert!((0..9).all(|_| one.below(5) == other.below(5)));
/// ```
#[derive(Clone, Debug)]
pub struct Random(Pcg64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(Pcg64::seed_from_u64(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 on, below a bound that is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.random_range(0..bound)
    }

    /// The same for more numbers than a word counts.
    pub fn wide_below(&mut self, bound: u128) -> u128 {
        self.0.random_range(0..bound)
    }

    /// A number of any type in a range that is not empty.
    pub fn within<T: SampleUniform>(&mut self, range: impl SampleRange<T>) -> T {
        self.0.random_range(range)
    }

    /// Whether something of that probability comes up.
    pub fn likely(&mut self, probability: f64) -> bool {
        self.0.random_bool(probability)
    }

    /// Whether one case in so many comes up.
    pub fn once_in(&mut self, among: usize) -> bool {
        self.below(among) == 0
    }

    /// One of some, of which there are any.
    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}
