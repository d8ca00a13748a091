//! Symbolic execution of compiled C programs.

mod agreement;
mod branches;
mod examples;
mod structs;
mod support;
