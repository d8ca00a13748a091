//! The conditions under which a site raises an exception, over the reals and over the floats, alone and between builds.
//!
//! Over the reals a condition is a guess that finds candidates (`real`), over the floats it is exact (`float`).
//! `differential` combines the sites of two programs; `domain` bounds the inputs.

mod differential;
mod domain;
mod float;
#[cfg(test)]
mod float_tests;
mod library;
mod real;
mod rescale;

use std::sync::Arc;

use labrys_term::reals::NotReal;

pub use differential::{
    DifferentialCandidate, DifferentialCondition, DifferentialKind, DifferentialOptions, differential_conditions,
    solve_differential,
};
pub use domain::{Domain, domain_conditions};
pub use float::float_condition;
pub use real::{Form, real_condition};
pub use rescale::Rescaling;

/// Why a condition cannot be stated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConditionError {
    /// A term has no reading over the reals.
    #[error("not a condition over the reals: {0}")]
    NotReal(#[from] NotReal),
    /// What the called function raises is not modelled.
    #[error("the exceptions of {0} are not modelled")]
    Opaque(Arc<str>),
}
