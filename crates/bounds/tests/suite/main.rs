//! Tests of the crate from outside.

mod golden;
mod intervals;
mod literature;
mod observe;
mod random_terms;
mod requests;
mod soundness;
mod source;
mod table;
mod tiny;
