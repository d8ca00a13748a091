//! Values to try: special numbers, every order of magnitude, and what constraints suggest.

use labrys_term::algebraic::Dyadic;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::grid::Grid;
use crate::local::random::Random;

/// Exponents of samples of moderate size lie between these: where functions do what is particular to them.
const MODERATE: i64 = 12;

/// A number below `bound`, which is positive; of a hundred bits of chance.
fn below(bound: &BigInt, random: &mut Random) -> BigInt {
    let fraction = (BigInt::from(random.bits()) << 64u32) + random.bits();
    (bound * fraction) >> 128u32
}

/// A place between two, both included.
fn between(from: &BigInt, to: &BigInt, random: &mut Random) -> BigInt {
    let width: BigInt = to - from + BigInt::one();
    if width.is_positive() { from + below(&width, random) } else { from.clone() }
}

/// The place of a number of either sign with a random exponent between two.
fn magnitude(grid: &Grid, low: i64, high: i64, random: &mut Random) -> BigInt {
    let exponent = low + random.below((high - low).unsigned_abs() + 1) as i64;
    let fraction = BigRational::new(BigInt::from(random.below(1 << 20)), BigInt::one() << 20u32);
    let value = (BigRational::one() + fraction) * Dyadic::power_of_two(exponent).to_rational();
    grid.floor(&if random.once_in(2) { -value } else { value })
}

/// The place of a small whole or half number.
fn simple(grid: &Grid, random: &mut Random) -> BigInt {
    let value = BigRational::new(BigInt::from(random.below(33) as i64 - 16), BigInt::from(1 + random.below(2)));
    grid.floor(&value)
}

/// Places to sample a line at: a third of moderate size, a third spread evenly over all places, a third by chance.
pub(super) fn samples(grid: &Grid, count: usize, random: &mut Random) -> Vec<BigInt> {
    let (first, last) = grid.ends();
    let width: BigInt = &last - &first;
    let third = count / 3 + 1;
    let mut places = Vec::with_capacity(3 * third + 40);
    for i in 0..third {
        places.push(magnitude(grid, -MODERATE, MODERATE, random));
        places.push(&first + &width * i / third);
        places.push(between(&first, &last, random));
    }
    for n in -16..=16 {
        places.push(grid.floor(&BigRational::from_integer(BigInt::from(n))));
    }
    places.retain(|place| first <= *place && *place <= last);
    places
}

/// The attempt that [`choose`]s the middle.
pub(super) const MIDDLE: u32 = 4;

/// One of the places in `ranges`, another for each `attempt`: numbers of moderate size, simple ones, suggested ones, ends of
/// ranges, the middle of the widest range (whose neighbours survive rounding), and any, as far as the ranges have such.
///
/// `None` where there is none.
pub(super) fn choose(
    grid: &Grid,
    ranges: &[(BigInt, BigInt)],
    attempt: u32,
    hints: &[BigInt],
    random: &mut Random,
) -> Option<BigInt> {
    let widest = ranges.iter().max_by_key(|(from, to)| to - from)?;
    let (from, to) = ranges.get(random.index(ranges.len()))?;
    let inside = |place: &BigInt| ranges.iter().any(|(from, to)| from <= place && place <= to);
    let wanted = match attempt % 8 {
        0 | 5 => magnitude(grid, -MODERATE, MODERATE, random),
        1 => simple(grid, random),
        2 | 6 => hints.get(random.index(hints.len())).cloned().unwrap_or_else(BigInt::zero),
        3 => {
            if random.once_in(2) {
                from.clone()
            } else {
                to.clone()
            }
        }
        MIDDLE => (&widest.0 + &widest.1) >> 1u32,
        _ => between(from, to, random),
    };
    Some(if inside(&wanted) { wanted } else { between(from, to, random) })
}

/// The place in `ranges` that is nearest to a given one.
pub(super) fn nearest(ranges: &[(BigInt, BigInt)], place: &BigInt) -> Option<BigInt> {
    let clamped = ranges.iter().map(|(from, to)| place.clamp(from, to));
    clamped.min_by_key(|inside| (*inside - place).magnitude().clone()).cloned()
}
