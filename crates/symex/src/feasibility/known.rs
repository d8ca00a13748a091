//! What is known on a path.

use labrys_elementary::Function;
use labrys_solver::domain::FloatDomain;
use labrys_term::TermId;
use rustc_hash::FxHashMap;

/// Sets of floats for terms.
pub(super) type Known = FxHashMap<TermId, FloatDomain>;

/// A call of a library function: what it is of, and how far off its result may be.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) operands: Vec<TermId>,
    pub(super) ulps: u32,
}
