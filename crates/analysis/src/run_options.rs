//! What every analysis is told: the function and its signature, the inputs that count, how much may be done.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_native::{TracingSupport, tracing_support};

use crate::domain::DomainRequest;

/// The resolved options that all analyses have in common: every default is filled in.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The exact command line, for the report.
    pub command: Vec<String>,
    /// The function; `None`: the only one.
    pub function: Option<String>,
    /// Flags that go to every build, after its own.
    pub common_flags: Vec<String>,
    /// Objects and libraries that go to every link.
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
    /// Inputs to run instead of a search: `v=1, x[0]=0x1p3`; what is not named is zero.
    pub given: Vec<String>,
    /// Which values inputs take.
    pub inputs: InputClass,
    /// Watched exceptions.
    pub watched: Flags,
    /// How traces are made.
    pub tracing: TracingChoice,
    /// A bound on everything, builds included.
    pub time: Option<Duration>,
    /// A bound on inputs run, for each function.
    pub max_work: u64,
    /// The seed of every random choice.
    pub seed: u64,
    /// Where reports, reproducers and the store of a library run are written.
    pub output: Option<PathBuf>,
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

impl RunOptions {
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

    /// How traces are made on this machine, in words for the report, where that is not by trapping the processor's
    /// exceptions.
    pub fn note(self) -> Option<String> {
        let chosen = self != TracingChoice::Automatic;
        let why = if chosen { "as asked" } else { "this machine does not trap exceptions" };
        match self.resolved() {
            TracingChoice::Step => Some(format!("traces were made by single steps: {why}")),
            TracingChoice::Interpreter => {
                let why = if chosen { why } else { "this machine neither traps exceptions nor single-steps" };
                Some(format!(
                    "traces were made by interpreting each build's IR, not by the processor: {why}; one that does not \
                     agree with the flags and results observed is marked incomplete"
                ))
            }
            TracingChoice::Automatic | TracingChoice::Trap => None,
        }
    }
}
