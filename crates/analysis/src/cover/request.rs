//! What a user asks of `cover`, resolved: every default is filled in.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use labrys_executor::AnyArguments;
use labrys_report::Criterion;

use crate::target::unit::UnitRequest;
use crate::{RunOptions, TestsRequest};

/// Whose code is to be covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The function's own.
    Function,
    /// That of all functions of its file to which it comes.
    #[default]
    File,
}

/// A resolved request.
#[derive(Clone, Debug)]
pub struct Request {
    /// What every analysis is told.
    pub run: RunOptions,
    /// The file whose code is to be covered.
    pub file: PathBuf,
    /// The program's arguments, where it is entered at `main`.
    pub arguments: Vec<Vec<u8>>,
    /// Behind these, arguments that may be any.
    pub any_arguments: AnyArguments,
    /// Bytes that standard input has at most, any of them.
    pub standard_input: u64,
    /// What is to be covered.
    pub criterion: Criterion,
    /// Whose code is to be covered.
    pub scope: Scope,
    /// Whether comparisons of floats are to have tests at their boundaries, beside the criterion.
    pub boundaries: bool,
    /// The one path that is to be taken, as lines and outcomes of their conditions ([`super::parse_path`]).
    pub path: Option<Vec<(u32, bool)>>,
    /// How often a loop is run on one path; `None` for as often as it runs.
    pub loop_bound: Option<u32>,
    /// Paths to follow at most.
    pub max_paths: usize,
    /// Memory in mebibytes, of this process and of each native run.
    pub memory_mib: u64,
    /// A bound on one native run.
    pub run_time: Duration,
    /// Units in the last place by which recorded floats may differ when the tests are run again, in the C file of tests.
    pub ulps: u64,
    /// Where tests are written, and how.
    pub tests: Option<TestsRequest>,
    /// The command that becomes a program: this one and its hidden subcommand, with the mode as its last argument.
    pub launcher: Vec<OsString>,
}

impl Request {
    /// How the function is built to learn how it is called.
    pub(super) fn unit(&self) -> UnitRequest<'_> {
        UnitRequest { run: &self.run, flags: None, init: None }
    }
}
