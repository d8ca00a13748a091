//! Whole programs: each violation with a correct twin, paths, inputs.

mod calls;
mod covering;
mod direct;
mod errors;
mod libm;
mod merging;
mod paths;
mod speed;
mod support;
mod symbolic_memory;
mod variadic;
mod wide;
