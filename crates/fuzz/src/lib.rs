//! Inputs: where they come from, what they turn into, and how a divergence's witness becomes simple.
//!
//! A [`Space`] is the search domain. A [`Sampler`] draws from all of it, [`neighbours`] lists what lies around a
//! solver's model, a [`Mutator`] changes the entries of a [`Corpus`], which keeps what showed something new, and
//! [`shrink`] simplifies an input while an oracle agrees. Inputs are the flat records of `labrys_program`. Everything is
//! deterministic: the same seed and the same feedback give the same inputs.

mod corpus;
mod domain;
mod encoding;
mod mutator;
mod neighbours;
mod sampler;
mod shrink;
mod simplicity;
mod space;

pub use corpus::Corpus;
pub use mutator::Mutator;
pub use neighbours::{DEFAULT_NEIGHBOURS, neighbours};
pub use sampler::Sampler;
pub use shrink::{DEFAULT_ORACLE_INPUTS, shrink, shrink_within};
pub use simplicity::Cost;
pub use space::{InputClass, Space};
