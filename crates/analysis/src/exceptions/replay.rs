//! Running a finding's witness again.

use std::sync::Arc;

use labrys_native::Driver;
use labrys_program::LibraryBuild;
use labrys_report::{Finding, Value, input_record};

use super::function::start;
use super::library;
use super::pairs::Pairs;
use super::request::{Request, Subject};
use super::unit::{self, Unit};
use crate::AnalysisError;
use crate::clock::Clock;
use crate::files::temporary_folder;

/// Builds made again, on which witnesses are run.
pub struct Replayer<'a> {
    request: &'a Request,
    folder: tempfile::TempDir,
    build: Build,
}

enum Build {
    Source(Box<Unit>),
    Library(Box<LibraryBuild>),
}

impl<'a> Replayer<'a> {
    /// Builds what the request asks for again.
    ///
    /// # Errors
    ///
    /// Where the build cannot be made.
    pub fn new(request: &'a Request) -> Result<Replayer<'a>, AnalysisError> {
        let clock = Clock::start(request.run.time);
        let folder = temporary_folder()?;
        let build = match &request.subject {
            Subject::Source(source) => {
                Build::Source(Box::new(unit::build_source(request, source, folder.path(), &clock)?.unit))
            }
            Subject::Library { database, .. } => {
                // What the run itself built is built again only where something has changed.
                let products =
                    request.run.output.as_ref().map(|output| output.join("build")).filter(|built| built.is_dir());
                let products = products.unwrap_or_else(|| folder.path().join("build"));
                Build::Library(Box::new(library::build(request, database, &products, &clock)?))
            }
        };
        Ok(Replayer { request, folder, build })
    }

    /// Whether a finding of `function` still holds: its witness raises the exception at its site.
    ///
    /// # Errors
    ///
    /// Where the function is gone or no longer takes these inputs.
    pub fn holds(&self, function: Option<&str>, finding: &Finding) -> Result<bool, AnalysisError> {
        let found;
        let unit: &Unit = match &self.build {
            Build::Source(unit) => unit,
            Build::Library(build) => {
                found = self.unit_of(build, function)?;
                &found
            }
        };
        self.shows(unit, finding, &finding.inputs)
    }

    /// For each other public function from which a finding of `function` was observed, whether it still is.
    ///
    /// # Errors
    ///
    /// As [`Replayer::holds`].
    pub fn routes(&self, function: Option<&str>, finding: &Finding) -> Result<Vec<(String, bool)>, AnalysisError> {
        let (Build::Library(build), Some(details)) = (&self.build, &finding.exception) else { return Ok(Vec::new()) };
        let others = details.reachable_from.iter().filter(|route| Some(route.entry.as_str()) != function);
        others
            .map(|route| {
                let unit = self.unit_of(build, Some(&route.entry))?;
                Ok((route.entry.clone(), self.shows(&unit, finding, &route.inputs)?))
            })
            .collect()
    }

    /// Whether a call of `unit` with these inputs raises a finding's exception at its site.
    fn shows(&self, unit: &Unit, finding: &Finding, inputs: &[Value]) -> Result<bool, AnalysisError> {
        let details = finding
            .exception
            .as_ref()
            .ok_or_else(|| AnalysisError::Usage("it is no finding of `labrys exceptions`".to_owned()))?;
        let record = input_record(&unit.signature.input_layout(), inputs)?;
        let driver = Driver::cached(&unit.signature, self.folder.path())?;
        let mut observer = start(self.request, unit, &driver)?;
        let observation = observer.trace(&record, self.request.run.watched)?;
        let mut pairs = Pairs::of_observations((*unit.names).clone(), self.request.run.watched);
        pairs.add_known(details.site.clone(), details.exception);
        let mut shows = false;
        for event in observation.trace.iter().flat_map(|trace| &trace.events) {
            let frame = observer.frame(event);
            shows |= event.exceptions.contains(details.exception)
                && pairs.site_of(&frame, details.exception) == details.site;
        }
        Ok(shows)
    }

    fn unit_of(&self, build: &LibraryBuild, function: Option<&str>) -> Result<Unit, AnalysisError> {
        let gone = || AnalysisError::Usage("the report does not say which function the finding is of".to_owned());
        let name = function.ok_or_else(gone)?;
        let of = build.functions.iter().find(|function| function.name == name);
        let of = of.ok_or_else(|| AnalysisError::Usage(format!("the library has no function `{name}` any more")))?;
        let names = Arc::new(library::names(&build.program, &build.functions));
        library::runnable(self.request, build, of, names).map_err(AnalysisError::Usage)
    }
}
