//! Options of analyses of one build; of these, what `diff` has in common with them.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use labrys_analysis::Shard;
use labrys_analysis::library::schedule::DEFAULT_FUNCTION_TIME;

use super::duration;
use super::run::RunArgs;

/// The build that is analysed, and how.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// A source file (.c .cc .cpp .cxx .f90 .rs .ll .bc); none for a run over a library (-p).
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Functions of a library, static ones included: 'gsl_sf_*'; may be repeated. Default: all.
    #[arg(long, value_name = "PATTERN", requires = "database")]
    pub entry: Vec<String>,

    /// A function that is called once, before everything else: it takes nothing.
    #[arg(long, value_name = "NAME")]
    pub init: Option<String>,

    /// Flags of the build; a first word without '-' names the compiler. Default: "-O0", for Rust "-C opt-level=0".
    #[arg(long = "build", value_name = "FLAGS", allow_hyphen_values = true)]
    pub flags: Option<String>,

    /// How a library is worked through.
    #[command(flatten)]
    pub schedule: ScheduleArgs,

    /// Findings that are known.
    #[command(flatten)]
    pub known: BaselineArgs,

    /// What every analysis is told.
    #[command(flatten, next_help_heading = "Options of every analysis")]
    pub run: RunArgs,
}

/// How a library is worked through.
#[derive(Debug, Args)]
pub struct ScheduleArgs {
    /// A bound on each function of a library.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration, help = function_time_help())]
    pub function_time: Option<Duration>,

    /// How many functions of a library are worked on at a time.
    #[arg(long, value_name = "N", default_value_t = 2, allow_hyphen_values = true, value_parser = clap::value_parser!(u64).range(1..=64))]
    pub jobs: u64,

    /// Do one part of a library run, I of N, and keep its results in the folder of -o: `labrys merge` makes the report of all parts.
    /// Which functions a part has is the same on every machine. 0/N only builds the library. See docs/campaigns.md.
    #[arg(long, value_name = "I/N", requires = "output")]
    pub shard: Option<Shard>,

    /// With --shard: take the results of other parts from this folder, and ask callers (of exceptions); may be repeated, all parts
    /// that analysed functions are needed.
    #[arg(long, value_name = "DIR", requires = "shard")]
    pub gather: Vec<PathBuf>,

    /// The folder in which the library is built, which runs of the same flags may share, those of --shard, too. Default: build, in the
    /// folder of -o.
    #[arg(long, value_name = "DIR")]
    pub products: Option<PathBuf>,

    /// With --shard: balance parts by the times in this folder of an earlier run, instead of by the size of code.
    #[arg(long, value_name = "DIR", requires = "shard")]
    pub balance: Option<PathBuf>,
}

fn function_time_help() -> String {
    let seconds = DEFAULT_FUNCTION_TIME.as_secs();
    format!(
        "A bound on each function of a library. Default: with --time a share of what is left of it, else {seconds}s"
    )
}

/// Findings that are known.
#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// Findings that are known: they are marked, and do not count for the exit code. A file of --write-baseline, or a
    /// report.json.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write this run's findings as known ones into a file. It goes by functions and operators, not by lines.
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
}
