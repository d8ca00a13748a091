//! Inverse values of operators on wide vectors: those of `bit_vector` and `order`, on numbers of any size.

use labrys_float::{Environment, Packed, RoundingMode};
use labrys_term::Op;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};
use smallvec::SmallVec;

use super::site::Site;
use crate::local::program::{Kind, Operation, Register};
use crate::local::random::Random;
use crate::local::wide::{Table, WideBounds, below, mask, scaled, signed, uniform, wrap};

/// See [`super::argument`], of an operator that takes or gives a wide vector and of an equality of two.
pub(super) fn argument(site: &Site<'_>, target: u64, table: &mut Table, random: &mut Random) -> Option<u64> {
    let (program, arguments) = (site.program, site.program.arguments(site.register));
    let kind = &program.kinds[arguments[site.index] as usize];
    let number = |register: &Register| match &program.kinds[*register as usize] {
        kind @ (Kind::Bits(_) | Kind::Wide(_)) => table.number(kind, site.values[*register as usize]),
        Kind::Bool | Kind::Float(_) | Kind::Mode => BigUint::ZERO,
    };
    let operands: SmallVec<[BigUint; 2]> = arguments.iter().map(number).collect();
    if site.operation() == Operation::Equal {
        let bits = equal(kind.width(), &operands[1 - site.index], target != 0, random);
        return Some(table.register(kind, bits));
    }
    let op = &program.exact.get(&site.register)?.op;
    let last = arguments.last().map_or(0, |last| program.width(*last));
    let wide = WideSite { op, index: site.index, width: kind.width(), operands: &operands, last_width: last };
    let bits = match (kind, site.result()) {
        (Kind::Float(packed), Kind::Wide(width)) => return float(op, packed, *width, table.bits(target)),
        (Kind::Wide(width), Kind::Float(packed)) => integer(op, packed, target, *width)?,
        (Kind::Wide(_), Kind::Bool) => order(&wide, target != 0, random)?,
        (Kind::Bits(_) | Kind::Wide(_), result @ (Kind::Bits(_) | Kind::Wide(_))) => {
            vector(&wide, &table.number(result, target), random)?
        }
        _ => return None,
    };
    Some(table.register(kind, bits))
}

/// An argument of an operator that takes or gives a wide vector.
struct WideSite<'a> {
    op: &'a Op,
    index: usize,
    /// The argument's width.
    width: u32,
    /// The arguments that are vectors, as numbers; the others are zero.
    operands: &'a [BigUint],
    /// The last argument's width.
    last_width: u32,
}

/// A vector equal to `other`, or another.
fn equal(width: u32, other: &BigUint, truth: bool, random: &mut Random) -> BigUint {
    if truth {
        return other.clone();
    }
    let sample = WideBounds::top(width).sample(random);
    if random.once_in(2) || sample == *other { other ^ (BigUint::one() << random.below(width.into())) } else { sample }
}

/// A vector on the wanted side of the other argument of a comparison; `None` where there is none.
fn order(site: &WideSite<'_>, truth: bool, random: &mut Random) -> Option<BigUint> {
    let (width, other) = (site.width, &site.operands[1 - site.index]);
    // A false `left < right` is a `right ≤ left`.
    let below = (site.index == 0) == truth;
    let strict = matches!(site.op, Op::BvUlt | Op::BvSlt) == truth;
    let (bound, least, greatest) = if matches!(site.op, Op::BvUlt | Op::BvUle) {
        (BigInt::from(other.clone()), BigInt::zero(), BigInt::from(mask(width)))
    } else {
        let half = BigInt::one() << (width - 1);
        (signed(width, other), -&half, half - 1)
    };
    let beside = |step: BigInt| if below { &bound - step } else { &bound + step };
    let nearest = beside(u8::from(strict).into());
    if nearest < least || nearest > greatest {
        return None;
    }
    let further = if random.once_in(3) { BigUint::ZERO } else { scaled(width, random) };
    let number = beside(BigInt::from(further) + u8::from(strict)).clamp(least, greatest);
    Some(wrap(width, &number))
}

