//! Whole programs: each violation with a correct twin, paths, inputs.

mod answers;
mod bits;
mod calls;
mod covering;
mod direct;
mod errors;
mod filters;
mod hunting;
mod induction;
mod libm;
mod merging;
mod natural;
mod paths;
mod speed;
mod support;
mod symbolic_memory;
mod variadic;
mod wide;
