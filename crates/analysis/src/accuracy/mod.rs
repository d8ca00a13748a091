//! `accuracy`: inputs with the largest numerical error, and whose fault it is.
//!
//! 1. Build the shared object that runs and the IR whose formulas are the truth (`unit`).
//! 2. Search, confirm, blame (`function` has the stages).
//! 3. For a library, do so for each function, resumably (`library`).
//! 4. Report (`write_up`).
//!
//! After H. Guo, C. Rubio-González, "Efficient Generation of Error-Inducing Floating-Point Inputs via Symbolic Execution", ICSE 2020.
//! Beyond it: truths that are certified, and whose fault an error is.

mod backward;
mod bounding;
mod candidates;
mod causes;
mod confirmed;
mod curves;
mod estimate;
mod expression;
mod findings;
mod function;
mod judge;
mod leads;
mod library;
mod method;
mod reference;
mod remedies;
mod replay;
mod request;
mod shadowed;
mod solving;
mod unproved;
mod write_up;

pub use crate::truth::Metric;
pub use reference::ReferenceRequest;
pub use replay::holds;
pub use request::Request;

use labrys_report::Analysis;

use self::reference::ReferenceFiles;
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
pub fn accuracy(request: &Request, progress: &dyn Progress) -> Result<Outcome, AnalysisError> {
    one_build::analyse(request, progress)
}

impl OneBuild for Request {
    const ANALYSIS: Analysis = Analysis::Accuracy;

    fn asked(&self) -> (&RunOptions, &BuildRequest, &ScheduleOptions) {
        (&self.run, &self.build, &self.schedule)
    }

    fn own_options(&self) -> Vec<(&'static str, String)> {
        // A new option is to be added here, or does not compile.
        let Request {
            build: _,
            run: _,
            schedule: _,
            metric,
            grid,
            references,
            proves_bounds,
            compare_random,
            emits_fpcore,
            libm_ulps,
        } = self;
        let references: Vec<String> = references.iter().map(ReferenceRequest::fingerprint).collect();
        vec![
            ("analysis", "accuracy".to_owned()),
            ("bounds", format!("{proves_bounds} {libm_ulps:?}")),
            ("compare random", compare_random.to_string()),
            ("fpcore", emits_fpcore.to_string()),
            ("grid", format!("{grid:?}")),
            ("metric", format!("{metric:?}")),
            ("references", format!("{references:?}")),
        ]
    }

    fn of_function(&self, function: &BuiltFunction<'_>) -> Result<Done, AnalysisError> {
        let BuiltFunction { built, driver, clock, progress } = function;
        reference::must_fit(self, &[&built.unit.name])?;
        let references = ReferenceFiles::build(self, clock)?;
        let result = function::analyse(self, &references, &built.unit, driver, &clock.starting_now(), *progress)?;
        Ok(write_up::of_function(self, built, result, clock))
    }

    fn of_library(&self, library: &BuiltLibrary<'_>) -> Result<Outcome, AnalysisError> {
        library::run(self, library)
    }
}
