//! Solvers over the reals and over the floats, behind two traits whose answers cannot be confused.
//!
//! [`RealSolver`] proposes candidates, [`FloatSolver`] decides. Engines and decorators implement the same traits.
//! Unknown is a result with a reason ([`Why`]), never an error.

mod cache;
mod dyadic;
mod enclosure;
mod error;
mod independence;
mod limits;
mod outcome;
mod process;
mod solver;
mod validate;
mod why;

pub use cache::Cache;
pub use error::SolverError;
pub use independence::Independence;
pub use limits::Limits;
pub use outcome::{Core, FloatOutcome, RealModel, RealOutcome, RealValue};
pub use process::{Dialect, ProcessConfig, SmtProcess, Z3, find_z3, z3_version};
pub use solver::{FloatSolver, RealSolver};
pub use validate::Validate;
pub use why::Why;
