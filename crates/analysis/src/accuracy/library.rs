//! A run over a library: each matching function is analysed, several at a time, resumably.

use std::collections::BTreeMap;
use std::path::Path;

use labrys_native::Driver;
use labrys_program::{Fingerprints, FunctionId, LibraryFunction};
use labrys_report::Status;

use super::function::{self, FunctionResult};
use super::request::Request;
use super::write_up::{self, Done};
use crate::library::build::{Library, LibraryRequest, folder_of, summary};
use crate::library::schedule::{Schedule, Task};
use crate::run::clock::Clock;
use crate::{AnalysisError, Progress};

/// Analyses the functions of a library.
///
/// # Errors
///
/// Where the library cannot be built, no function matches, or the output folder cannot be used.
pub fn run(
    request: &Request,
    wanted: LibraryRequest<'_>,
    folder: &Path,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<Done, AnalysisError> {
    let limits = (request.jobs, request.function_time);
    let schedule = Schedule::open(&request.run, &options(request), limits, clock, progress)?;
    progress.phase("building");
    let library = Library::new(wanted, &folder_of(&request.run, folder), clock)?;
    let functions: Vec<&LibraryFunction> = library.chosen().collect();
    progress.phase("analysing");
    let fingerprints = Fingerprints::new(&library.program);
    let task = |of: &&LibraryFunction| {
        let roots: Vec<FunctionId> =
            std::iter::once(of.function).chain(library.init.as_ref().map(|(id, _)| *id)).collect();
        Task { name: format!("accuracy {}", of.name), fingerprint: fingerprints.of(&roots) }
    };
    let tasks: Vec<Task> = functions.iter().map(task).collect();
    let work = |index: usize, clock: &Clock, progress: &dyn Progress| {
        let unit = library.unit(functions[index])?;
        let analysis = || {
            let driver = Driver::cached(&unit.signature, folder)?;
            function::analyse(request, &unit, &driver, clock, progress)
        };
        analysis().map_err(|error: AnalysisError| error.to_string())
    };
    let failed = |index: usize, why| failed(functions[index], why);
    let size = |index: usize| library.size(functions[index]);
    let results = schedule.run_functions(&tasks, &size, clock, &work, &failed)?;
    let unanalysed = |of: &LibraryFunction| {
        let mut result = self::failed(of, "the time limit of the run".to_owned());
        result.summary.status = Status::Limit;
        result
    };
    let results: Vec<FunctionResult> =
        functions.iter().zip(results).map(|(of, result)| result.unwrap_or_else(|| unanalysed(of))).collect();
    Ok(write_up::of_library(request, wanted, &library, results, clock))
}

/// Everything but the code that a result depends on.
fn options(request: &Request) -> BTreeMap<&'static str, String> {
    // A new option is to be added here, or does not compile.
    let Request { subject, run, build, init, metric, grid, proves_bounds, libm_ulps, function_time, jobs: _ } = request;
    let mut options = run.that_results_depend_on(function_time.is_none());
    options.insert("analysis", "accuracy".to_owned());
    options.insert("bounds", format!("{proves_bounds} {libm_ulps:?}"));
    options.insert("build", format!("{build:?}"));
    options.insert("entries", format!("{subject:?}"));
    options.insert("function time", format!("{function_time:?}"));
    options.insert("grid", format!("{grid:?}"));
    options.insert("init", format!("{init:?}"));
    options.insert("metric", format!("{metric:?}"));
    options
}

/// A function that cannot be analysed.
fn failed(of: &LibraryFunction, why: String) -> FunctionResult {
    let mut summary = summary(of);
    summary.failure = Some(why);
    FunctionResult {
        summary,
        findings: Vec::new(),
        notes: Vec::new(),
        bounds: Vec::new(),
        certificates: Vec::new(),
        contradictions: Vec::new(),
        inputs: 0,
        seconds: 0.0,
    }
}
