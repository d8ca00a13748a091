//! What each operator says about its variables' domains.
//!
//! The claim: [`contract`] only removes values that no solution of `result = op(arguments)` within the given domains has,
//! and fails only where there is none. Where every argument is one value, the result is that value of the operator (or,
//! where the theory leaves it open, anything). Nothing but the given domains is looked at: an explanation is found by
//! running the same function on larger domains, see [`explain`](super::explain).

mod core;
mod float;
mod vector;
mod vector_bits;
mod vector_compare;

use labrys_term::Op;

use super::graph::Propagator;
use super::places;
use crate::domain::{BitVecDomain, BoolDomain, Domain, FloatDomain, ModeDomain};

/// A domain became empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Empty;

/// The outcome of narrowing.
pub(crate) type Narrow = Result<(), Empty>;

/// A propagator's domains: slot 0 is the result, then the arguments; equal variables share one cell.
pub(crate) struct Cells<'a> {
    domains: &'a mut [Domain],
    slots: &'a [u8],
}

impl Cells<'_> {
    /// How many arguments there are.
    fn arity(&self) -> usize {
        self.slots.len() - 1
    }

    fn get(&self, slot: usize) -> &Domain {
        &self.domains[self.slots[slot] as usize]
    }

    /// Whether two slots are one variable.
    fn same_variable(&self, a: usize, b: usize) -> bool {
        self.slots[a] == self.slots[b]
    }

    fn meet(&mut self, slot: usize, with: &Domain) -> Narrow {
        let cell = &mut self.domains[self.slots[slot] as usize];
        if *cell != *with {
            *cell = cell.intersect(with);
        }
        if cell.is_empty() { Err(Empty) } else { Ok(()) }
    }

    fn float(&self, slot: usize) -> Result<FloatDomain, Empty> {
        match self.get(slot) {
            Domain::Float(domain) => Ok(*domain),
            _ => Err(Empty),
        }
    }

    fn vector(&self, slot: usize) -> Result<BitVecDomain, Empty> {
        match self.get(slot) {
            Domain::BitVec(domain) => Ok(*domain),
            _ => Err(Empty),
        }
    }

    fn modes(&self, slot: usize) -> ModeDomain {
        match self.get(slot) {
            Domain::RoundingMode(modes) => *modes,
            _ => ModeDomain::ALL,
        }
    }

    /// A Bool slot's value, if it is known.
    fn truth(&self, slot: usize) -> Option<bool> {
        match self.get(slot) {
            Domain::Bool(BoolDomain::True) => Some(true),
            Domain::Bool(BoolDomain::False) => Some(false),
            _ => None,
        }
    }

    fn meet_float(&mut self, slot: usize, with: &FloatDomain) -> Narrow {
        self.meet(slot, &Domain::Float(*with))
    }

    fn meet_vector(&mut self, slot: usize, with: &BitVecDomain) -> Narrow {
        self.meet(slot, &Domain::BitVec(*with))
    }

    fn meet_truth(&mut self, slot: usize, with: BoolDomain) -> Narrow {
        self.meet(slot, &Domain::Bool(with))
    }
}

/// Narrows the domains of a propagator's scope, in the scope's order.
pub(crate) fn contract(propagator: &Propagator, domains: &mut [Domain], ulp_max: bool) -> Narrow {
    let mut cells = Cells { domains, slots: &propagator.slots };
    let op = &propagator.op;
    match op {
        Op::Eq => core::equal(&mut cells),
        Op::Distinct => core::distinct(&mut cells),
        Op::Ite => core::choose(&mut cells),
        _ => match cells.get(cells.arity()) {
            Domain::Float(_) => float::contract(op, &mut cells, ulp_max),
            Domain::BitVec(_) => match cells.get(0) {
                Domain::Float(_) => float::contract(op, &mut cells, ulp_max),
                _ => vector::contract(op, &mut cells),
            },
            _ => Ok(()),
        },
    }
}
