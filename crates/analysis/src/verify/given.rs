//! A program run natively on an input that the user gives: a `.ktest`, or SV-COMP's witness of a violation.

use std::path::Path;

use labrys_testcase::{Ktest, TestInput, Witness};

use super::replaying::Replayer;
use super::request::Request;
use super::{building, witness, write_up};
use crate::run::clock::Clock;
use crate::run::files::{must_be_readable, temporary_folder};
use crate::{AnalysisError, Done, Progress};

/// Runs the request's program on the input in a file, without symbolic execution.
///
/// # Errors
///
/// Where the file cannot be read, or the program cannot be built or run.
pub fn run_given(request: &Request, file: &Path, progress: &dyn Progress) -> Result<Done, AnalysisError> {
    let clock = Clock::start(request.time);
    let input = read(file)?;
    let folder = temporary_folder()?;
    progress.phase("building");
    let built = building::build(request, folder.path(), &clock)?;
    progress.phase("running");
    let mut replayer = Replayer::new(request, &built, folder.path(), &clock);
    let shown = replayer.run_wide(&input).map_err(AnalysisError::Usage)?;
    Ok(write_up::report_of_run(request, &built, &input, &shown, &clock))
}

/// The input in a file.
fn read(file: &Path) -> Result<TestInput, AnalysisError> {
    must_be_readable(file)?;
    let unreadable = |reason: String| AnalysisError::Unreadable { path: file.to_owned(), reason };
    let bytes = std::fs::read(file).map_err(|error| unreadable(error.to_string()))?;
    if matches!(file.extension().and_then(|suffix| suffix.to_str()), Some("yml" | "yaml")) {
        let witness =
            Witness::from_yaml(&String::from_utf8_lossy(&bytes)).map_err(|error| unreadable(error.to_string()))?;
        return witness::input_of(&witness)
            .ok_or_else(|| unreadable("it names no inputs that can be read back".to_owned()));
    }
    Ktest::from_bytes(&bytes).map(Ktest::into_input).map_err(|error| unreadable(error.to_string()))
}
