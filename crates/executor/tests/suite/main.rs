//! Whole programs: each violation with a correct twin, paths, inputs.

mod errors;
mod paths;
mod support;
mod symbolic_memory;
