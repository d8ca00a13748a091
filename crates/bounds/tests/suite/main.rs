//! Tests of the crate from outside.

mod literature;
mod observe;
mod random_terms;
mod soundness;
mod source;
