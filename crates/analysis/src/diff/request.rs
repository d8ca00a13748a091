//! What a user asks of `diff`, resolved: every default is filled in.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_native::{TracingSupport, tracing_support};

use crate::domain::DomainRequest;

/// The programs that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One source (or IR) file, built several ways.
    Source(PathBuf),
    /// Two files, compared as given: the old and the new version.
    Pair(PathBuf, PathBuf),
    /// Shared objects without source: the baseline's and the variants'.
    Libraries {
        /// The baseline's.
        baseline: PathBuf,
        /// The variants', at least one.
        variants: Vec<PathBuf>,
    },
}

/// The control registers that code starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartupChoice {
    /// Whatever loading the build leaves.
    #[default]
    AsLoaded,
    /// Rounding to nearest, no flushing.
    Default,
    /// FTZ and DAZ set, as an executable linked with -ffast-math starts.
    Ftz,
}

/// A resolved request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The exact command line, for the report.
    pub command: Vec<String>,
    /// What is compared.
    pub subject: Subject,
    /// The function; `None`: the only one.
    pub function: Option<String>,
    /// The baseline's flags, compiler first; `None`: the language's default.
    pub baseline: Option<String>,
    /// The variants' flags; empty: the language's default.
    pub variants: Vec<String>,
    /// Flags that go to every build.
    pub common_flags: Vec<String>,
    /// Objects and libraries that go to every link.
    pub link: Vec<PathBuf>,
    /// The folder of `compile_commands.json`.
    pub database: Option<PathBuf>,
    /// The prototype, where debug information is missing.
    pub signature: Option<String>,
    /// `x=8` or `x=n`, a pointer parameter's length.
    pub lengths: Vec<String>,
    /// `--assume` expressions.
    pub assumptions: Vec<String>,
    /// `--range` intervals.
    pub ranges: Vec<String>,
    /// Inputs to run instead of a search: `v=1, x[0]=0x1p3`; what is not named is zero.
    pub given: Vec<String>,
    /// Which values inputs take.
    pub inputs: InputClass,
    /// Watched exceptions.
    pub watched: Flags,
    /// Results further apart than so many ulps differ.
    pub ulps: u64,
    /// Whether traces are compared.
    pub compare_traces: bool,
    /// How traces are made.
    pub tracing: TracingChoice,
    /// Start-up state of all builds.
    pub startup: StartupChoice,
    /// A bound on everything, builds included.
    pub time: Option<Duration>,
    /// A bound on inputs run.
    pub max_work: u64,
    /// The seed of every random choice.
    pub seed: u64,
    /// Where reports and reproducers will be written, for the commands that findings print.
    pub output: Option<PathBuf>,
    /// Whether the plain sampler runs beside.
    pub compare_random: bool,
    /// Where solver queries are written.
    pub dump_queries: Option<PathBuf>,
    /// How often a loop is unrolled where its bound is symbolic.
    pub loop_bound: u32,
    /// How many paths are explored in each build.
    pub max_paths: u32,
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

/// How traces of exceptions are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TracingChoice {
    /// The best that the machine offers.
    #[default]
    Automatic,
    /// By unmasked exceptions, with single steps where those do not tell everything.
    Trap,
    /// By single steps alone.
    Step,
    /// By interpreting each build's IR on the same input.
    Interpreter,
}

impl TracingChoice {
    /// What is done on this machine.
    pub fn resolved(self) -> TracingChoice {
        match (self, tracing_support()) {
            (TracingChoice::Automatic, TracingSupport::Trap) => TracingChoice::Trap,
            (TracingChoice::Automatic, TracingSupport::Step) => TracingChoice::Step,
            (TracingChoice::Automatic, TracingSupport::None) => TracingChoice::Interpreter,
            (chosen, _) => chosen,
        }
    }
}
