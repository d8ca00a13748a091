//! `exceptions`: every floating-point exception a function can raise, with an input for each, or a proof that none exists.
//!
//! 1. Build the shared object that runs and the IR that is analysed (`unit`).
//! 2. List the pairs of a site and an exception, and decide them (`function` has the stages).
//! 3. For a library, do so for each function, resumably (`library`, `store`), or for parts of its pairs (`parts`).
//! 4. Report (`write_up`).
//!
//! After E. T. Barr, T. Vo, V. Le, Z. Su, "Automatic Detection of Floating-Point Exceptions", POPL 2013. Beyond it: proofs of
//! absence over the floats, and for each finding what it does to the result.

mod answers;
mod asking;
mod caller_goal;
mod cases;
mod confirmed;
mod directed;
mod distill;
mod doubling;
mod enumeration;
mod evidence;
mod exact;
mod function;
mod library;
mod merge;
mod moved;
mod opinions;
mod pairs;
mod parts;
mod questions;
mod range_proofs;
mod reach;
mod reals;
mod reason;
mod replay;
mod request;
mod sampled;
#[cfg(test)]
mod samples;
mod search;
mod self_contained;
mod simplest;
mod speculated;
mod stages;
mod work;
mod write_up;

pub use replay::{holds, routes};
pub use request::Request;

use labrys_report::Analysis;

use caller_goal::Assignment;

use crate::library::campaign::Outcome;
use crate::library::one_build::{self, BuiltFunction, BuiltLibrary, OneBuild};
use crate::library::schedule::ScheduleOptions;
use crate::run::options::RunOptions;
use crate::target::subject::BuildRequest;
use crate::{AnalysisError, Done, Progress};

/// Analyses what a request asks for.
///
/// # Errors
///
/// What keeps the analysis from being made at all: see [`AnalysisError`].
pub fn exceptions(request: &Request, progress: &dyn Progress) -> Result<Outcome, AnalysisError> {
    one_build::analyse(request, progress)
}

impl OneBuild for Request {
    const ANALYSIS: Analysis = Analysis::Exceptions;

    fn asked(&self) -> (&RunOptions, &BuildRequest, &ScheduleOptions) {
        (&self.run, &self.build, &self.schedule)
    }

    fn own_options(&self) -> Vec<(&'static str, String)> {
        // A new option is to be added here, or does not compile.
        let Request { build: _, run: _, schedule: _, libm_ulps, whole_space, split } = self;
        let mut options = vec![("libm ulps", libm_ulps.to_string()), ("whole space", whole_space.to_string())];
        // Results of runs without it are those of versions that did not have it.
        options.extend(split.map(|split| ("split", split.to_string())));
        options
    }

    fn of_function(&self, function: &BuiltFunction<'_>) -> Result<Done, AnalysisError> {
        let BuiltFunction { built, driver, clock, progress } = function;
        let result =
            function::analyse(self, &built.unit, &Assignment::default(), driver, &clock.starting_now(), *progress)?;
        Ok(write_up::of_function(self, built, result, clock))
    }

    fn of_library(&self, library: &BuiltLibrary<'_>) -> Result<Outcome, AnalysisError> {
        library::run(self, library)
    }
}
