//! `exceptions`: every floating-point exception a function can raise, with an input for each, or a proof that none exists.
//!
//! 1. Build the shared object that runs and the IR that is analysed (`unit`).
//! 2. List the pairs of a site and an exception, and decide them (`function` has the stages).
//! 3. For a library, do so for each function, resumably (`library`, `store`).
//! 4. Report (`write_up`).
//!
//! After E. T. Barr, T. Vo, V. Le, Z. Su, "Automatic Detection of Floating-Point Exceptions", POPL 2013. Beyond it: proofs of
//! absence over the floats, and for each finding what it does to the result.

mod answers;
mod asking;
mod caller_goal;
mod caller_proofs;
mod cases;
mod confirmed;
mod directed;
mod distill;
mod enumeration;
mod evidence;
mod exact;
mod function;
mod library;
mod merge;
mod opinions;
mod pairs;
mod questions;
mod range_proofs;
mod reach;
mod reals;
mod replay;
mod reproduce;
mod request;

mod routes;
mod sampled;
#[cfg(test)]
mod samples;
mod search;
mod self_contained;
mod stages;
mod work;
mod write_up;

pub use replay::Replayer;
pub use request::{Request, Subject};
pub use write_up::Done;

use labrys_native::Driver;

use caller_goal::Assignment;

use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::target::unit;
use crate::{AnalysisError, Progress};

/// Analyses what a request asks for.
///
/// # Errors
///
/// What keeps the analysis from being made at all: see [`AnalysisError`].
pub fn exceptions(request: &Request, progress: &dyn Progress) -> Result<Done, AnalysisError> {
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
            let result = function::analyse(
                request,
                &built.unit,
                &Assignment::default(),
                &driver,
                &clock.starting_now(),
                progress,
            )?;
            Ok(write_up::of_function(request, &built, result, &clock))
        }
        Subject::Library { database, entries } => {
            library::run(request, request.library(database, entries), folder.path(), &clock, progress)
        }
    }
}
