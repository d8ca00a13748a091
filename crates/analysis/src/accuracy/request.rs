//! What a user asks of `accuracy`, resolved: every default is filled in.

use labrys_program::FloatType;

use super::reference::ReferenceRequest;
use crate::library::schedule::ScheduleOptions;
use crate::run::options::RunOptions;
use crate::target::subject::BuildRequest;
use crate::truth::Metric;

/// A resolved request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The build that is analysed.
    pub build: BuildRequest,
    /// What every analysis is told.
    pub run: RunOptions,
    /// How a library is worked through.
    pub schedule: ScheduleOptions,
    /// By which measure the largest error is looked for.
    pub metric: Metric,
    /// The type whose numbers inputs are, where it is a narrower one than their own.
    pub grid: Option<FloatType>,
    /// What results are compared with; none for the function's own formulas.
    pub references: Vec<ReferenceRequest>,
    /// Whether bounds of errors are proved.
    pub proves_bounds: bool,
    /// Whether a plain sampler runs as many inputs, for comparison.
    pub compare_random: bool,
    /// Whether findings have the formula of their path as FPCore.
    pub emits_fpcore: bool,
    /// How far libm's functions may be from the correctly rounded value in proofs, in floats; `None`: as far as is known of each.
    pub libm_ulps: Option<u32>,
}
