//! The domains that an operator's narrowing reads and cuts.

use crate::domain::{BitVecDomain, BoolDomain, Domain, FloatDomain, ModeDomain};

/// A domain became empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Empty;

/// The outcome of narrowing.
pub(crate) type Narrow = Result<(), Empty>;

/// A propagator's domains: slot 0 is the result, then the arguments; equal variables share one cell.
pub(crate) struct Cells<'a> {
    pub domains: &'a mut [Domain],
    pub slots: &'a [u8],
}

impl Cells<'_> {
    /// How many arguments there are.
    pub fn arity(&self) -> usize {
        self.slots.len() - 1
    }

    pub fn get(&self, slot: usize) -> &Domain {
        &self.domains[self.slots[slot] as usize]
    }

    /// Whether two slots are one variable.
    pub fn same_variable(&self, a: usize, b: usize) -> bool {
        self.slots[a] == self.slots[b]
    }

    pub fn meet(&mut self, slot: usize, with: &Domain) -> Narrow {
        let cell = &mut self.domains[self.slots[slot] as usize];
        if *cell != *with {
            *cell = cell.intersect(with);
        }
        if cell.is_empty() { Err(Empty) } else { Ok(()) }
    }

    pub fn float(&self, slot: usize) -> Result<FloatDomain, Empty> {
        match self.get(slot) {
            Domain::Float(domain) => Ok(*domain),
            _ => Err(Empty),
        }
    }

    pub fn vector(&self, slot: usize) -> Result<BitVecDomain, Empty> {
        match self.get(slot) {
            Domain::BitVec(domain) => Ok(*domain),
            _ => Err(Empty),
        }
    }

    pub fn modes(&self, slot: usize) -> ModeDomain {
        match self.get(slot) {
            Domain::RoundingMode(modes) => *modes,
            _ => ModeDomain::ALL,
        }
    }

    /// A Bool slot's value, if it is known.
    pub fn truth(&self, slot: usize) -> Option<bool> {
        match self.get(slot) {
            Domain::Bool(BoolDomain::True) => Some(true),
            Domain::Bool(BoolDomain::False) => Some(false),
            _ => None,
        }
    }

    pub fn meet_float(&mut self, slot: usize, with: &FloatDomain) -> Narrow {
        self.meet(slot, &Domain::Float(*with))
    }

    pub fn meet_vector(&mut self, slot: usize, with: &BitVecDomain) -> Narrow {
        self.meet(slot, &Domain::BitVec(*with))
    }

    pub fn meet_truth(&mut self, slot: usize, with: BoolDomain) -> Narrow {
        self.meet(slot, &Domain::Bool(with))
    }
}
