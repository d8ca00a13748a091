//! Sets of values of any sort, and what is known of terms.

use labrys_term::TermId;
use rustc_hash::FxHashMap;

use super::bit_vector::BitVecDomain;
use super::float::FloatDomain;
use super::mode::ModeDomain;
use super::truth::BoolDomain;

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
    /// What is known in either case.
    pub fn hull(mut self, other: &Facts) -> Facts {
        self.domains.retain(|term, domain| match other.domains.get(term) {
            Some(of_other) => {
                *domain = domain.hull(of_other);
                true
            }
            None => false,
        });
        self
    }

    /// Takes notice of what is also known; a contradiction is kept for others to find.
    pub fn intersect(&mut self, other: &Facts) {
        for (term, of_other) in &other.domains {
            let domain = self.domains.entry(*term).or_insert(*of_other);
            let both = domain.intersect(of_other);
            if !both.is_empty() {
                *domain = both;
            }
        }
    }

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
