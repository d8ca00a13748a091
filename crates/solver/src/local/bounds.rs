//! The values that facts leave to what a register itself holds: what to clip proposals to and to draw from.

use labrys_float::Packed;

use super::program::{Kind, mask, signed};
use super::random::Random;
use crate::domain::{BitVecDomain, BoolDomain, Domain, FloatDomain, Range};

/// A register's values: a superset of those in any model.
#[derive(Clone, Debug)]
pub(super) enum Bounds {
    /// Truth values and modes: a bit for each value.
    Few(u8),
    Bits(BitVecDomain),
    Float(Packed, FloatDomain),
}

impl Bounds {
    /// Everything.
    pub fn top(kind: &Kind) -> Bounds {
        match kind {
            Kind::Bool => Bounds::Few(0b11),
            Kind::Mode => Bounds::Few(0b11111),
            Kind::Bits(width) => Bounds::Bits(BitVecDomain::top(*width)),
            // Such registers hold handles: `Allowed` says what of.
            Kind::Wide(_) => Bounds::Few(0),
            Kind::Float(packed) => Bounds::Float(*packed, FloatDomain::top(packed.format())),
        }
    }

    /// What a fact says of a register; `None` if it is about another kind of values.
    pub fn of(kind: &Kind, domain: &Domain) -> Option<Bounds> {
        match (kind, domain) {
            (Kind::Bool, Domain::Bool(truth)) => Some(Bounds::Few(match truth {
                BoolDomain::Empty => 0,
                BoolDomain::False => 0b01,
                BoolDomain::True => 0b10,
                BoolDomain::Any => 0b11,
            })),
            (Kind::Mode, Domain::RoundingMode(modes)) => Some(Bounds::Few(modes.0)),
            (Kind::Bits(width), Domain::BitVec(bits)) if bits.width == *width => Some(Bounds::Bits(*bits)),
            (Kind::Float(packed), Domain::Float(floats)) if floats.format == packed.format() => {
                Some(Bounds::Float(*packed, *floats))
            }
            _ => None,
        }
    }

    /// Whether a value is allowed.
    pub fn contains(&self, value: u64) -> bool {
        match self {
            Bounds::Few(set) => set >> (value & 7) & 1 == 1,
            Bounds::Bits(bits) => {
                let value = u128::from(value);
                (bits.low..=bits.high).contains(&value) && value & bits.ones == bits.ones && value & bits.zeros == 0
            }
            Bounds::Float(packed, floats) => {
                let negative = value != packed.abs(value) && !packed.is_nan(value);
                let side = |minus, plus| if negative { minus } else { plus };
                if packed.is_nan(value) {
                    floats.nan
                } else if packed.is_zero(value) {
                    side(floats.minus_zero, floats.plus_zero)
                } else if packed.is_infinite(value) {
                    side(floats.minus_infinity, floats.plus_infinity)
                } else {
                    let range = if negative { floats.negative } else { floats.positive };
                    let magnitude = u128::from(packed.abs(value));
                    range.is_some_and(|range| (range.low..=range.high).contains(&magnitude))
                }
            }
        }
    }

    /// The value if it is allowed, else one nearby that is.
    pub fn clip(&self, value: u64, random: &mut Random) -> u64 {
        if self.contains(value) {
            return value;
        }
        match self {
            Bounds::Few(_) => self.sample(random),
            Bounds::Bits(bits) => {
                let clipped = value.clamp(bits.low as u64, (bits.high as u64).max(bits.low as u64));
                (clipped | bits.ones as u64) & !(bits.zeros as u64)
            }
            Bounds::Float(packed, _) => {
                let Some(place) = packed.ordinal(value) else { return self.sample(random) };
                let distance = |other: &u64| packed.ordinal(*other).map_or(u64::MAX, |other| other.abs_diff(place));
                self.landmarks().into_iter().min_by_key(distance).unwrap_or(value)
            }
        }
    }

    /// The allowed values at the ends of what is allowed.
    pub fn landmarks(&self) -> Vec<u64> {
        match self {
            Bounds::Few(set) => (0..8).filter(|value| set >> value & 1 == 1).collect(),
            Bounds::Bits(bits) => {
                let (low, high) = (bits.low as u64, bits.high as u64);
                let top = 1u64 << (bits.width.clamp(1, 64) - 1);
                let all = [low, low.wrapping_add(1), high, high.wrapping_sub(1), 0, 1, top - 1, top, mask(bits.width)];
                all.into_iter().filter(|value| self.contains(*value)).collect()
            }
            Bounds::Float(packed, floats) => {
                let mut all = vec![];
                for (negative, range) in [(false, floats.positive), (true, floats.negative)] {
                    let sign = packed.zero(negative);
                    if let Some(Range { low, high }) = range {
                        all.extend([low as u64 | sign, high as u64 | sign]);
                    }
                    let one = packed.one();
                    all.extend([sign, one | sign, packed.infinity(negative), packed.min_normal() | sign]);
                }
                all.push(packed.nan());
                all.retain(|value| self.contains(*value));
                all
            }
        }
    }

    /// An allowed value, each order of magnitude about as likely; small numbers are favoured.
    pub fn sample(&self, random: &mut Random) -> u64 {
        match self {
            Bounds::Few(_) => random.pick(&self.landmarks()).unwrap_or(0),
            Bounds::Bits(bits) => {
                let span = (bits.high as u64).wrapping_sub(bits.low as u64);
                let offset = match random.below(3) {
                    0 => random.scaled(64 - span.leading_zeros()).min(span),
                    1 => span - random.scaled(64 - span.leading_zeros()).min(span),
                    _ => random.below(span.saturating_add(1)),
                };
                let value = (bits.low as u64).wrapping_add(offset);
                (value | bits.ones as u64) & !(bits.zeros as u64)
            }
            Bounds::Float(packed, floats) => {
                if random.once_in(4)
                    && let Some(landmark) = random.pick(&self.landmarks())
                {
                    return landmark;
                }
                let moderate = moderate(packed, random);
                if !random.once_in(3) && self.contains(moderate) {
                    return moderate;
                }
                let sides: Vec<(bool, Range)> = [(true, floats.negative), (false, floats.positive)]
                    .into_iter()
                    .filter_map(|(negative, range)| Some((negative, range?)))
                    .collect();
                match random.pick(&sides) {
                    Some((negative, range)) => {
                        let (low, high) = (range.low as u64, range.high as u64);
                        packed.zero(negative) | (low + random.below(high.saturating_sub(low) + 1))
                    }
                    None => random.pick(&self.landmarks()).unwrap_or(0),
                }
            }
        }
    }
}

/// A number of moderate size, often with few significant bits.
fn moderate(packed: &Packed, random: &mut Random) -> u64 {
    let nearest = super::run::mode(0);
    let numerator = packed.from_signed(nearest, signed(32, random.bits() & mask(32)).into());
    let numerator =
        if random.once_in(2) { packed.from_signed(nearest, i128::from(random.below(41)) - 20) } else { numerator };
    let scale = packed.from_unsigned(nearest, 1 << random.below(33));
    match random.below(3) {
        0 => numerator,
        1 => packed.div(nearest, numerator, scale),
        _ => packed.mul(nearest, numerator, scale),
    }
}
