//! Random changes of corpus entries, by what tends to matter to floating-point code: ulps, exponents, equal and opposite
//! values, common factors.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::corpus::Corpus;
use crate::domain::{Domain, Variable};
use crate::neighbours::{negate, shift};
use crate::sampler::{draw_one, special, step};
use crate::space::Space;

/// How many mutants are tried for one that the space admits.
const TRIES: usize = 16;
/// Exponent shifts that are drawn as often as all others together.
const SHIFTS: [i64; 7] = [1, 2, 3, 10, 24, 52, 53];

/// Makes new inputs from a corpus.
#[derive(Clone, Debug)]
pub struct Mutator<'a> {
    space: &'a Space,
    random: Pcg64,
}

impl<'a> Mutator<'a> {
    /// A mutator within a space.
    pub fn new(space: &'a Space, seed: u64) -> Mutator<'a> {
        Mutator { space, random: Pcg64::seed_from_u64(seed) }
    }

    /// A changed entry of the corpus. It is in the space if the entry is; where many changes of it leave the space, it
    /// is the entry unchanged. From an empty corpus it is [`Space::origin`].
    pub fn mutate<F: Copy + Eq + std::hash::Hash>(&mut self, corpus: &mut Corpus<F>) -> Vec<u8> {
        let Some(parent) = corpus.pick(&mut self.random) else {
            return self.space.origin();
        };
        let parent = parent.to_vec();
        if self.space.variables.is_empty() || parent.len() != self.space.record_size() {
            return parent;
        }
        for _ in 0..TRIES {
            let mut mutant = parent.clone();
            // One change half of the time, two a quarter of the time, …
            let changes = 1 + self.random.random::<u8>().trailing_ones();
            for _ in 0..changes {
                let partner = corpus.any(&mut self.random).filter(|partner| partner.len() == mutant.len());
                change(self.space, &mut mutant, partner, &mut self.random);
            }
            if mutant != parent && self.space.admits(&mutant) {
                return mutant;
            }
        }
        parent
    }
}

fn choose<'v>(space: &'v Space, random: &mut impl Rng) -> &'v Variable {
    &space.variables[random.random_range(0..space.variables.len())]
}

/// A signed power of two to scale by.
fn power(random: &mut impl Rng) -> i64 {
    let magnitude = match random.random_range(0..4) {
        0 | 1 => SHIFTS[random.random_range(0..SHIFTS.len())],
        2 => random.random_range(1..=64),
        _ => random.random_range(1..=1100),
    };
    if random.random() { magnitude } else { -magnitude }
}

/// One random change.
fn change(space: &Space, record: &mut [u8], partner: Option<&[u8]>, random: &mut impl Rng) {
    let variable = choose(space, random);
    match random.random_range(0..16) {
        0 | 1 => {
            let up = if random.random() { 1 } else { -1 };
            if let Some(place) = variable.place(record) {
                variable.put(record, place + up);
            }
        }
        2 => step(variable, record, random),
        3 | 4 => shift(variable, record, power(random)),
        5 => flip_bit(variable, record, random),
        6 => negate(variable, record),
        7 => variable.leaf.write(record, special(&variable.domain, random)),
        8 => variable.leaf.write(record, draw_one(&variable.domain, random)),
        9 => copy_between_leaves(space, variable, record, random),
        10 => scale_together(space, record, random),
        11 => shift_oppositely(space, variable, record, random),
        12 => drop_low_bits(variable, record, random),
        13 => interpolate(variable, record, partner, random),
        _ => cross(space, record, partner, random),
    }
}

/// Flips one bit of a float's fraction or of an integer.
fn flip_bit(variable: &Variable, record: &mut [u8], random: &mut impl Rng) {
    let width = match variable.domain {
        Domain::Float { encoding, .. } => encoding.fraction_bits(),
        Domain::Int { bits, .. } => bits,
    };
    let bits = variable.leaf.read(record) ^ 1 << random.random_range(0..width);
    if let Some(place) = variable.domain.place(bits) {
        variable.put(record, place);
    }
}

/// Gives a leaf another leaf's value, as it is, negated, or an ulp beside it.
fn copy_between_leaves(space: &Space, to: &Variable, record: &mut [u8], random: &mut impl Rng) {
    let from = choose(space, random);
    if from.leaf.scalar != to.leaf.scalar {
        return;
    }
    let bits = from.leaf.read(record);
    to.leaf.write(record, bits);
    match random.random_range(0..4) {
        0 => negate(to, record),
        1 => {
            if let Some(place) = to.place(record) {
                to.put(record, place + random.random_range(-1i128..=1));
            }
        }
        _ => {}
    }
}

/// Multiplies all floats by one power of two: keeps their ratios, moves their products.
fn scale_together(space: &Space, record: &mut [u8], random: &mut impl Rng) {
    let power = power(random);
    for variable in space.variables.iter().filter(|variable| variable.is_float()) {
        shift(variable, record, power);
    }
}

/// Multiplies one leaf and divides another: keeps their product, moves their ratio.
fn shift_oppositely(space: &Space, variable: &Variable, record: &mut [u8], random: &mut impl Rng) {
    let power = power(random);
    shift(variable, record, power);
    shift(choose(space, random), record, -power);
}

/// Clears the low half, or so, of a float's significand.
fn drop_low_bits(variable: &Variable, record: &mut [u8], random: &mut impl Rng) {
    if let (Domain::Float { encoding, .. }, Some(place)) = (variable.domain, variable.place(record)) {
        let mask = (1i128 << random.random_range(1..=encoding.fraction_bits())) - 1;
        variable.put(record, place.signum() * (place.abs() & !mask));
    }
}

/// Moves a leaf toward its value in another entry: uniformly in ordinals, so in the exponent.
fn interpolate(variable: &Variable, record: &mut [u8], partner: Option<&[u8]>, random: &mut impl Rng) {
    let ends = partner.and_then(|partner| Some((variable.place(record)?, variable.place(partner)?)));
    if let Some((a, b)) = ends {
        variable.put(record, random.random_range(a.min(b)..=a.max(b)));
    }
}

/// Takes each leaf from another entry with an even chance.
fn cross(space: &Space, record: &mut [u8], partner: Option<&[u8]>, random: &mut impl Rng) {
    let Some(partner) = partner else { return };
    for variable in &space.variables {
        if random.random() {
            variable.leaf.write(record, variable.leaf.read(partner));
        }
    }
}
