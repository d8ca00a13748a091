//! A feasibility oracle by intervals: cheap enough to be asked at every branch.
//!
//! For each path condition it keeps a set of floats for the terms that were compared on the path and for what these
//! were computed from. A new condition is ruled out if it is false on these sets, or if narrowing by it empties one. All
//! steps are projections of [`labrys_solver::domain`], which only remove values that no input on the path gives. Results
//! of library functions are enclosed by [`labrys_elementary`]; "ruled out" then rests on the libm's error bound
//! ([`labrys_elementary::Function::ulps`], or [`Intervals::with_libm_ulps`]). What is missed: integers but for converted floats, and terms beyond the depth that is looked into.

mod intervals;
mod known;
mod narrow;

pub use intervals::Intervals;
