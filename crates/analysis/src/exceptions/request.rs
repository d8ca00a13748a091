//! What a user asks of `exceptions`, resolved: every default is filled in.

use std::path::Path;
use std::time::Duration;

use crate::library::build::LibraryRequest;
use crate::run::options::RunOptions;
pub use crate::target::subject::Subject;
use crate::target::unit::UnitRequest;

/// A resolved request.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is analysed.
    pub subject: Subject,
    /// What every analysis is told; the exceptions watched are those that are asked about.
    pub run: RunOptions,
    /// The build's flags, compiler first; `None`: the language's default without optimisation.
    pub build: Option<String>,
    /// A function that is called once before the one under test.
    pub init: Option<String>,
    /// How far libm's functions may be from the correctly rounded value in proofs, in ulps.
    pub libm_ulps: u32,
    /// A bound on each function of a library; `None`: a share of what is left of the run's time, or some seconds.
    pub function_time: Option<Duration>,
    /// Input spaces of at most so many members are run whole.
    pub whole_space: u64,
    /// How many functions of a library are analysed at a time.
    pub jobs: usize,
}

impl Request {
    /// How one function of a source file is built.
    pub fn unit(&self) -> UnitRequest<'_> {
        UnitRequest { run: &self.run, flags: self.build.as_deref(), init: self.init.as_deref() }
    }

    /// How a library is built.
    pub fn library<'a>(&'a self, database: &'a Path, entries: &'a [String]) -> LibraryRequest<'a> {
        let UnitRequest { run, flags, init } = self.unit();
        LibraryRequest { run, database, entries, flags, init, jobs: self.jobs }
    }
}
