//! What a user asks of `exceptions`, resolved: every default is filled in.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use labrys_float::Flags;
use labrys_fuzz::InputClass;

use crate::diff::TracingChoice;
use crate::domain::DomainRequest;

/// What is analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One function of a source (or IR) file.
    Source(PathBuf),
    /// The functions of a library whose names match a pattern.
    Library {
        /// The folder of `compile_commands.json`.
        database: PathBuf,
        /// The patterns; `*` and `?` as in a shell.
        entries: Vec<String>,
    },
}

/// A resolved request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The exact command line, for the report.
    pub command: Vec<String>,
    /// What is analysed.
    pub subject: Subject,
    /// The function; `None`: the only one.
    pub function: Option<String>,
    /// The build's flags, compiler first; `None`: the language's default without optimisation.
    pub build: Option<String>,
    /// Flags that follow those of the build.
    pub common_flags: Vec<String>,
    /// Objects and libraries that go to the link.
    pub link: Vec<PathBuf>,
    /// The folder of `compile_commands.json` that has the flags of a source.
    pub database: Option<PathBuf>,
    /// The prototype, where debug information is missing.
    pub signature: Option<String>,
    /// `x=8` or `x=n`, a pointer parameter's length.
    pub lengths: Vec<String>,
    /// `--assume` expressions.
    pub assumptions: Vec<String>,
    /// `--range` intervals.
    pub ranges: Vec<String>,
    /// Inputs to run instead of a search.
    pub given: Vec<String>,
    /// Which values inputs take.
    pub inputs: InputClass,
    /// The exceptions that are asked about.
    pub watched: Flags,
    /// How traces are made.
    pub tracing: TracingChoice,
    /// A function that is called once before the one under test.
    pub init: Option<String>,
    /// How far libm's functions may be from the correctly rounded value in proofs, in ulps.
    pub libm_ulps: u32,
    /// A bound on everything, builds included.
    pub time: Option<Duration>,
    /// A bound on each function of a library; `None`: a share of what is left of `time`, or some seconds.
    pub function_time: Option<Duration>,
    /// A bound on inputs run for each function.
    pub max_work: u64,
    /// The seed of every random choice.
    pub seed: u64,
    /// Where reports, reproducers and the store of a library run are written.
    pub output: Option<PathBuf>,
    /// Where solver queries are written.
    pub dump_queries: Option<PathBuf>,
    /// How often a loop is unrolled where its bound is symbolic.
    pub loop_bound: u32,
    /// How many paths are explored.
    pub max_paths: u32,
    /// How many functions of a library are analysed at a time.
    pub jobs: usize,
    /// A bound on one call of the code under test.
    pub call_timeout: Duration,
    /// The command that runs a worker process: this program and its hidden subcommand.
    pub worker: Vec<OsString>,
}

impl Request {
    /// What is said of the inputs that count.
    pub fn domain(&self) -> DomainRequest<'_> {
        DomainRequest { inputs: self.inputs, ranges: &self.ranges, assumptions: &self.assumptions }
    }
}
