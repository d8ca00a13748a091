//! Changes of a wide variable that look at nothing but its value: those of [`crate::local::perturb`].

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{Table, WideBounds, mask, uniform, wrap};
use crate::local::random::Random;

/// Another value of a variable whose value has the handle `now`; `literals` are the handles of the query's of this width.
pub(in crate::local) fn perturb(
    bounds: &WideBounds,
    now: u64,
    literals: &[u64],
    table: &mut Table,
    random: &mut Random,
) -> BigUint {
    let width = bounds.width;
    let bits = table.bits(now);
    let power = |random: &mut Random| BigUint::one() << random.below(width.into());
    match random.below(10) {
        0..3 => bits ^ power(random),
        3..6 => {
            let (bits, step) = (BigInt::from(bits.clone()), BigInt::from(power(random)));
            wrap(width, &if random.once_in(2) { bits + step } else { bits - step })
        }
        6 => match random.pick(literals) {
            Some(literal) => table.bits(literal).clone(),
            None => uniform(width, random),
        },
        7 if random.once_in(2) => mask(width) ^ bits,
        7 => wrap(width, &-BigInt::from(bits.clone())),
        8 => {
            let landmarks = bounds.landmarks();
            landmarks.get(random.index(landmarks.len())).cloned().unwrap_or(BigUint::ZERO)
        }
        _ => bounds.sample(random),
    }
}
