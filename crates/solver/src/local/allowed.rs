//! The values that facts leave to a register of any kind.

use super::bounds::Bounds;
use super::perturb::{Pool, perturb};
use super::program::Kind;
use super::random::Random;
use super::wide::{self, Table, WideBounds};
use crate::domain::Domain;

/// A register's values: a superset of those in any model.
#[derive(Clone, Debug)]
pub(super) enum Allowed {
    /// Of what a register itself holds.
    Word(Bounds),
    /// Of a vector in the table.
    Wide(WideBounds),
}

impl Allowed {
    /// Everything.
    pub fn top(kind: &Kind) -> Allowed {
        match kind {
            Kind::Wide(width) => Allowed::Wide(WideBounds::top(*width)),
            kind => Allowed::Word(Bounds::top(kind)),
        }
    }

    /// What a fact says of a register; `None` if it is about another kind of values.
    pub fn of(kind: &Kind, domain: &Domain) -> Option<Allowed> {
        match (kind, domain) {
            (Kind::Wide(width), Domain::BitVec(bits)) if bits.width == *width => {
                Some(Allowed::Wide(WideBounds::of(bits)))
            }
            _ => Bounds::of(kind, domain).map(Allowed::Word),
        }
    }

    /// The value if it is allowed, else one nearby that is.
    pub fn clip(&self, value: u64, table: &mut Table, random: &mut Random) -> u64 {
        match self {
            Allowed::Word(bounds) => bounds.clip(value, random),
            Allowed::Wide(bounds) if bounds.contains(table.bits(value)) => value,
            Allowed::Wide(bounds) => {
                let bits = bounds.clip(table.bits(value));
                table.register(&Kind::Wide(bounds.width), bits)
            }
        }
    }

    /// An allowed value, each order of magnitude about as likely.
    pub fn sample(&self, table: &mut Table, random: &mut Random) -> u64 {
        match self {
            Allowed::Word(bounds) => bounds.sample(random),
            Allowed::Wide(bounds) => table.register(&Kind::Wide(bounds.width), bounds.sample(random)),
        }
    }

    /// Another value of a variable that has the value `now`, not always an allowed one.
    pub fn perturb(&self, kind: &Kind, now: u64, pool: &Pool, table: &mut Table, random: &mut Random) -> u64 {
        match self {
            Allowed::Word(bounds) => perturb(kind, now, pool, bounds, random),
            Allowed::Wide(bounds) => {
                let bits = wide::perturb(bounds, now, pool.of(kind), table, random);
                table.register(kind, bits)
            }
        }
    }

    /// The value to begin with: one for floats and zero for the rest, where they are allowed.
    pub fn first(&self, table: &mut Table, random: &mut Random) -> u64 {
        match self {
            Allowed::Word(bounds @ Bounds::Float(packed, _)) => bounds.clip(packed.one(), random),
            Allowed::Word(bounds) => bounds.clip(0, random),
            Allowed::Wide(bounds) => {
                let bits = bounds.clip(&num_bigint::BigUint::ZERO);
                table.register(&Kind::Wide(bounds.width), bits)
            }
        }
    }
}
