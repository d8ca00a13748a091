//! Tests of the crate from outside.

mod brute_force;
mod golden;
mod guards;
mod integral;
mod intervals;
mod literature;
mod observe;
mod random_terms;
mod requests;
mod soundness;
mod source;
mod table;
mod tiny;
