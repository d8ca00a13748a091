//! Projections of the operators' relations on their operands and results.
//!
//! [`forward`] gives what an operator's results can be when its operands are members of given sets (the direct
//! projection), [`inverse`] what is left of the operands when the results are (the indirect ones), [`compare`] and
//! [`classify`] what a predicate's truth leaves and whether it is decided. Botella, Gotlieb, Michel, "Symbolic execution of
//! floating-point computations", STVR 2006, section 4; [`ulp_maximum`] is Bagnara, Carlier, Gori, Gotlieb, ICST 2013.
//!
//! Every function is sound: no member that has partners is dropped. Formats must be ones that
//! [`FloatDomain::supports`](super::FloatDomain::supports), bit vectors at most 128 bits wide and, as
//! sets, normalised.

mod arithmetic;
pub mod classify;
pub mod compare;
pub mod elementary;
mod encoding;
pub mod forward;
mod integer;
pub mod inverse;
mod monotone;
mod operation;
mod remainder;
mod search;
mod select;
#[cfg(test)]
mod tests;
pub mod ulp_maximum;
