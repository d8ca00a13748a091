//! A run over a library: each matching function is analysed, several at a time, resumably.

use labrys_program::LibraryFunction;
use labrys_report::{ErrorOperations, FunctionSummary};

use super::function::{self, FunctionResult};
use super::reference::{ReferenceFiles, must_fit};
use super::request::Request;
use super::write_up;
use crate::library::campaign::Outcome;
use crate::library::functions::{FunctionOutcome, Functions, Worked};
use crate::library::one_build::BuiltLibrary;
use crate::run::clock::Clock;
use crate::{AnalysisError, Progress};

/// Analyses the functions of a library.
///
/// # Errors
///
/// Where results cannot be kept, or a reference fits no function or cannot be built.
pub fn run(request: &Request, built: &BuiltLibrary<'_>) -> Result<Outcome, AnalysisError> {
    let BuiltLibrary { library, schedule, .. } = built;
    let functions = Functions::new(library, schedule);
    must_fit(request, &library.chosen().map(|of| of.name.as_str()).collect::<Vec<_>>())?;
    let references = ReferenceFiles::build(request, schedule.clock)?;
    schedule.progress.phase("analysing");
    let analyse = |_: usize, of: &LibraryFunction, clock: &Clock, progress: &dyn Progress| {
        built.of_function(of, |unit, driver| function::analyse(request, &references, unit, driver, clock, progress))
    };
    let pieces = functions.whole(functions.tasks("accuracy "));
    match functions.analyse(&pieces, schedule.clock, &analyse)? {
        Worked::All(results) => Ok(write_up::of_library(request, built, results).into()),
        Worked::Part(part) => Ok(Outcome::Part(part)),
    }
}

impl FunctionOutcome for FunctionResult {
    fn unanalysed(summary: FunctionSummary) -> FunctionResult {
        FunctionResult {
            summary,
            findings: Vec::new(),
            notes: Vec::new(),
            bounds: Vec::new(),
            certificates: Vec::new(),
            operations: ErrorOperations::default(),
            contradictions: Vec::new(),
            inputs: 0,
            random_inputs: None,
            seconds: 0.0,
            first_large: None,
        }
    }
}
