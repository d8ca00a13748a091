//! Inverse values of operators on bit vectors (Niemetz, Preiner, Biere, CAV 2016, section 3.2).

use labrys_float::RoundingMode;

use super::super::program::{Kind, Operation, mask, signed};
use super::super::random::Random;
use super::super::run::mode;
use super::site::Site;

/// The inverse of an odd number modulo 2^64. Each step doubles the correct low bits, from 3 to 96.
fn odd_inverse(number: u64) -> u64 {
    let mut inverse = number;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(number.wrapping_mul(inverse)));
    }
    inverse
}

/// A factor x with x·b = t modulo 2^width.
fn factor(width: u32, b: u64, t: u64, random: &mut Random) -> Option<u64> {
    if b == 0 {
        return (t == 0).then(|| random.bits());
    }
    let zeros = b.trailing_zeros();
    if t.trailing_zeros() < zeros && t != 0 {
        return None;
    }
    let low = (t >> zeros).wrapping_mul(odd_inverse(b >> zeros)) & mask(width - zeros);
    // The bits that the product's shift pushes out are free.
    let high = if zeros == 0 { 0 } else { random.bits() << (width - zeros) };
    Some(low | if random.once_in(2) { high } else { 0 })
}

/// A dividend, divisor or remainder's argument.
fn division(operation: Operation, index: usize, width: u32, other: u64, t: u64, random: &mut Random) -> Option<u64> {
    let all = mask(width);
    match (operation, index) {
        (Operation::BvUdiv, 0) => {
            let least = u128::from(other) * u128::from(t);
            let least = u64::try_from(least).ok().filter(|least| *least <= all && other != 0)?;
            Some(least + random.scaled(64).min(other - 1).min(all - least))
        }
        (Operation::BvUdiv, _) if t == 0 => (other < all).then(|| other + 1 + random.below(all - other)),
        (Operation::BvUdiv, _) if t == all => Some(0),
        (Operation::BvUdiv, _) => Some(other / t),
        (Operation::BvUrem, 0) if other == 0 => Some(t),
        (Operation::BvUrem, 0) => {
            let room = (all - t) / other;
            (t < other).then(|| t + other * random.scaled(64).min(room))
        }
        (Operation::BvUrem, _) => match other.checked_sub(t)? {
            0 => (other < all).then(|| other + 1 + random.below(all - other)),
            difference => (difference > t).then_some(difference),
        },
        (Operation::BvSdiv, 0) => Some(other.wrapping_mul(t)),
        (Operation::BvSdiv, _) => Some(signed(width, other).checked_div(signed(width, t))? as u64),
        (_, 0) => Some(t.wrapping_add(other.wrapping_mul(random.scaled(8)))),
        _ => Some(other.wrapping_sub(t)),
    }
}

/// A shifted vector or the distance of a shift.
fn shift(operation: Operation, index: usize, width: u32, other: u64, t: u64, random: &mut Random) -> Option<u64> {
    let arithmetic = operation == Operation::BvAshr;
    if index == 1 {
        let shifted = |by: u64| match operation {
            Operation::BvShl => other << by & mask(width),
            Operation::BvLshr => other >> by,
            _ => (signed(width, other) >> by) as u64 & mask(width),
        };
        let start = random.below(width.into());
        let distances = (0..u64::from(width)).map(|by| (by + start) % u64::from(width));
        let beyond =
            (if arithmetic && signed(width, other) < 0 { mask(width) } else { 0 } == t).then_some(width.into());
        return distances.into_iter().find(|by| shifted(*by) == t).or(beyond);
    }
    if other >= u64::from(width) {
        return (t == 0).then(|| random.bits());
    }
    let free = random.bits();
    match operation {
        // Bits above or below the window are free.
        Operation::BvShl => {
            let window = mask(width) >> other;
            (t & mask(width) << other == t).then_some(t >> other | free & !window)
        }
        _ => {
            let window = mask(width) << other & mask(width);
            let value = t << other & mask(width);
            let back = if arithmetic { (signed(width, value) >> other) as u64 & mask(width) } else { value >> other };
            (back == t).then_some(value | free & !window)
        }
    }
}

/// Conversions whose argument is a bit vector.
fn conversion(site: &Site<'_>, width: u32, operands: &[u64; 4], target: u64) -> Option<u64> {
    let Kind::Float(packed) = site.result() else { return None };
    match site.operation() {
        Operation::FpFromBits => Some(target),
        Operation::FpFromSigned => packed.to_signed(RoundingMode::NearestEven, target, width).map(|bits| bits as u64),
        _ => packed.to_unsigned(mode(operands[0]), target, width).map(|bits| bits as u64),
    }
}

/// See [`super::argument`]; the argument has `width` bits.
pub(super) fn argument(
    site: &Site<'_>,
    width: u32,
    operands: &[u64; 4],
    target: u64,
    random: &mut Random,
) -> Option<u64> {
    let other = operands[1 - site.index.min(1)];
    let free = random.bits();
    let value = match site.operation() {
        Operation::BvNot => !target,
        Operation::BvNeg => target.wrapping_neg(),
        Operation::BvAdd => target.wrapping_sub(other),
        Operation::BvSub if site.index == 0 => target.wrapping_add(other),
        Operation::BvSub => other.wrapping_sub(target),
        Operation::BvXor => target ^ other,
        Operation::BvAnd => (target & !other == 0).then_some(target | free & !other)?,
        Operation::BvOr => (other & !target == 0).then_some(target & !other | free & other)?,
        Operation::BvMul => factor(width, other, target, random)?,
        operation @ (Operation::BvUdiv
        | Operation::BvUrem
        | Operation::BvSdiv
        | Operation::BvSrem
        | Operation::BvSmod) => division(operation, site.index, width, other, target, random)?,
        operation @ (Operation::BvShl | Operation::BvLshr | Operation::BvAshr) => {
            shift(operation, site.index, width, other, target, random)?
        }
        Operation::Concat if site.index == 0 => target >> site.program.instructions[site.register as usize].parameter,
        Operation::Concat => target,
        Operation::Extract => {
            let low = site.program.instructions[site.register as usize].parameter;
            let window = mask(site.result().width()) << low;
            operands[0] & !window | target << low
        }
        Operation::ZeroExtend | Operation::SignExtend => target,
        _ => conversion(site, width, operands, target)?,
    };
    Some(value & mask(width))
}
