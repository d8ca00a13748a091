//! What a user asks of `verify`, resolved: every default is filled in.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use labrys_executor::{AnyArguments, Options, Watch};
use labrys_interp::Facts;
use labrys_program::Origin;

use super::building::BuiltProgram;
use super::property::{Property, checks};
use crate::RunOptions;
use crate::run::clock::Clock;
use crate::whole::suite::TestsRequest;

/// A resolved request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The exact command line, for the report.
    pub command: Vec<String>,
    /// Who wrote the command line.
    pub origin: Origin,
    /// Sources and bitcode.
    pub sources: Vec<PathBuf>,
    /// The compiler; `None`: each language's own.
    pub compiler: Option<String>,
    /// Flags for every source.
    pub flags: Vec<String>,
    /// The function that is entered.
    pub entry: String,
    /// How an entry that is no `main` is called where it takes more than numbers: lengths and assumptions of its inputs.
    pub calling: Option<RunOptions>,
    /// The program's arguments.
    pub arguments: Vec<Vec<u8>>,
    /// Behind these, arguments that may be any.
    pub any_arguments: AnyArguments,
    /// Bytes that standard input has at most, any of them.
    pub standard_input: u64,
    /// What is asked about; never empty.
    pub properties: Vec<Property>,
    /// How often a loop is run on one path; `None` for as often as it runs.
    pub loop_bound: Option<u32>,
    /// A bound on everything, builds and native runs included.
    pub time: Option<Duration>,
    /// Memory in mebibytes, of this process and of each native run.
    pub memory_mib: u64,
    /// Paths to follow at most.
    pub max_paths: usize,
    /// The seed of all random choices.
    pub seed: u64,
    /// A bound on one native run.
    pub run_time: Duration,
    /// Where the report and each finding's files are written.
    pub output: Option<PathBuf>,
    /// Where the tests of completed paths are written.
    pub tests: Option<TestsRequest>,
    /// Where SV-COMP's witness is written.
    pub witness: Option<PathBuf>,
    /// The command that becomes a program: this one and its hidden subcommand, with the mode as its last argument.
    pub launcher: Vec<OsString>,
}

impl Request {
    /// What the executor is told.
    pub(super) fn options(&self, built: &BuiltProgram, time: &Clock, watch: Arc<Watch>) -> Options {
        Options {
            entry: built.entry().name.clone(),
            arguments: self.arguments.clone(),
            any_arguments: self.any_arguments,
            standard_input: self.standard_input,
            checks: checks(&self.properties),
            loop_bound: self.loop_bound,
            deadline: time.limit(),
            slowdown: time.slowdown(),
            memory_mib: self.memory_mib,
            max_paths: self.max_paths,
            seed: self.seed,
            // Each path has a test of its own where tests are asked for.
            merges: self.tests.is_none(),
            is_direct: true,
            facts: Facts::default(),
            watch: Some(watch),
            ranges: Arc::default(),
            answers: None,
        }
    }
}
