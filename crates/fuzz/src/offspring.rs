//! Offspring of a population: inputs beside one of several that score high.
//!
//! What a few roundings add up to hangs on the low bits of each number by itself, as if it were random, and on the rest as a smooth function does. So an
//! offspring has mostly one number changed, of which the high bits stay and the low ones are drawn anew, from one bit to nearly all; now and then two
//! numbers, all, or some that are another parent's; or numbers that have to do with each other ([`crate::Moves`]).

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::domain::{Domain, Variable};
use crate::moves::relate;
use crate::ordinary::uniform;
use crate::sampler::{draw_one, step};
use crate::space::Space;

/// Draws offspring.
#[derive(Clone, Debug)]
pub struct Offspring<'a> {
    space: &'a Space,
    random: Pcg64,
}

impl<'a> Offspring<'a> {
    /// Offspring within a space.
    pub fn new(space: &'a Space, seed: u64) -> Offspring<'a> {
        Offspring { space, random: Pcg64::seed_from_u64(seed ^ 0x6f66_6673_7072) }
    }

    /// An offspring of one of the parents, which is another number below their count. Conditions may refuse it.
    ///
    /// # Panics
    ///
    /// Where `of` is no parent's number.
    pub fn of(&mut self, parents: &[&[u8]], of: usize) -> Vec<u8> {
        let mut record = parents[of].to_vec();
        let (space, random) = (self.space, &mut self.random);
        if space.variables.is_empty() {
            return record;
        }
        match random.random_range(0..10u32) {
            0..=3 => change_one(space, &mut record, random),
            4 | 5 => {
                change_one(space, &mut record, random);
                change_one(space, &mut record, random);
            }
            6 => space.variables.iter().for_each(|variable| change(variable, &mut record, random)),
            7 => {
                let other = parents[random.random_range(0..parents.len())];
                for variable in &space.variables {
                    if random.random() {
                        variable.leaf.write(&mut record, variable.leaf.read(other));
                    }
                }
                change_one(space, &mut record, random);
            }
            _ => relate(space, &mut record, random),
        }
        record
    }
}

fn change_one(space: &Space, record: &mut [u8], random: &mut impl Rng) {
    change(&space.variables[random.random_range(0..space.variables.len())], record, random);
}

/// Changes one number.
fn change(variable: &Variable, record: &mut [u8], random: &mut impl Rng) {
    match random.random_range(0..16u32) {
        0..=9 => low_bits(variable, record, random),
        10..=13 => step(variable, record, random),
        14 => variable.leaf.write(record, uniform(&variable.domain, random)),
        _ => variable.leaf.write(record, draw_one(&variable.domain, random)),
    }
}

/// Draws some low bits of a number's place anew.
fn low_bits(variable: &Variable, record: &mut [u8], random: &mut impl Rng) {
    let Some(place) = variable.place(record) else { return };
    let bits = match variable.domain {
        Domain::Float { encoding, .. } => encoding.fraction_bits(),
        Domain::Int { bits, .. } => bits,
    };
    let mask = (1i128 << random.random_range(1..=bits.clamp(1, 63))) - 1;
    let magnitude = place.abs() & !mask | i128::from(random.random::<u64>()) & mask;
    variable.put(record, if place < 0 { -magnitude } else { magnitude });
}

#[cfg(test)]
mod tests {
    use labrys_program::{FloatType, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};

    use super::*;
    use crate::domain::InputClass;

    fn space() -> Space {
        let parameter =
            |name: &str, scalar| Parameter { name: name.to_owned(), ty: ParameterType::Value(Pointee::Scalar(scalar)) };
        let double = ScalarType::Float(FloatType::F64);
        let signature = Signature {
            name: "f".to_owned(),
            symbol: "f".to_owned(),
            parameters: vec![
                parameter("x", double),
                parameter("y", double),
                parameter("n", ScalarType::Int { bits: 32, signed: true }),
            ],
            result: ResultType::Void,
        };
        Space::new(&signature, InputClass::Finite)
    }

    #[test]
    fn offspring_stay_in_the_bounds_and_mostly_keep_what_is_large() {
        let space = space();
        let mut parents = [space.origin(), space.origin()];
        for (parent, values) in parents.iter_mut().zip([[1.5, -3.0], [0.25, 8.0]]) {
            for (variable, value) in space.variables.iter().zip(values) {
                variable.leaf.write(parent, f64::to_bits(value).into());
            }
        }
        let parents: Vec<&[u8]> = parents.iter().map(Vec::as_slice).collect();
        let draw = || {
            let mut offspring = Offspring::new(&space, 7);
            (0..2000).map(|_| offspring.of(&parents, 0)).collect::<Vec<_>>()
        };
        let drawn = draw();
        assert_eq!(drawn, draw());
        assert!(drawn.iter().all(|record| space.admits(record)));
        let x = |record: &Vec<u8>| f64::from_bits(space.variables[0].leaf.read(record) as u64);
        let is_near = |record: &&Vec<u8>| x(record) != 1.5 && (x(record) - 1.5).abs() < 1e-9;
        let has_moved = |record: &&Vec<u8>| x(record) != 1.5;
        let (near, moved) = (drawn.iter().filter(is_near).count(), drawn.iter().filter(has_moved).count());
        assert!(near > 100 && moved - near > 300, "{near} of {moved}");
        assert!(drawn.iter().any(|record| x(record) == 0.25), "nothing is the other parent's");
    }
}
