//! What each operator says about its variables' domains.
//!
//! The claim: [`contract`] only removes values that no solution of `result = op(arguments)` within the given domains has,
//! and fails only where there is none. Where every argument is one value, the result is that value of the operator (or,
//! where the theory leaves it open, anything). Nothing but the given domains is looked at: an explanation is found by
//! running the same function on larger domains, see [`explain`](super::explain).

mod cells;
mod core;
mod float;
mod vector;
mod vector_bits;
mod vector_compare;

use labrys_term::Op;

use super::graph::Propagator;
pub(crate) use cells::Narrow;

use crate::domain::Domain;
use cells::Cells;

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
