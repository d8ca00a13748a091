//! Values that make a comparison, an equality or a classification true or false.

use labrys_float::Packed;

use super::super::bounds::Bounds;
use super::super::program::{Kind, Operation, mask, signed};
use super::super::random::Random;

/// A value equal to `other`, or another.
pub(super) fn equal(kind: &Kind, other: u64, truth: bool, random: &mut Random) -> u64 {
    if truth {
        return other;
    }
    let sample = Bounds::top(kind).sample(random);
    match kind {
        Kind::Bits(width) if random.once_in(2) => other ^ (1 << random.below(u64::from(*width))),
        Kind::Float(packed) if random.once_in(2) && !packed.is_nan(other) => packed.next_up(other),
        _ if sample != other => sample,
        Kind::Bool => other ^ 1,
        _ => 0,
    }
}

/// A number on the wanted side of a bound: `below` it, or not; `None` where there is none.
fn beside(
    bound: i128,
    below: bool,
    strict: bool,
    (least, greatest): (i128, i128),
    random: &mut Random,
) -> Option<i128> {
    let step = i128::from(strict) + if random.once_in(3) { 0 } else { i128::from(random.scaled(64)) };
    let number = if below { bound - step } else { bound + step };
    let allowed = if below { bound - i128::from(strict) >= least } else { bound + i128::from(strict) <= greatest };
    allowed.then(|| number.clamp(least, greatest))
}

/// Whether the argument at `index` must lie below the other one, and whether strictly, for `left < right` or `≤` to be `truth`.
fn side(strict: bool, index: usize, truth: bool) -> (bool, bool) {
    ((index == 0) == truth, strict == truth)
}

pub(super) fn bit_vector(
    operation: Operation,
    width: u32,
    index: usize,
    other: u64,
    truth: bool,
    random: &mut Random,
) -> Option<u64> {
    let strict = matches!(operation, Operation::BvUlt | Operation::BvSlt);
    let (below, strict) = side(strict, index, truth);
    if matches!(operation, Operation::BvUlt | Operation::BvUle) {
        let number = beside(other.into(), below, strict, (0, mask(width).into()), random)?;
        return Some(number as u64);
    }
    let half = 1i128 << (width - 1);
    let number = beside(signed(width, other).into(), below, strict, (-half, half - 1), random)?;
    Some(number as u64 & mask(width))
}

pub(super) fn float(
    operation: Operation,
    packed: &Packed,
    index: usize,
    other: u64,
    truth: bool,
    random: &mut Random,
) -> Option<u64> {
    let place = match packed.ordinal(other) {
        Some(place) => i128::from(place),
        None if truth => return None,
        None => return Some(Bounds::top(&Kind::Float(*packed)).sample(random)),
    };
    let end = i128::from(packed.infinity(false));
    let signed_zero = |value: u64, random: &mut Random| {
        if packed.is_zero(value) { packed.zero(random.once_in(2)) } else { value }
    };
    let number = match operation {
        _ if !truth && random.once_in(20) => return Some(packed.nan()),
        Operation::FpEq if truth => place,
        Operation::FpEq => {
            let below = random.once_in(2);
            beside(place, below, true, (-end, end), random)
                .or_else(|| beside(place, !below, true, (-end, end), random))?
        }
        _ => {
            let (below, strict) = side(operation == Operation::FpLt, index, truth);
            beside(place, below, strict, (-end, end), random)?
        }
    };
    Some(signed_zero(packed.from_ordinal(number as i64), random))
}

/// A float in or outside a class, close to the present one where that has a meaning.
pub(super) fn class(operation: Operation, packed: &Packed, now: u64, truth: bool, random: &mut Random) -> u64 {
    let sample = Bounds::top(&Kind::Float(*packed)).sample(random);
    let sign = if packed.is_nan(now) { packed.zero(random.once_in(2)) } else { now & packed.zero(true) };
    let number = if packed.is_nan(now) { packed.abs(sample) } else { packed.abs(now) };
    match (operation, truth) {
        (Operation::FpIsNan, true) => packed.nan(),
        (Operation::FpIsNan, false) => sample,
        (Operation::FpIsInfinite, true) => packed.infinity(random.once_in(2)),
        (Operation::FpIsZero, true) => packed.zero(random.once_in(2)),
        (Operation::FpIsNormal, true) => sign | number.clamp(packed.min_normal(), packed.max_finite(false)),
        (Operation::FpIsSubnormal, true) => sign | (1 + random.below(packed.min_normal() - 1)),
        (Operation::FpIsNegative, true) | (Operation::FpIsPositive, false) => packed.zero(true) | number,
        (Operation::FpIsPositive, true) | (Operation::FpIsNegative, false) => number,
        _ => sample,
    }
}
