//! Inverse values of floating-point operators: the inverse operation, rounded, and its neighbours.

use labrys_float::{Packed, RoundingMode};

use super::super::bounds::Bounds;
use super::super::program::{Kind, Operation};
use super::super::random::Random;
use super::site::Site;

const NEAREST: RoundingMode = RoundingMode::NearestEven;

/// Among a value and its neighbours one that the operation takes to the target, else the value.
fn settle(site: &Site<'_>, packed: &Packed, base: u64, target: u64, random: &mut Random) -> u64 {
    let fits = |value: u64| forward(site, value) == target;
    let Some(place) = packed.ordinal(base) else { return base };
    let at = |offset: i64| packed.from_ordinal(place.saturating_add(offset));
    if fits(base) {
        // Where many values fit, one that is not the middle helps constraints that share the variable.
        let away = random.scaled(packed.format().precision()) as i64;
        let other = at(if random.once_in(2) { away } else { -away });
        return if fits(other) && random.once_in(2) { other } else { base };
    }
    [1, -1, 2, -2, 3, -3].map(at).into_iter().find(|value| fits(*value)).unwrap_or(base)
}

/// The instruction's value with another value of the argument.
fn forward(site: &Site<'_>, value: u64) -> u64 {
    let instruction = &site.program.instructions[site.register as usize];
    let argument = site.program.arguments(site.register)[site.index];
    let mut operands = [0; 4];
    for (operand, register) in operands.iter_mut().zip(&instruction.arguments) {
        *operand = if *register == argument { value } else { site.values[*register as usize] };
    }
    site.program.compute_on(site.register, &operands)
}

/// A finite number for an operand that is NaN, or for one that an infinite operand makes meaningless.
fn sample(packed: &Packed, random: &mut Random) -> u64 {
    let sample = Bounds::top(&Kind::Float(*packed)).sample(random);
    if packed.is_finite(sample) { sample } else { packed.one() }
}

/// See [`super::argument`]; the argument is a float.
pub(super) fn argument(
    site: &Site<'_>,
    packed: &Packed,
    operands: &[u64; 4],
    target: u64,
    random: &mut Random,
) -> Option<u64> {
    let now = operands[site.index];
    if let Kind::Float(result) = site.result() {
        let wants_number = !result.is_nan(target);
        if wants_number && packed.is_nan(now) {
            return Some(sample(packed, random));
        }
        if !wants_number {
            return Some(packed.nan());
        }
    }
    let base = match site.operation() {
        Operation::FpAbs => {
            let negative = random.once_in(2);
            return Some(if negative { packed.neg(target) } else { target });
        }
        Operation::FpNeg => return Some(packed.neg(target)),
        Operation::FpMin | Operation::FpMax => target,
        Operation::FpRem | Operation::FpFmod => remainder(site, packed, operands, target, random)?,
        Operation::FpRoundToIntegral => integral(packed, target, random),
        Operation::FpAdd if site.index > 0 && twice(site) => {
            packed.div(NEAREST, target, packed.from_unsigned(NEAREST, 2))
        }
        Operation::FpMul if site.index > 0 && twice(site) => {
            let root = packed.sqrt(NEAREST, target);
            if random.once_in(2) { packed.neg(root) } else { root }
        }
        operation => arithmetic(operation, site.index, packed, operands, target)
            .or_else(|| conversion(site, packed, target, random))?,
    };
    if packed.is_nan(base) {
        return None;
    }
    Some(settle(site, packed, base, target, random))
}

/// Whether both operands are one term.
fn twice(site: &Site<'_>) -> bool {
    let arguments = site.program.arguments(site.register);
    arguments[1] == arguments[2]
}

/// The inverse of the operations that round.
fn arithmetic(operation: Operation, index: usize, packed: &Packed, operands: &[u64; 4], t: u64) -> Option<u64> {
    let [_, a, b, c] = *operands;
    Some(match (operation, index) {
        (Operation::FpAdd, 1) => packed.sub(NEAREST, t, b),
        (Operation::FpAdd, _) => packed.sub(NEAREST, t, a),
        (Operation::FpSub, 1) => packed.add(NEAREST, t, b),
        (Operation::FpSub, _) => packed.sub(NEAREST, a, t),
        (Operation::FpMul, 1) => packed.div(NEAREST, t, b),
        (Operation::FpMul, _) => packed.div(NEAREST, t, a),
        (Operation::FpDiv, 1) => packed.mul(NEAREST, t, b),
        (Operation::FpDiv, _) => packed.div(NEAREST, a, t),
        (Operation::FpSqrt, _) => packed.mul(NEAREST, t, t),
        (Operation::FpFma, 1) => packed.div(NEAREST, packed.sub(NEAREST, t, c), b),
        (Operation::FpFma, 2) => packed.div(NEAREST, packed.sub(NEAREST, t, c), a),
        (Operation::FpFma, _) => packed.fma(NEAREST, packed.neg(a), b, t),
        _ => return None,
    })
}

/// A number that rounds to an integral one.
fn integral(packed: &Packed, target: u64, random: &mut Random) -> u64 {
    if random.once_in(2) {
        return target;
    }
    let half = packed.div(NEAREST, packed.one(), packed.from_unsigned(NEAREST, 2));
    let fraction = packed.add(NEAREST, half, packed.zero(false)) - random.scaled(packed.format().precision()).min(half);
    if random.once_in(2) { packed.add(NEAREST, target, fraction) } else { packed.sub(NEAREST, target, fraction) }
}

/// x = t + n·y, or y = (x − t)/n, for small n.
fn remainder(site: &Site<'_>, packed: &Packed, operands: &[u64; 4], t: u64, random: &mut Random) -> Option<u64> {
    let [x, y, ..] = *operands;
    let quotient = packed.round_to_integral(RoundingMode::TowardZero, packed.div(NEAREST, x, y));
    let small = packed.from_signed(NEAREST, i128::from(random.below(9)) - 4);
    let n = if random.once_in(2) || !packed.is_finite(quotient) { small } else { quotient };
    let value =
        if site.index == 0 { packed.fma(NEAREST, n, y, t) } else { packed.div(NEAREST, packed.sub(NEAREST, x, t), n) };
    (!packed.is_nan(value)).then_some(value)
}

/// Conversions whose argument is a float.
fn conversion(site: &Site<'_>, packed: &Packed, target: u64, random: &mut Random) -> Option<u64> {
    match (site.operation(), site.result()) {
        (Operation::FpFromFloat, Kind::Float(from)) => Some(from.convert(NEAREST, target, packed)),
        (Operation::FpToBits, _) => (packed.canonical(target) == target).then_some(target),
        (Operation::FpToUnsigned, _) => Some(integral(packed, packed.from_unsigned(NEAREST, target.into()), random)),
        (Operation::FpToSigned, Kind::Bits(width)) => {
            let number = super::super::program::signed(*width, target);
            Some(integral(packed, packed.from_signed(NEAREST, number.into()), random))
        }
        _ => None,
    }
}
