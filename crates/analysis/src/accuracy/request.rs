//! What a user asks of `accuracy`, resolved: every default is filled in.

use std::path::Path;
use std::time::Duration;

use labrys_program::FloatType;

use super::error::Metric;
use crate::library::build::LibraryRequest;
use crate::run::options::RunOptions;
pub use crate::target::subject::Subject;
use crate::target::unit::UnitRequest;

/// A resolved request.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is analysed.
    pub subject: Subject,
    /// What every analysis is told.
    pub run: RunOptions,
    /// The build's flags, compiler first; `None`: the language's default without optimisation.
    pub build: Option<String>,
    /// A function that is called once before the one under test.
    pub init: Option<String>,
    /// By which measure the largest error is looked for.
    pub metric: Metric,
    /// The type whose numbers inputs are, where it is a narrower one than their own.
    pub grid: Option<FloatType>,
    /// Whether bounds of errors are proved.
    pub proves_bounds: bool,
    /// How far libm's functions may be from the correctly rounded value in proofs, in floats; `None`: as far as is known of each.
    pub libm_ulps: Option<u32>,
    /// A bound on each function of a library; `None`: a share of what is left of the run's time, or some seconds.
    pub function_time: Option<Duration>,
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
