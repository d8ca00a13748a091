//! Hash-consed terms over Bool, BitVec, Float, RoundingMode, Real and Array.
//!
//! Terms live in a [`Store`]; equal terms have equal [`TermId`]s, so that "the same formula" is an integer comparison.

mod op;
mod sort;
mod store;

pub use op::Op;
pub use sort::Sort;
pub use store::{Node, Store, TermId, VariableId};
