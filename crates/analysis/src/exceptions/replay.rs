//! Running a finding's witness again.

use labrys_native::Driver;
use labrys_report::{Finding, Value, input_record};

use super::function::start;
use super::pairs::Pairs;
use super::request::{Request, Subject};
use crate::AnalysisError;
use crate::library::build::Library;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::target::unit::{self, Unit};

/// Builds made again, on which witnesses are run.
pub struct Replayer<'a> {
    request: &'a Request,
    folder: tempfile::TempDir,
    build: Build,
}

enum Build {
    Source(Box<Unit>),
    Library(Box<Library>),
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
                Build::Source(Box::new(unit::build_source(request.unit(), source, folder.path(), &clock)?.unit))
            }
            Subject::Library { database, entries } => {
                // What the run itself built is built again only where something has changed.
                let products =
                    request.run.output.as_ref().map(|output| output.join("build")).filter(|built| built.is_dir());
                let products = products.unwrap_or_else(|| folder.path().join("build"));
                Build::Library(Box::new(Library::new(request.library(database, entries), &products, &clock)?))
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
            Build::Library(library) => {
                found = unit_of(library, function)?;
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
        let (Build::Library(library), Some(details)) = (&self.build, finding.exception()) else {
            return Ok(Vec::new());
        };
        let others = details.reachable_from.iter().filter(|route| Some(route.entry.as_str()) != function);
        others
            .map(|route| {
                let unit = unit_of(library, Some(&route.entry))?;
                Ok((route.entry.clone(), self.shows(&unit, finding, &route.inputs)?))
            })
            .collect()
    }

    /// Whether a call of `unit` with these inputs raises a finding's exception at its site.
    fn shows(&self, unit: &Unit, finding: &Finding, inputs: &[Value]) -> Result<bool, AnalysisError> {
        let details = finding
            .exception()
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
}

fn unit_of(library: &Library, function: Option<&str>) -> Result<Unit, AnalysisError> {
    let gone = || AnalysisError::Usage("the report does not say which function the finding is of".to_owned());
    let of = library.function(function.ok_or_else(gone)?)?;
    library.unit(of).map_err(AnalysisError::Usage)
}
