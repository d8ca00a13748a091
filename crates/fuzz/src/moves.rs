//! The way from one input to another, and small and large steps away from one: in ordinals, so that a step may be an ulp.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::domain::Domain;
use crate::space::Space;

/// The record half-way between two, each leaf by its ordinals; one that is a NaN in either stays as it is in `a`. `None` where no leaf
/// has anything in between: the records are neighbours.
pub fn midpoint(space: &Space, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    let mut record = a.to_vec();
    let mut moved = false;
    for variable in &space.variables {
        let (Some(from), Some(to)) = (variable.place(a), variable.place(b)) else { continue };
        let middle = from + (to - from) / 2;
        // Of two neighbours either may be the half-way one of the others.
        moved |= middle != from;
        variable.put(&mut record, middle);
    }
    moved.then_some(record)
}

/// Draws records some steps away from one.
#[derive(Clone, Debug)]
pub struct Moves<'a> {
    space: &'a Space,
    random: Pcg64,
}

impl<'a> Moves<'a> {
    /// Moves within a space.
    pub fn new(space: &'a Space, seed: u64) -> Moves<'a> {
        Moves { space, random: Pcg64::seed_from_u64(seed) }
    }

    /// Records in which one leaf, now and then two or all, have moved by steps of random directions, their sizes log-uniform in
    /// ordinals; or some have become another one's copies, negations, or what is just about lost in a sum with it. All are in the
    /// space.
    pub fn around(&mut self, record: &[u8], count: usize) -> Vec<Vec<u8>> {
        let variables = &self.space.variables;
        if variables.is_empty() {
            return Vec::new();
        }
        let mut moved = Vec::with_capacity(count);
        for _ in 0..count {
            let mut next = record.to_vec();
            match self.random.random_range(0..10) {
                8 | 9 => relate(self.space, &mut next, &mut self.random),
                0 => variables.iter().for_each(|variable| self.random_step(variable, &mut next)),
                1 | 2 => {
                    for _ in 0..2 {
                        let chosen = self.random.random_range(0..variables.len());
                        self.random_step(&variables[chosen], &mut next);
                    }
                }
                _ => {
                    let chosen = self.random.random_range(0..variables.len());
                    self.random_step(&variables[chosen], &mut next);
                }
            }
            if self.space.admits(&next) {
                moved.push(next);
            }
        }
        moved
    }

    fn random_step(&mut self, variable: &crate::domain::Variable, record: &mut [u8]) {
        let Some(place) = variable.place(record) else { return };
        let (low, high) = variable.domain.bounds();
        let size = 1i128 << self.random.random_range(0..=(high - low).max(1).ilog2());
        let distance = self.random.random_range(size..=2 * size - 1);
        variable.put(record, if self.random.random() { place + distance } else { place - distance });
    }
}

/// Makes one float, some or all the others a multiple of one of them: ±1, or as large as half a unit in its last place, or its root, for sums
/// of squares, give or take a few steps.
pub(crate) fn relate(space: &Space, record: &mut [u8], random: &mut impl Rng) {
    let variables = &space.variables;
    let chosen = random.random_range(0..variables.len());
    let Some(place) = variables[chosen].place(record).filter(|place| *place != 0) else { return };
    let Domain::Float { encoding, .. } = variables[chosen].domain else { return };
    let bits = i64::from(encoding.carrier_fraction_bits());
    let power = match random.random_range(0..4) {
        0 => 0,
        1 => -bits / 2 - random.random_range(0..3i64),
        _ => -bits - random.random_range(0..3i64),
    };
    let related = encoding.scale(place, power);
    let related = if random.random() { -related } else { related };
    let (targets, nudge) = (random.random_range(0..3), random.random_range(-2..=2i128));
    let one = random.random_range(0..variables.len());
    for (index, variable) in variables.iter().enumerate() {
        let is_target = match targets {
            0 => index == one,
            1 => random.random(),
            _ => true,
        };
        // Only among numbers that are encoded alike is a place the same number.
        if index != chosen
            && is_target
            && matches!(variable.domain, Domain::Float { encoding: of, .. } if of == encoding)
        {
            variable.put(record, related + nudge);
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{FloatType, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};

    use super::*;
    use crate::domain::InputClass;

    fn space() -> Space {
        let ty = ParameterType::Value(Pointee::Scalar(ScalarType::Float(FloatType::F64)));
        let parameter = |name: &str| Parameter { name: name.to_owned(), ty: ty.clone() };
        let signature = Signature {
            name: "f".to_owned(),
            symbol: "f".to_owned(),
            parameters: vec![parameter("x"), parameter("y")],
            result: ResultType::Void,
        };
        Space::new(&signature, InputClass::All)
    }

    fn record(space: &Space, values: [f64; 2]) -> Vec<u8> {
        let mut record = space.origin();
        for (variable, value) in space.variables.iter().zip(values) {
            variable.leaf.write(&mut record, value.to_bits().into());
        }
        record
    }

    fn values(space: &Space, record: &[u8]) -> Vec<f64> {
        space.variables.iter().map(|variable| f64::from_bits(variable.leaf.read(record) as u64)).collect()
    }

    #[test]
    fn halving_ends_at_neighbours() {
        let space = space();
        // Where the sum of the leaves becomes positive.
        let sum = |record: &[u8]| -> f64 { values(&space, record).iter().sum() };
        let (mut low, mut high) = (record(&space, [-1e300, 0.75]), record(&space, [5.0, 2.0]));
        let mut rounds = 0;
        while let Some(middle) = midpoint(&space, &low, &high) {
            let end = if sum(&middle) > 0.0 { &mut high } else { &mut low };
            *end = middle;
            rounds += 1;
            assert!(rounds < 200);
        }
        assert!(sum(&low) <= 0.0 && sum(&high) > 0.0 && sum(&high) < 1e-13);
        let not_a_number = record(&space, [f64::NAN, 1.0]);
        assert_eq!(midpoint(&space, &not_a_number, &record(&space, [1.0, 1.0])), None);
    }

    #[test]
    fn moves_stay_in_the_space_and_reach_far_and_near() {
        let mut space = space();
        space.assume(|record| record[7] & 0x80 == 0);
        let from = record(&space, [1.0, 1.0]);
        let moved = Moves::new(&space, 1).around(&from, 1000);
        assert!(moved.len() > 300 && moved.iter().all(|record| space.admits(record)));
        let x = |record: &Vec<u8>| values(&space, record)[0];
        assert!(moved.iter().any(|record| x(record) > 1e100));
        assert!(moved.iter().any(|record| x(record) != 1.0 && (x(record) - 1.0).abs() < 1e-12));
    }
}
