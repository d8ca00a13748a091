//! Tests of the crate from outside.

mod literature;
mod source;
