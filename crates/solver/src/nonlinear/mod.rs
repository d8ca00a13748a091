//! Nonlinear conditions over the reals, by the method of Barr, Vo, Le, Su, "Automatic detection of floating-point
//! exceptions" (POPL 2013, sections 3.4 to 3.6), carried further.
//!
//! For what is left when z3's nonlinear solver has given up. [`solve`] takes a query apart, chooses an arm of
//! each disjunction that has several variables, binds inputs until constraints have one variable each, cuts that variable's
//! line at the real roots of what the constraints consist of, and takes floats between them. Where the paper differs:
//!
//! - roots are isolated exactly, not by floating-point arithmetic;
//! - the line is cut into the floats themselves: where constraints have a float for a solution, it is found;
//! - conditions on one input are solved before the input is bound, so that a binding satisfies them;
//! - functions of the last variable are sampled and bisected; the paper leaves such constraints unsolved.
//!
//! A candidate is a solution over the reals whose inputs are floats (or integers), checked exactly, except that values of
//! the caller's functions are what the caller says. That it is none proves nothing: where [`NonlinearSteps::refuted`]
//! counts a query, no float solves it over the reals, which says nothing of rounded arithmetic either.

mod assignment;
mod between;
mod concretise;
mod config;
mod context;
mod cube;
mod effort;
mod grid;
mod judge;
mod line;
mod problem;
mod rational;
mod sampling;
mod scaled;
mod solve;
#[cfg(test)]
mod tests;
mod univariate;
mod values;
mod walk;

pub use config::{Dependent, NonlinearConfig, NonlinearSteps};
pub use solve::{solve, solve_near};
