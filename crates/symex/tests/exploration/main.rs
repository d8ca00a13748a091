//! Symbolic execution of compiled C programs.

mod branches;
mod examples;
mod support;
