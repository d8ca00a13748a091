//! Solvers over the reals and over the floats, behind two traits whose answers cannot be confused.
//!
//! [`RealSolver`] proposes candidates, [`FloatSolver`] decides. Engines and decorators implement the same traits and are
//! stacked in one file ([`real_stack`], [`float_stack`]); [`RealPool`] asks many queries of a few processes.
//! Unknown is a result with a reason ([`Why`]), never an error.
//!
//! ```
//! use labrys_solver::{Limits, ProcessConfig, RealOutcome, StackConfig, real_stack};
//! use labrys_term::{Op, Sort, Store};
//! use num_rational::BigRational;
//!
//! let mut store = Store::new();
//! let x = store.variable("x", Sort::Real);
//! let square = store.mk(Op::RealMul, &[x, x]);
//! let two = store.real_const(BigRational::from_integer(2.into()));
//! let query = store.mk(Op::Eq, &[square, two]);
//!
//! let mut solver = real_stack(&StackConfig::new(ProcessConfig::z3(0)));
//! match solver.check_once(&store, &[query], &Limits::default()) {
//!     RealOutcome::Candidate(model) => assert_eq!(model.values.len(), 1),
//!     RealOutcome::NoCandidate => panic!("√2 is a real number"),
//!     RealOutcome::Unknown(why) => println!("{why}"), // for example: no z3
//! }
//! ```

pub mod bitblast;
mod canonical;
mod conjuncts;
pub mod domain;
pub mod elementary;
mod enclosure;
mod engine;
mod error;
pub mod error_free;
mod independence;
mod integers;
pub mod interval;
mod limits;
mod local;
mod log;
pub mod lrat;
mod monotone;
pub mod nonlinear;
mod outcome;
mod polynomial;
mod pool;
mod portfolio;
pub mod prepare;
mod process;
pub mod prune;
mod relaxation;
mod session;
mod solver;
mod stack;
mod taylor;
#[cfg(test)]
mod test_query;
mod told;
mod validate;
mod why;

pub use canonical::Canonical;
pub use engine::{Budget, Engine, Query, Verdict};
pub use error::SolverError;
pub use independence::Independence;
pub use integers::rewritten as as_integers;
pub use limits::Limits;
pub use local::{LocalQuery, LocalRun, LocalSearch};
pub use log::Log;
pub use monotone::refutes as refutes_by_order;
pub use outcome::{Core, FloatOutcome, RealModel, RealOutcome, RealValue};
pub use pool::RealPool;
pub use portfolio::{
    Certificate, CertifyConfig, Decision, EngineChoice, Portfolio, PortfolioConfig, Preparation, Refutation, Statistics,
};
pub use process::script::float_logic;
pub use process::{Dialect, ProcessConfig, Reads, SmtProcess, Z3, find_tool, find_z3, stopping_at, z3_version};
pub use relaxation::{Relaxation, Relaxing, relaxed};
pub use session::{Answer, Session};
pub use solver::{FloatSolver, RealSolver};
pub use stack::{StackConfig, float_stack, real_stack};
pub use validate::Validate;
pub use why::Why;