/// The inverse of an odd number modulo 2^width. Each step doubles the correct low bits, of which there are three at first.
fn odd_inverse(width: u32, number: &BigUint) -> BigUint {
    let all = mask(width);
    let two = &all + 3u8;
    let mut inverse = number & &all;
    let mut correct = 3;
    while correct < width {
        inverse = ((&two - ((number * &inverse) & &all)) * inverse) & &all;
        correct *= 2;
    }
    inverse
}

/// A factor x with x·b = t modulo 2^width.
fn factor(width: u32, b: &BigUint, t: &BigUint, random: &mut Random) -> Option<BigUint> {
    let Some(zeros) = b.trailing_zeros() else { return t.is_zero().then(|| uniform(width, random)) };
    if t.trailing_zeros().is_some_and(|own| own < zeros) {
        return None;
    }
    let kept = width - zeros as u32;
    let low = ((t >> zeros) * odd_inverse(width, &(b >> zeros))) & mask(kept);
    // The bits that the product's shift pushes out are free.
    let high = uniform(zeros as u32, random) << kept;
    Some(if random.once_in(2) { low | high } else { low })
}

/// A dividend, divisor or remainder's argument.
fn division(site: &WideSite<'_>, other: &BigUint, t: &BigUint, random: &mut Random) -> Option<BigUint> {
    let (width, all) = (site.width, mask(site.width));
    let greater = |random: &mut Random| (*other < all).then(|| other + 1u8 + below(&(&all - other), random));
    match (site.op, site.index) {
        (Op::BvUdiv, 0) => {
            if other.is_zero() {
                return (*t == all).then(|| uniform(width, random));
            }
            let least = other * t;
            if least > all {
                return None;
            }
            let room = (other - 1u8).min(&all - &least);
            Some(least + scaled(width, random).min(room))
        }
        (Op::BvUdiv, _) if t.is_zero() => greater(random),
        // All ones are also what a division of them by one gives.
        (Op::BvUdiv, _) if *t == all => {
            Some(if *other == all && random.once_in(2) { BigUint::one() } else { BigUint::ZERO })
        }
        (Op::BvUdiv, _) => Some(other / t),
        (Op::BvUrem, 0) if other.is_zero() => Some(t.clone()),
        (Op::BvUrem, 0) => (t < other).then(|| t + other * scaled(width, random).min((&all - t) / other)),
        (Op::BvUrem, _) if t > other => None,
        (Op::BvUrem, _) if t == other => Some(greater(random).unwrap_or(BigUint::ZERO)),
        (Op::BvUrem, _) => Some(other - t).filter(|difference| difference > t),
        (Op::BvSdiv, 0) => {
            // The remainder, which the quotient does not see, has the dividend's sign.
            let (divisor, quotient) = (signed(width, other), signed(width, t));
            let least = &divisor * &quotient;
            let rest = BigInt::from(below(divisor.magnitude(), random));
            Some(wrap(width, &if least.is_negative() { least - rest } else { least + rest }))
        }
        (Op::BvSdiv, _) if t.is_zero() => Some(wrap(width, &(signed(width, other).abs() + 1))),
        (Op::BvSdiv, _) => Some(wrap(width, &(signed(width, other) / signed(width, t)))),
        (_, 0) => Some(t + other * random.scaled(8)),
        _ => Some(wrap(width, &(BigInt::from(other.clone()) - BigInt::from(t.clone())))),
    }
}

/// A distance by which `other` is shifted to `t`.
fn distance(site: &WideSite<'_>, other: &BigUint, t: &BigUint, random: &mut Random) -> Option<BigUint> {
    let (width, all) = (site.width, mask(site.width));
    let sign = u64::from(width) - 1;
    if *site.op == Op::BvAshr && other.bit(sign) {
        // The complement is shifted as the number is.
        let mirrored = WideSite { op: &Op::BvLshr, ..*site };
        return distance(&mirrored, &(&all ^ other), &(&all ^ t), random);
    }
    let up = *site.op == Op::BvShl;
    // How many places the lowest or highest one has before it falls out.
    let room = |bits: &BigUint| {
        if up { u64::from(width) - bits.trailing_zeros().unwrap_or(width.into()) } else { bits.bits() }
    };
    if t.is_zero() {
        let beyond = room(other);
        return Some(BigUint::from(beyond + random.below(u64::from(width) + 1 - beyond)));
    }
    let by = room(other).checked_sub(room(t))?;
    let shifted = if up { (other << by) & all } else { other >> by };
    (shifted == *t).then(|| by.into())
}

