//! Inputs whose numbers have to do with each other: few magnitudes, each with both signs, and zeros.
//!
//! What large numbers absorb and what they leave behind when they cancel is seen where they do cancel, and numbers that were drawn
//! one by one do not. So some elements are drawn, their negations put beside them, and all others are zero, or so small that a
//! sum with a large one loses them whole or in part.

use rand::{Rng, RngExt};

use crate::domain::{Domain, Variable};
use crate::ordinary::draw_ordinary;
use crate::sampler::draw_one;
use crate::space::Space;

/// Magnitudes of a record at most.
const MAGNITUDES: usize = 4;
/// Pairs of opposite numbers of one magnitude at most.
const PAIRS: usize = 3;

/// A record of few magnitudes within the bounds; where there are no two floats that are encoded alike it is like any other.
pub(crate) fn draw_related(space: &Space, random: &mut impl Rng) -> Vec<u8> {
    let mut record = draw_ordinary(space, random);
    let encodings: Vec<_> = space.variables.iter().filter_map(encoding_of).collect();
    let Some(&encoding) = encodings.get(random.random_range(0..encodings.len().max(1))) else { return record };
    let alike: Vec<&Variable> =
        space.variables.iter().filter(|variable| encoding_of(variable) == Some(encoding)).collect();
    if alike.len() < 2 {
        return record;
    }
    let bits = i64::from(encoding.carrier_fraction_bits());
    let place_of = |variable: &Variable, bits: u128| variable.domain.place(bits).unwrap_or_default();
    let first = alike[random.random_range(0..alike.len())];
    let largest = match random.random() {
        true => place_of(first, draw_one(&first.domain, random)),
        false => first.place(&record).unwrap_or_default(),
    };
    let rest = match random.random_range(0..4) {
        0 => encoding.scale(largest, -bits - random.random_range(0..4i64)),
        _ => 0,
    };
    alike.iter().for_each(|variable| variable.put(&mut record, rest));
    for magnitude in 0..random.random_range(1..=MAGNITUDES) {
        let value = match magnitude {
            0 => largest,
            _ if random.random() => encoding.scale(largest, -random.random_range(0..=3 * bits)),
            _ => place_of(first, draw_one(&first.domain, random)),
        };
        // Both signs, or now and then only one.
        let copies = match random.random_range(0..4) {
            0 => 1,
            _ => 2 * random.random_range(1..=PAIRS.min(alike.len() / 2)),
        };
        for copy in 0..copies {
            let variable = alike[random.random_range(0..alike.len())];
            variable.put(&mut record, if copy % 2 == 0 { value } else { -value });
        }
    }
    record
}

fn encoding_of(variable: &Variable) -> Option<crate::encoding::Encoding> {
    match variable.domain {
        Domain::Float { encoding, .. } => Some(encoding),
        Domain::Int { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{
        Access, FloatType, Length, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature,
    };
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::domain::InputClass;

    /// One in some records of twenty floats has a sum that is small beside its largest element, and is not zero.
    #[test]
    fn sums_cancel_and_leave_something() {
        let double = Pointee::Scalar(ScalarType::Float(FloatType::F64));
        let ty = ParameterType::Pointer { pointee: double, length: Length::Fixed(20), access: Access::In };
        let signature = Signature {
            name: "f".to_owned(),
            symbol: "f".to_owned(),
            parameters: vec![Parameter { name: "x".to_owned(), ty }],
            result: ResultType::Void,
        };
        let space = Space::new(&signature, InputClass::Finite);
        let mut random = Pcg64::seed_from_u64(1);
        let mut cancelling = 0;
        for _ in 0..200 {
            let record = draw_related(&space, &mut random);
            assert!(space.admits(&record));
            let mut values: Vec<f64> =
                space.leaves().map(|leaf| f64::from_bits(leaf.read(&record) as u64)).filter(|x| *x != 0.0).collect();
            values.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
            // Opposite numbers stand side by side then.
            let mut left: Vec<f64> = Vec::new();
            for value in values.iter().copied() {
                match left.last() {
                    Some(last) if *last == -value => drop(left.pop()),
                    _ => left.push(value),
                }
            }
            let largest = values.first().copied().unwrap_or_default().abs();
            cancelling += usize::from(left.first().is_some_and(|left| left.abs() < largest));
        }
        assert!(cancelling > 10, "{cancelling}");
    }
}
