//! What a user asks of `diff`, resolved: every default is filled in.

use std::path::PathBuf;

use labrys_report::Severity;

use crate::library::schedule::ScheduleOptions;
use crate::run::options::RunOptions;

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
    /// The functions of a library whose names match a pattern.
    Project {
        /// The folder of `compile_commands.json`.
        database: PathBuf,
        /// The patterns; `*` and `?` as in a shell.
        entries: Vec<String>,
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
    /// What is compared.
    pub subject: Subject,
    /// What every analysis is told.
    pub run: RunOptions,
    /// The baseline's flags, compiler first; `None`: the language's default.
    pub baseline: Option<String>,
    /// The variants' flags; empty: the language's default.
    pub variants: Vec<String>,
    /// Results further apart than so many ulps differ.
    pub ulps: u64,
    /// Whether traces are compared.
    pub compare_traces: bool,
    /// Start-up state of all builds.
    pub startup: StartupChoice,
    /// Whether every divergence is a finding, and not only every cause.
    pub every: bool,
    /// A function of a library that is called once before the one under test.
    pub init: Option<String>,
    /// How a library is worked through.
    pub schedule: ScheduleOptions,
    /// Whether flags and passes are blamed for findings, by builds made otherwise.
    pub blames: bool,
    /// Whether the largest parts of the variant's flags are looked for under which no divergence of this severity or worse is found.
    pub safe_flags: Option<Severity>,
    /// Whether the plain sampler runs beside.
    pub compare_random: bool,
}
