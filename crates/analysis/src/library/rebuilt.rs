//! A build made again, on which a report's witnesses are run.

use std::borrow::Cow;
use std::path::Path;

use super::build::{Library, LibraryRequest};
use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::target::subject::Subject;
use crate::target::unit::{self, Unit, UnitRequest};

/// A function or a library, built again.
pub struct Rebuilt {
    folder: tempfile::TempDir,
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
    pub fn new(subject: &Subject, request: UnitRequest<'_>, jobs: usize) -> Result<Rebuilt, AnalysisError> {
        let UnitRequest { run, flags, init } = request;
        let clock = Clock::start(run.time);
        let folder = temporary_folder()?;
        let build = match subject {
            Subject::Source(source) => {
                Build::Source(Box::new(unit::build_source(request, source, folder.path(), &clock)?.unit))
            }
            Subject::Library { database, entries } => {
                // What the run itself built is built again only where something has changed.
                let products = run.output.as_ref().map(|output| output.join("build")).filter(|built| built.is_dir());
                let products = products.unwrap_or_else(|| folder.path().join("build"));
                let wanted = LibraryRequest { run, database, entries, flags, init, jobs };
                Build::Library(Box::new(Library::new(wanted, &products, &clock)?))
            }
        };
        Ok(Rebuilt { folder, build })
    }

    /// The function under test; of a library the one of this name.
    ///
    /// # Errors
    ///
    /// Where the function is gone, or can no longer be driven.
    pub fn unit(&self, function: Option<&str>) -> Result<Cow<'_, Unit>, AnalysisError> {
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

    /// Whether it is a library.
    pub fn is_library(&self) -> bool {
        matches!(self.build, Build::Library(_))
    }

    /// The folder for what is compiled on the way.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}
