//! What is known of a term's value: sets of values that are cheap to hold, to intersect and to compute with.

mod bit_vector;
pub(crate) mod bit_vector_value;
mod display;
pub(crate) mod float;
pub mod project;

use labrys_float::RoundingMode;
use labrys_term::TermId;
use rustc_hash::FxHashMap;

pub use bit_vector::BitVecDomain;
pub use float::{FloatDomain, Range};

/// A set of rounding modes: bit i stands for `RoundingMode::ALL[i]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModeDomain(pub u8);

impl ModeDomain {
    /// All five.
    pub const ALL: ModeDomain = ModeDomain(0b11111);

    /// Only one.
    pub fn only(mode: RoundingMode) -> ModeDomain {
        ModeDomain(1 << RoundingMode::ALL.iter().position(|other| *other == mode).unwrap_or(0))
    }

    /// Its members, in the order of `RoundingMode::ALL`.
    pub fn modes(self) -> impl Iterator<Item = RoundingMode> {
        RoundingMode::ALL.into_iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, mode)| mode)
    }
}

/// A set of truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoolDomain {
    /// Neither: a contradiction.
    Empty,
    /// Only true.
    True,
    /// Only false.
    False,
    /// Both.
    Any,
}

impl BoolDomain {
    /// The set with true and false in it or not.
    pub fn of(with_true: bool, with_false: bool) -> BoolDomain {
        match (with_true, with_false) {
            (false, false) => BoolDomain::Empty,
            (true, false) => BoolDomain::True,
            (false, true) => BoolDomain::False,
            (true, true) => BoolDomain::Any,
        }
    }

    /// Whether a truth value is a member.
    pub fn contains(self, value: bool) -> bool {
        self == BoolDomain::Any || self == if value { BoolDomain::True } else { BoolDomain::False }
    }

    /// The members of both sets.
    pub fn intersect(self, other: BoolDomain) -> BoolDomain {
        let both = |value| self.contains(value) && other.contains(value);
        BoolDomain::of(both(true), both(false))
    }

    /// The members of either set.
    pub fn hull(self, other: BoolDomain) -> BoolDomain {
        let either = |value| self.contains(value) || other.contains(value);
        BoolDomain::of(either(true), either(false))
    }
}

/// A set of values of one sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Of truth values.
    Bool(BoolDomain),
    /// Of floats.
    Float(FloatDomain),
    /// Of bit vectors.
    BitVec(BitVecDomain),
    /// Of rounding modes.
    RoundingMode(ModeDomain),
}

impl Domain {
    /// Whether nothing is a member.
    pub fn is_empty(&self) -> bool {
        match self {
            Domain::Bool(truth) => *truth == BoolDomain::Empty,
            Domain::Float(float) => float.is_empty(),
            Domain::BitVec(vector) => vector.is_empty(),
            Domain::RoundingMode(modes) => modes.0 == 0,
        }
    }

    /// The members of both sets, which are of one sort.
    pub fn intersect(&self, other: &Domain) -> Domain {
        match (self, other) {
            (Domain::Bool(a), Domain::Bool(b)) => Domain::Bool(a.intersect(*b)),
            (Domain::Float(a), Domain::Float(b)) => Domain::Float(a.intersect(b)),
            (Domain::BitVec(a), Domain::BitVec(b)) => Domain::BitVec(a.intersect(b)),
            (Domain::RoundingMode(a), Domain::RoundingMode(b)) => Domain::RoundingMode(ModeDomain(a.0 & b.0)),
            _ => *self,
        }
    }

    /// The least set of its kind that holds both, which are of one sort.
    pub fn hull(&self, other: &Domain) -> Domain {
        match (self, other) {
            (Domain::Bool(a), Domain::Bool(b)) => Domain::Bool(a.hull(*b)),
            (Domain::Float(a), Domain::Float(b)) => Domain::Float(a.hull(b)),
            (Domain::BitVec(a), Domain::BitVec(b)) => Domain::BitVec(a.hull(b)),
            (Domain::RoundingMode(a), Domain::RoundingMode(b)) => Domain::RoundingMode(ModeDomain(a.0 | b.0)),
            _ => *self,
        }
    }
}

/// Domains of terms that an assertion set implies. A term without one may have any value.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By term; never empty sets.
    pub domains: FxHashMap<TermId, Domain>,
}

impl Facts {
    /// What is known of a Float term.
    pub fn float(&self, term: TermId) -> Option<&FloatDomain> {
        match self.domains.get(&term) {
            Some(Domain::Float(domain)) => Some(domain),
            _ => None,
        }
    }

    /// What is known of a bit vector.
    pub fn bit_vector(&self, term: TermId) -> Option<&BitVecDomain> {
        match self.domains.get(&term) {
            Some(Domain::BitVec(domain)) => Some(domain),
            _ => None,
        }
    }

    /// A Bool term's value, if it is known.
    pub fn truth(&self, term: TermId) -> Option<bool> {
        match self.domains.get(&term) {
            Some(Domain::Bool(BoolDomain::True)) => Some(true),
            Some(Domain::Bool(BoolDomain::False)) => Some(false),
            _ => None,
        }
    }
}
