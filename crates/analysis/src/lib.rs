//! The analyses: each composes the stages of the other crates and reads as a table of contents.

pub mod assume;
pub mod diff;
pub mod exceptions;
