//! A build made again, on which a report's witnesses are run.

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use labrys_program::{LibraryScript, TemporaryFolder};

use super::build::{Library, LibraryRequest, SCRIPT_LIMIT, folder_of_replay};
use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::run::options::RunOptions;
use crate::target::subject::{BuildRequest, Subject};
use crate::target::unit::{Unit, build_drivable};

/// A function or a library, built again.
pub struct Rebuilt {
    folder: TemporaryFolder,
    build: Build,
}

enum Build {
    Source(Box<Unit>),
    Library(Box<Library>),
}

impl Rebuilt {
    /// Builds what was analysed again.
    ///
    /// # Errors
    ///
    /// Where the build cannot be made.
    pub fn new(run: &RunOptions, request: &BuildRequest, jobs: usize) -> Result<Rebuilt, AnalysisError> {
        let clock = Clock::start(run.time);
        let folder = temporary_folder()?;
        let unit = request.unit(run);
        let build = match &request.subject {
            Subject::Source(source) => {
                Build::Source(Box::new(build_drivable(unit, source, folder.path(), &clock)?.unit))
            }
            Subject::Library { database, entries } => {
                let wanted = LibraryRequest::new(unit, (database, entries), jobs);
                Build::Library(Box::new(Library::new(wanted, &folder_of_replay(run, folder.path()), &clock)?))
            }
        };
        Ok(Rebuilt { folder, build })
    }

    /// The function under test; of a library the one of this name.
    ///
    /// # Errors
    ///
    /// Where the function is gone, or can no longer be driven.
    pub(crate) fn unit(&self, function: Option<&str>) -> Result<Cow<'_, Unit>, AnalysisError> {
        match &self.build {
            Build::Source(unit) => Ok(Cow::Borrowed(unit)),
            Build::Library(library) => {
                let gone =
                    || AnalysisError::Usage("the report does not say which function the finding is of".to_owned());
                let of = library.function(function.ok_or_else(gone)?)?;
                library.unit(of).map(Cow::Owned).map_err(AnalysisError::Usage)
            }
        }
    }

    /// How it was built, if it is a library.
    ///
    /// # Errors
    ///
    /// A compiler is gone.
    pub(crate) fn script(&self) -> Result<Option<LibraryScript>, AnalysisError> {
        match &self.build {
            Build::Source(_) => Ok(None),
            Build::Library(library) => Ok(Some(library.build.script(Instant::now() + SCRIPT_LIMIT)?)),
        }
    }

    /// Whether it is a library.
    pub(crate) fn is_library(&self) -> bool {
        matches!(self.build, Build::Library(_))
    }

    /// The folder for what is compiled on the way.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}
