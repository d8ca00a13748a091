//! The conditions under which a site raises an exception, over the reals and over the floats, alone and between builds.
//!
//! Over the reals a condition is a guess that finds candidates (`real`), over the floats it is exact (`float`).
//! `differential` combines the sites of two programs; `inaccuracy` says when digits are lost; `domain` bounds the inputs.

mod cancellation;
mod differential;
mod domain;
mod earlier;
mod exact_difference;
mod float;
mod float_library;
#[cfg(test)]
mod float_tests;
mod guards;
mod inaccuracy;
mod library;
mod number;
mod real;
#[cfg(test)]
mod real_tests;
mod rescale;
mod solve;

use std::sync::Arc;

use labrys_term::reals::NotReal;

pub use differential::{DifferentialCondition, DifferentialKind, DifferentialOptions, differential_conditions};
pub use domain::{Domain, domain_conditions};
pub use earlier::no_earlier_exception;
pub use exact_difference::{ExactDifference, exact_differences};
pub use float::{RoundedOperation, changed, float_condition, float_condition_near};
pub use float_library::{ElementaryCall, library_condition};
pub use inaccuracy::{InaccuracyCondition, InaccuracyKind, InaccuracyOptions, inaccuracy_conditions};
pub use real::{Form, real_condition};
pub use rescale::Rescaling;
pub use solve::{AskReals, DifferentialCandidate, solve_differential};

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
