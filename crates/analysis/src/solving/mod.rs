//! Questions to solvers: which paths there are, what happens on them over the reals and over the floats, and who else is asked
//! about proofs.

pub mod floats;
pub mod method;
pub mod paths;
pub mod reals;
pub mod second_opinion;
