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
