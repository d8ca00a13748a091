//! The frame of an analysis of one build: it is made, then a function, or those of a library, are handed to the analysis.

use std::path::Path;

use labrys_native::Driver;
use labrys_program::LibraryFunction;
use labrys_report::{Analysis, Report};

use super::build::{Library, LibraryRequest, folder_of};
use super::campaign::Outcome;
use super::schedule::{Schedule, ScheduleOptions};
use crate::run::clock::Clock;
use crate::run::done::{Done, empty_report};
use crate::run::files::temporary_folder;
use crate::run::options::RunOptions;
use crate::target::subject::{BuildRequest, Subject};
use crate::target::unit::{Built, Unit, build_drivable};
use crate::{AnalysisError, Progress};

/// An analysis of one build, as it is asked for.
pub trait OneBuild {
    /// Which one.
    const ANALYSIS: Analysis;

    /// What every analysis is told, the build, and how a library is worked through.
    fn asked(&self) -> (&RunOptions, &BuildRequest, &ScheduleOptions);

    /// What a function's result depends on beside its code and what [`OneBuild::asked`] says, by name.
    fn own_options(&self) -> Vec<(&'static str, String)>;

    /// Analyses a function.
    ///
    /// # Errors
    ///
    /// What keeps it from being analysed at all.
    fn of_function(&self, function: &BuiltFunction<'_>) -> Result<Done, AnalysisError>;

    /// Analyses the functions of a library.
    ///
    /// # Errors
    ///
    /// Where results cannot be kept.
    fn of_library(&self, library: &BuiltLibrary<'_>) -> Result<Outcome, AnalysisError>;

    /// The report as long as nothing is found.
    fn empty_report(&self, clock: &Clock) -> Report {
        let (run, build, _) = self.asked();
        empty_report(run, Self::ANALYSIS, build.path().display().to_string(), clock)
    }
}

/// A function that is there to be analysed.
pub struct BuiltFunction<'a> {
    /// The function and its build.
    pub built: &'a Built,
    /// What calls it.
    pub driver: &'a Driver,
    /// The run's time.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// A library that is there to be analysed.
pub struct BuiltLibrary<'a> {
    /// What was asked for.
    pub wanted: LibraryRequest<'a>,
    /// The library.
    pub library: Library,
    /// When its functions are analysed.
    pub schedule: Schedule<'a>,
    /// The folder for compiled drivers.
    pub drivers: &'a Path,
}

impl BuiltLibrary<'_> {
    /// A function's analysis, once it is ready to run; or why there is none.
    pub fn of_function<R>(
        &self,
        of: &LibraryFunction,
        analyse: impl FnOnce(&Unit, &Driver) -> Result<R, AnalysisError>,
    ) -> Result<R, String> {
        let unit = self.library.unit(of)?;
        let driver = Driver::cached(&unit.signature, self.drivers).map_err(|error| error.to_string())?;
        analyse(&unit, &driver).map_err(|error| error.to_string())
    }
}

/// Makes what an analysis asks for, and lets it begin.
///
/// # Errors
///
/// What keeps the analysis from being made at all: see [`AnalysisError`].
pub fn analyse<R: OneBuild>(request: &R, progress: &dyn Progress) -> Result<Outcome, AnalysisError> {
    let (run, build, pace) = request.asked();
    let clock = Clock::start(run.time);
    let folder = temporary_folder()?;
    match &build.subject {
        Subject::Source(source) => {
            progress.phase("building");
            let built = match build_drivable(build.unit(run), source, folder.path(), &clock) {
                Err(error) if error.is_time_up() && clock.may_have_ended_it() => {
                    return Ok(Done::cut_short(request.empty_report(&clock), "the build was").into());
                }
                built => built?,
            };
            let driver = Driver::compile(&built.unit.signature, folder.path())?;
            let function = BuiltFunction { built: &built, driver: &driver, clock: &clock, progress };
            request.of_function(&function).map(Outcome::from)
        }
        Subject::Library { database, entries } => {
            let mut options = run.that_results_depend_on(pace.function_time);
            build.enter(&mut options);
            options.extend(request.own_options());
            let schedule = Schedule::open(run, (R::ANALYSIS, &options), pace, &clock, progress)?;
            progress.phase("building");
            let wanted = LibraryRequest::new(build.unit(run), (database, entries), pace.jobs);
            let library = match Library::new(wanted, &folder_of(run, &pace.campaign, folder.path()), &clock) {
                Err(error) if error.is_time_up() && clock.may_have_ended_it() && pace.campaign.shard.is_none() => {
                    return Ok(Done::cut_short(request.empty_report(&clock), "the build was").into());
                }
                library => library?,
            };
            request.of_library(&BuiltLibrary { wanted, library, schedule, drivers: folder.path() })
        }
    }
}
