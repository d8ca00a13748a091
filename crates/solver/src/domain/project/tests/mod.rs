//! Projections against enumeration in exact soft-float: nothing with a partner is dropped, and how much without one is kept.

mod binary;
mod examples;
mod integers;
mod predicates;
mod random;
mod universe;
