//! Questions to solvers, and who else is asked about proofs.

pub mod second_opinion;
