//! Shadows beside the program and its MPFR twin.

mod expressions;
mod fixture;
mod functions;
mod generated;
mod library;
mod programs;
mod small;

#[path = "../../../interp/tests/native/generator.rs"]
mod generator;
