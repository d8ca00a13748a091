//! Symbolic execution of compiled C programs.

mod agreement;
mod branches;
mod examples;
mod interest;
mod static_sites;
mod structs;
mod support;
