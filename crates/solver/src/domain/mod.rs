//! What is known of a term's value: sets of values that are cheap to hold, to intersect and to compute with.

mod bit_vector;
pub(crate) mod bit_vector_value;
mod display;
mod facts;
pub(crate) mod float;
mod mode;
pub mod project;
mod truth;

pub use bit_vector::BitVecDomain;
pub use facts::{Domain, Facts};
pub use float::{FloatDomain, Range};
pub use mode::ModeDomain;
pub use truth::BoolDomain;
