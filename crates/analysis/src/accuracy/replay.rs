//! Running a finding's witness again.

use labrys_native::Driver;
use labrys_report::{Finding, input_record};

use super::function::error_on;
use super::reference::ReferenceFiles;
use super::request::Request;
use crate::AnalysisError;
use crate::library::rebuilt::Rebuilt;
use crate::run::clock::Clock;

/// Whether a finding of the function `of` still holds in what was built again: on its witness the output has an error of the same kind.
///
/// # Errors
///
/// Where the function is gone or no longer takes these inputs.
pub fn holds(request: &Request, rebuilt: &Rebuilt, of: Option<&str>, finding: &Finding) -> Result<bool, AnalysisError> {
    let details = finding.accuracy().ok_or_else(|| AnalysisError::other_analysis("accuracy"))?;
    let unit = rebuilt.unit(of)?;
    let record = input_record(&unit.signature.input_layout(), &finding.inputs)?;
    let driver = Driver::cached(&unit.signature, rebuilt.folder())?;
    let references = ReferenceFiles::build(request, &Clock::start(request.run.time))?;
    let seen = error_on(request, &references, &unit, &driver, &record, &details.output)?;
    Ok(seen.is_some_and(|(severity, error)| severity == finding.severity && error.absolute != 0.0))
}
