//! Plain sampling of the whole search domain.
//!
//! Of eight records five are drawn by magnitude: floats are uniform in their ordinals, that is log-uniform in magnitude over the whole
//! exponent range (or the leaf's bounds) with random significands and signs; one in sixteen is a special value: zeros, infinities,
//! NaN, the ends of the range. Integers are small half of the time, else log-uniform. The other three are [ordinary](crate::ordinary).
//!
//! Conditions that few such inputs meet (`v >= -4.5 && v <= -0.3`) are met by a random walk: once an admitted record is known, single
//! leaves move by steps whose size is log-uniform in ordinals, and refused moves are dropped. The walk stays within the domain, but
//! is not uniform over it.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::domain::{Domain, Variable};
use crate::ordinary::draw_ordinary;
use crate::related::draw_related;
use crate::space::Space;

/// Draws from the whole domain before the walk takes over.
const DIRECT_TRIES: usize = 8;
/// Draws for a first admitted record.
const FIRST_TRIES: usize = 4096;
/// Steps of the walk before the last admitted record is returned as it is.
const WALK_TRIES: usize = 64;
/// How many walkers there are.
const WALKERS: usize = 32;

/// Draws inputs.
#[derive(Clone, Debug)]
pub struct Sampler<'a> {
    space: &'a Space,
    random: Pcg64,
    /// Admitted records, where the space has conditions.
    walkers: Vec<Vec<u8>>,
    /// Which walker is replaced next.
    next: usize,
    /// Whether `FIRST_TRIES` draws met no admitted record.
    exhausted: bool,
}

