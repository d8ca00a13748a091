//! `accuracy`: inputs with the largest numerical error, and whose fault it is.
//!
//! 1. Build the shared object that runs and the IR whose formulas are the truth (`unit`).
//! 2. Search, confirm, blame (`function` has the stages).
//! 3. For a library, do so for each function, resumably (`library`).
//! 4. Report (`write_up`).
//!
//! After H. Guo, C. Rubio-González, "Efficient Generation of Error-Inducing Floating-Point Inputs via Symbolic Execution", ICSE 2020.
//! Beyond it: truths that are certified, and whose fault an error is.

mod bounding;
mod candidates;
mod causes;
mod confirmed;
mod error;
mod fault;
mod findings;
mod function;
mod judge;
mod library;
mod replay;
mod request;
mod unproved;
mod write_up;

pub use error::Metric;
pub use replay::Replayer;
pub use request::{Request, Subject};
pub use write_up::Done;

use labrys_native::Driver;

use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::target::unit;
use crate::{AnalysisError, Progress};

/// Analyses what a request asks for.
///
/// # Errors
///
/// What keeps the analysis from being made at all: see [`AnalysisError`].
pub fn accuracy(request: &Request, progress: &dyn Progress) -> Result<Done, AnalysisError> {
    let clock = Clock::start(request.run.time);
    let folder = temporary_folder()?;
    match &request.subject {
        Subject::Source(source) => {
            progress.phase("building");
            let built = match unit::build_source(request.unit(), source, folder.path(), &clock) {
                Err(error) if error.is_time_up() && clock.is_over() => return Ok(write_up::cut_short(request, &clock)),
                built => built?,
            };
            let driver = Driver::compile(&built.unit.signature, folder.path())?;
            let result = function::analyse(request, &built.unit, &driver, &clock.starting_now(), progress)?;
            Ok(write_up::of_function(request, &built, result, &clock))
        }
        Subject::Library { database, entries } => {
            library::run(request, request.library(database, entries), folder.path(), &clock, progress)
        }
    }
}