/// A vector that is shifted to `t`.
fn shifted(site: &WideSite<'_>, by: &BigUint, t: &BigUint, random: &mut Random) -> Option<BigUint> {
    let (width, all) = (site.width, mask(site.width));
    let negative = *site.op == Op::BvAshr && t.bit(u64::from(width) - 1);
    let Some(by) = by.to_u32().filter(|by| *by < width) else {
        // Only copies of the sign, or zeros, are left.
        let rest = uniform(width - 1, random);
        let top = BigUint::one() << (width - 1);
        return match (site.op, negative) {
            (Op::BvAshr, true) => (*t == all).then(|| rest | top),
            (Op::BvAshr, false) => t.is_zero().then_some(rest),
            _ => t.is_zero().then(|| uniform(width, random)),
        };
    };
    // Bits above or below the window are free.
    let free = uniform(by, random);
    if *site.op == Op::BvShl {
        return (t.is_zero() || t.trailing_zeros() >= Some(by.into())).then(|| t >> by | free << (width - by));
    }
    let kept = if negative { (&all ^ t).bits() } else { t.bits() };
    let least = u64::from(*site.op == Op::BvAshr);
    (kept + u64::from(by) + least <= u64::from(width)).then(|| ((t << by) & all) | free)
}

/// An integer that converts to a float.
fn integer(op: &Op, packed: &Packed, target: u64, width: u32) -> Option<BigUint> {
    let signed = matches!(op, Op::FpFromSigned(_));
    let float = packed.decode(target);
    let (number, _) = Environment::default().to_integer(&float, RoundingMode::NearestEven, width, signed);
    Some(wrap(width, &number?))
}

/// A float that converts to an integer.
fn float(op: &Op, packed: &Packed, width: u32, target: &BigUint) -> Option<u64> {
    let number = match op {
        Op::FpToSigned(_) => signed(width, target),
        Op::FpToUnsigned(_) => BigInt::from(target.clone()),
        _ => return None,
    };
    packed.encode(&Environment::default().from_integer(&number, packed.format()).value)
}

/// A vector for which the operator's value, a vector, is or nearly is the target; bits above its width do not count.
fn vector(site: &WideSite<'_>, target: &BigUint, random: &mut Random) -> Option<BigUint> {
    let (width, all) = (site.width, mask(site.width));
    // Of one argument there is no other one.
    let other = &site.operands[(1 - site.index.min(1)).min(site.operands.len() - 1)];
    let outside = |bits: &BigUint, mask: &BigUint| (bits | mask) ^ mask;
    Some(match site.op {
        Op::BvNot => &all ^ target,
        Op::BvNeg => &all + 1u8 - target,
        Op::BvAdd => &all + 1u8 + target - other,
        Op::BvSub if site.index == 0 => target + other,
        Op::BvSub => &all + 1u8 + other - target,
        Op::BvXor => target ^ other,
        Op::BvAnd => {
            let free = &all ^ other;
            outside(target, other).is_zero().then(|| target | uniform(width, random) & free)?
        }
        Op::BvOr => {
            let wanted = outside(target, other);
            outside(other, target).is_zero().then(|| wanted | uniform(width, random) & other)?
        }
        Op::BvMul => factor(width, other, target, random)?,
        Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod => division(site, other, target, random)?,
        Op::BvShl | Op::BvLshr | Op::BvAshr if site.index == 1 => distance(site, other, target, random)?,
        Op::BvShl | Op::BvLshr | Op::BvAshr => shifted(site, other, target, random)?,
        Op::Concat if site.index == 0 => target >> site.last_width,
        Op::Concat | Op::ZeroExtend(_) | Op::SignExtend(_) => target.clone(),
        Op::Extract { high, low } => {
            let now = &site.operands[0];
            let window = mask(high - low + 1) << *low;
            outside(now, &window) | target << *low
        }
        _ => return None,
    })
}