impl<'a> Sampler<'a> {
    /// A sampler of a space.
    pub fn new(space: &'a Space, seed: u64) -> Sampler<'a> {
        Sampler { space, random: Pcg64::seed_from_u64(seed), walkers: Vec::new(), next: 0, exhausted: false }
    }

    /// An input as people use them. It is within the bounds; the space's conditions it need not meet.
    pub fn ordinary(&mut self) -> Vec<u8> {
        draw_ordinary(self.space, &mut self.random)
    }

    /// An input. It is in the space, unless the space has conditions and no record that meets them was found or
    /// [learnt](Sampler::learn).
    pub fn sample(&mut self) -> Vec<u8> {
        if !self.space.has_conditions() {
            return draw(self.space, &mut self.random);
        }
        let tries = if self.walkers.is_empty() && !self.exhausted { FIRST_TRIES } else { DIRECT_TRIES };
        let mut last = Vec::new();
        for turn in 0..tries {
            // Conditions tend to speak of everyday numbers.
            last = if turn % 2 == 0 { draw(self.space, &mut self.random) } else { self.draw_plain() };
            if self.space.admits(&last) {
                self.learn(&last);
                return last;
            }
        }
        self.exhausted = true;
        self.walk().unwrap_or(last)
    }

    /// An input of corners: each leaf is a special value, a power of two or an end of its range, or a few steps from one; now and
    /// then it is like those of [`Sampler::sample`]. So is the whole where conditions refuse every such record that was tried.
    pub fn corner(&mut self) -> Vec<u8> {
        for _ in 0..DIRECT_TRIES {
            let mut record = self.space.origin();
            for variable in &self.space.variables {
                variable.leaf.write(&mut record, corner_of(&variable.domain, &mut self.random));
            }
            if self.space.admits(&record) {
                return record;
            }
        }
        self.sample()
    }

    /// An input of few magnitudes with both signs, the rest zero or tiny; like those of [`Sampler::sample`] where conditions refuse it.
    pub fn related(&mut self) -> Vec<u8> {
        let record = draw_related(self.space, &mut self.random);
        if self.space.admits(&record) { record } else { self.sample() }
    }

    /// Inputs with each special value of each leaf: zeros, NaN, infinities, ends of formats and ranges. First they are those of all
    /// leaves at once, then of one leaf each, where the others are [ordinary](Sampler::ordinary). Those that conditions refuse are left out.
    pub fn specials(&mut self) -> impl Iterator<Item = Vec<u8>> + use<'_, 'a> {
        let space = self.space;
        let variables = &space.variables;
        let ranks = variables.iter().map(|variable| variable.domain.specials().len()).max().unwrap_or(0);
        let alike = (0..ranks).map(|rank| (rank, 0..variables.len()));
        let alone = (0..ranks).flat_map(|rank| (0..variables.len()).map(move |which| (rank, which..which + 1)));
        let records = alike.chain(alone.filter(|_| variables.len() > 1)).filter_map(|(rank, which)| {
            let mut record = self.ordinary();
            let mut changed = false;
            for variable in &variables[which] {
                if let Some(bits) = variable.domain.specials().get(rank) {
                    variable.leaf.write(&mut record, *bits);
                    changed = true;
                }
            }
            changed.then_some(record)
        });
        records.filter(|record| space.admits(record))
    }

    /// Tells of a record in the space, such as a solver's model. Others are ignored.
    pub fn learn(&mut self, record: &[u8]) {
        if !self.space.admits(record) {
            return;
        }
        if self.walkers.len() < WALKERS {
            self.walkers.push(record.to_vec());
        } else {
            self.walkers[self.next] = record.to_vec();
        }
        self.next = (self.next + 1) % WALKERS;
    }

    fn walk(&mut self) -> Option<Vec<u8>> {
        if self.walkers.is_empty() || self.space.variables.is_empty() {
            return None;
        }
        let chosen = self.random.random_range(0..self.walkers.len());
        for _ in 0..WALK_TRIES {
            let mut moved = self.walkers[chosen].clone();
            let moves = 1 + self.random.random_range(0..self.space.variables.len().min(3));
            for _ in 0..moves {
                let variable = &self.space.variables[self.random.random_range(0..self.space.variables.len())];
                step(variable, &mut moved, &mut self.random);
            }
            if self.space.admits(&moved) {
                self.walkers[chosen].clone_from(&moved);
                return Some(moved);
            }
        }
        Some(self.walkers[chosen].clone())
    }

    /// Floats between −1000 and 1000 with few digits, integers small.
    fn draw_plain(&mut self) -> Vec<u8> {
        let mut record = self.space.origin();
        for variable in &self.space.variables {
            let bits = match variable.domain {
                Domain::Float { encoding, .. } => {
                    // n · 2^k with |n| ≤ 1000 and −9 ≤ k ≤ 0.
                    let whole = self.random.random_range(0..=1000i64);
                    let place = (0..10).rev().filter(|bit| whole >> bit & 1 == 1).fold(0, |sum: i128, bit| {
                        if sum == 0 { encoding.power_of_two(bit) } else { sum | fraction_bit(encoding, sum, bit) }
                    });
                    let place = encoding.scale(place, -self.random.random_range(0..10i64));
                    variable.domain.at(if self.random.random() { place } else { -place })
                }
                Domain::Int { .. } => small(&variable.domain, &mut self.random),
            };
            variable.leaf.write(&mut record, bits);
        }
        record
    }
}

/// The bit of weight 2^`bit` in the fraction of a number whose leading bit is known by its ordinal.
fn fraction_bit(encoding: crate::encoding::Encoding, ordinal: i128, bit: i64) -> i128 {
    let exponent = (ordinal >> encoding.fraction_bits()) as i64 - encoding.max_exponent();
    1 << (i64::from(encoding.fraction_bits()) - (exponent - bit))
}

/// A record within the bounds.
fn draw(space: &Space, random: &mut impl Rng) -> Vec<u8> {
    if random.random_ratio(3, 8) {
        return draw_ordinary(space, random);
    }
    let mut record = space.origin();
    for variable in &space.variables {
        variable.leaf.write(&mut record, draw_one(&variable.domain, random));
    }
    record
}

/// One value of a domain.
pub(crate) fn draw_one(domain: &Domain, random: &mut impl Rng) -> u128 {
    let (low, high) = domain.bounds();
    match domain {
        Domain::Float { .. } => {
            if random.random_ratio(1, 16) {
                return special(domain, random);
            }
            domain.at(random.random_range(low..=high.max(low)))
        }
        Domain::Int { bits, .. } => match random.random_range(0..8) {
            0..4 => small(domain, random),
            4 => special(domain, random),
            _ if high - low <= 256 => domain.at(random.random_range(low..=high.max(low))),
            _ => {
                let magnitude = random.random::<u64>() >> random.random_range(64 - bits..64);
                let value = i128::from(magnitude);
                domain.at(if low < 0 && random.random() { -value } else { value })
            }
        },
    }
}

/// A special value of a domain.
pub(crate) fn special(domain: &Domain, random: &mut impl Rng) -> u128 {
    let list = domain.specials();
    if list.is_empty() { domain.simplest() } else { list[random.random_range(0..list.len())] }
}

/// A value at a corner of a domain.
fn corner_of(domain: &Domain, random: &mut impl Rng) -> u128 {
    let bits = match random.random_range(0..8) {
        0 => return draw_one(domain, random),
        1 | 2 => match *domain {
            Domain::Float { encoding, .. } => {
                let greatest = encoding.max_exponent();
                let power = random.random_range(1 - greatest - i64::from(encoding.fraction_bits())..=greatest);
                let place = encoding.power_of_two(power);
                domain.at(if random.random() { place } else { -place })
            }
            Domain::Int { bits, .. } => {
                let power = 1i128 << random.random_range(0..bits);
                domain.at(if random.random() { power } else { -power })
            }
        },
        _ => special(domain, random),
    };
    match (domain.place(bits), random.random_range(0..3)) {
        (Some(place), 0) => domain.at(place + random.random_range(-3..=3)),
        _ => bits,
    }
}

/// An integer within 16 of the domain's member nearest to zero.
fn small(domain: &Domain, random: &mut impl Rng) -> u128 {
    let (low, high) = domain.bounds();
    let middle = domain.place(domain.simplest()).unwrap_or(0);
    let (from, to) = ((middle - 16).max(low), (middle + 16).min(high));
    domain.at(random.random_range(from..=to.max(from)))
}

/// Moves one leaf by a step whose size is log-uniform.
pub(crate) fn step(variable: &Variable, record: &mut [u8], random: &mut impl Rng) {
    let (low, high) = variable.domain.bounds();
    let place = variable.place(record).unwrap_or(0);
    let widest = (high - low).max(1).ilog2();
    let size = 1i128 << random.random_range(0..=widest);
    let distance = random.random_range(size..=2 * size - 1);
    variable.put(record, if random.random() { place + distance } else { place - distance });
}
