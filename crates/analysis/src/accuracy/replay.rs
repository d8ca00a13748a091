//! Running a finding's witness again.

use labrys_native::Driver;
use labrys_report::{Finding, input_record};

use super::function::error_on;
use super::request::Request;
use crate::AnalysisError;
use crate::library::rebuilt::Rebuilt;

/// A build made again, on which witnesses are run.
pub struct Replayer<'a> {
    request: &'a Request,
    rebuilt: Rebuilt,
}

impl<'a> Replayer<'a> {
    /// Builds what the request asks for again.
    ///
    /// # Errors
    ///
    /// Where the build cannot be made.
    pub fn new(request: &'a Request) -> Result<Replayer<'a>, AnalysisError> {
        Ok(Replayer { request, rebuilt: Rebuilt::new(&request.subject, request.unit(), request.jobs)? })
    }

    /// Whether a finding of `function` still holds: on its witness the output has an error of the same kind.
    ///
    /// # Errors
    ///
    /// Where the function is gone or no longer takes these inputs.
    pub fn holds(&self, function: Option<&str>, finding: &Finding) -> Result<bool, AnalysisError> {
        let details = finding
            .accuracy()
            .ok_or_else(|| AnalysisError::Usage("it is no finding of `labrys accuracy`".to_owned()))?;
        let unit = self.rebuilt.unit(function)?;
        let record = input_record(&unit.signature.input_layout(), &finding.inputs)?;
        let driver = Driver::cached(&unit.signature, self.rebuilt.folder())?;
        let seen = error_on(self.request, &unit, &driver, &record, &details.output)?;
        Ok(seen.is_some_and(|(severity, error)| severity == finding.severity && error.absolute != 0.0))
    }
}
