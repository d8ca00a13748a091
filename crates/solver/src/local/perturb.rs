//! Changes of one variable that look at nothing but its value: bits, ulps, exponents, constants of the query.

use num_bigint::BigInt;
use num_traits::One;
use rustc_hash::FxHashMap;

use super::bounds::Bounds;
use super::program::{Kind, Operation, Program, mask};
use super::random::Random;
use super::run::mode;
use super::wide::Table;

/// The literals of a query, by kind of value: as registers hold them.
pub(super) struct Pool {
    bits: FxHashMap<u32, Vec<u64>>,
    floats: FxHashMap<labrys_float::Packed, Vec<u64>>,
}

impl Pool {
    /// The literals; floats also in the other formats that occur.
    pub fn new(program: &Program) -> Pool {
        let mut pool = Pool { bits: FxHashMap::default(), floats: FxHashMap::default() };
        let formats: Vec<_> = program
            .inputs
            .iter()
            .filter_map(|(_, register)| program.packed(*register).copied())
            .collect::<rustc_hash::FxHashSet<_>>()
            .into_iter()
            .collect();
        for (register, instruction) in program.instructions.iter().enumerate() {
            if instruction.operation != Operation::Constant {
                continue;
            }
            let value = program.initial[register];
            match &program.kinds[register] {
                Kind::Bits(width) | Kind::Wide(width) => pool.bits.entry(*width).or_default().push(value),
                Kind::Float(packed) => {
                    for to in &formats {
                        pool.floats.entry(*to).or_default().push(packed.convert(mode(0), value, to));
                    }
                }
                Kind::Bool | Kind::Mode => {}
            }
        }
        for literals in pool.bits.values_mut().chain(pool.floats.values_mut()) {
            literals.sort_unstable();
            literals.dedup();
        }
        pool
    }

    pub fn of(&self, kind: &Kind) -> &[u64] {
        let literals = match kind {
            Kind::Bits(width) | Kind::Wide(width) => self.bits.get(width),
            Kind::Float(packed) => self.floats.get(packed),
            Kind::Bool | Kind::Mode => None,
        };
        literals.map_or(&[], Vec::as_slice)
    }
}

/// The value so many places on: ulps for floats, which stop at the infinities, the number modulo its width for vectors.
fn shift(kind: &Kind, value: u64, step: i64) -> u64 {
    match kind {
        Kind::Bits(width) => value.wrapping_add(step as u64) & mask(*width),
        Kind::Float(packed) => match packed.ordinal(value) {
            Some(place) => packed.from_ordinal(place.saturating_add(step)),
            None => value,
        },
        Kind::Bool | Kind::Wide(_) | Kind::Mode => value,
    }
}

/// The step from one value to another, where values are in order.
fn difference(kind: &Kind, from: u64, to: u64) -> Option<i64> {
    match kind {
        Kind::Bits(_) => Some(to.wrapping_sub(from) as i64),
        Kind::Float(packed) => packed.ordinal(to)?.checked_sub(packed.ordinal(from)?),
        Kind::Bool | Kind::Wide(_) | Kind::Mode => None,
    }
}

/// The value that is as far from `now` as that is from `before`, where values are in order.
pub(super) fn further(kind: &Kind, before: u64, now: u64, table: &mut Table) -> Option<u64> {
    match kind {
        Kind::Wide(width) => {
            let step = BigInt::from(table.bits(now).clone()) - BigInt::from(table.bits(before).clone());
            Some(table.shifted(*width, now, &step))
        }
        kind => Some(shift(kind, now, difference(kind, before, now)?)),
    }
}

/// The value that is a power of two places on, or back.
pub(super) fn leap(kind: &Kind, now: u64, power: u32, back: bool, table: &mut Table) -> u64 {
    match kind {
        Kind::Wide(width) => {
            let step = BigInt::one() << power;
            table.shifted(*width, now, &if back { -step } else { step })
        }
        kind => {
            let step = 1i64 << power.min(62);
            shift(kind, now, if back { -step } else { step })
        }
    }
}

/// Another value of a variable that has the value `now`; of a wide vector `wide` knows.
pub(super) fn perturb(kind: &Kind, now: u64, pool: &Pool, bounds: &Bounds, random: &mut Random) -> u64 {
    let step = |bits: u32, random: &mut Random| {
        let step = 1i64 << random.below(u64::from(bits.min(63)));
        if random.once_in(2) { step } else { -step }
    };
    match kind {
        Kind::Bool => now ^ 1,
        Kind::Wide(_) => now,
        Kind::Mode => random.below(5),
        Kind::Bits(width) => match random.below(10) {
            0..3 => now ^ (1 << random.below(u64::from(*width))),
            3..6 => shift(kind, now, step(*width, random)),
            6 => random.pick(pool.of(kind)).unwrap_or_else(|| random.bits() & mask(*width)),
            7 => (if random.once_in(2) { !now } else { now.wrapping_neg() }) & mask(*width),
            8 => random.pick(&bounds.landmarks()).unwrap_or(0),
            _ => bounds.sample(random),
        },
        Kind::Float(packed) => {
            let fraction = packed.format().precision() - 1;
            match random.below(16) {
                0..6 => shift(kind, now, step(packed.format().width() - 1, random)),
                6..8 => packed.canonical(now ^ (1 << random.below(u64::from(packed.format().width())))),
                8 => packed.neg(now),
                9 => shift(kind, now, (random.below(9) as i64 - 4) << fraction),
                10..12 => {
                    let literal = random.pick(pool.of(kind)).unwrap_or(0);
                    let near = shift(kind, literal, random.below(3) as i64 - 1);
                    if random.once_in(4) { packed.neg(near) } else { near }
                }
                // Fewer significant bits: exact results.
                12 => packed.canonical(now & !mask(1 + random.below(u64::from(fraction)) as u32)),
                13 => packed.round_to_integral(mode(0), now),
                14 => random.pick(&bounds.landmarks()).unwrap_or(0),
                _ => bounds.sample(random),
            }
        }
    }
}
