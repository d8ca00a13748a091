//! Options of `exceptions`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{Format, Inputs, Tracing, duration};

/// An exception that can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Exception {
    /// A quotient of a number that is not zero and zero; a pole.
    Divbyzero,
    /// An operation without a meaningful result: 0/0, ∞ − ∞, the root of a negative number.
    Invalid,
    /// A result beyond the largest finite number.
    Overflow,
    /// A tiny result that is not exact.
    Underflow,
    /// A result that was rounded (nearly every operation's is).
    Inexact,
}

/// Options of `exceptions`.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct ExceptionsArgs {
    /// A source file (.c .cc .cpp .cxx .f90 .rs .ll .bc); none for a run over a library (-p).
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The function to analyse; not needed where the file has only one.
    #[arg(short, long, value_name = "NAME")]
    pub function: Option<String>,

    /// The folder that holds compile_commands.json: a file's own flags, or without FILE a whole library.
    #[arg(short = 'p', long = "build-dir", value_name = "DIR")]
    pub database: Option<PathBuf>,

    /// Functions of a library, static ones included: 'gsl_sf_*'; may be repeated. Default: all.
    #[arg(long, value_name = "PATTERN", requires = "database")]
    pub entry: Vec<String>,

    /// A function that is called once, before everything else: it takes nothing.
    #[arg(long, value_name = "NAME")]
    pub init: Option<String>,

    /// Only these exceptions: divbyzero,invalid,overflow,underflow (the default), inexact.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    pub only: Vec<Exception>,

    /// Flags of the build; a first word without '-' names the compiler. Default: "-O0", for Rust "-C opt-level=0".
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub build: Option<String>,

    /// The function's prototype.
    #[arg(
        long,
        value_name = "PROTOTYPE",
        help = "The function's prototype, where debug information lacks it: \"double(double v, double w[n], int n)\""
    )]
    pub signature: Option<String>,

    /// The number of elements behind a pointer parameter: x=8, or x=n with an integer parameter n; may be repeated.
    #[arg(long, value_name = "NAME=LENGTH")]
    pub length: Vec<String>,

    /// Only inputs for which this holds (see labrys diff --help); may be repeated.
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub assume: Vec<String>,

    /// Only inputs within a closed interval: x=-1e3..1e3; may be repeated.
    #[arg(long, value_name = "NAME=LOW..HIGH", allow_hyphen_values = true)]
    pub range: Vec<String>,

    /// Inputs instead of a search.
    #[arg(
        long,
        value_name = "NAME=VALUE,...",
        allow_hyphen_values = true,
        help = "Run this input instead of a search: \"v=1, x[0]=0x1p-3\"; what is not named is zero; may be repeated"
    )]
    pub input: Vec<String>,

    /// Which values inputs take.
    #[arg(long, value_enum, default_value_t = Inputs::All)]
    pub inputs: Inputs,

    /// How often a loop with a symbolic bound is unrolled.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub loop_bound: u32,

    /// How many paths are explored symbolically.
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_paths: u32,

    /// How far libm's functions may be from the correctly rounded value in proofs.
    #[arg(long, value_name = "ULPS", default_value_t = 4)]
    pub libm_ulps: u32,

    /// How the order and place of exceptions are found. Where the machine does not trap exceptions, `auto` is `step`, and
    /// `interpreter` where it does not single-step either.
    #[arg(long, value_enum, value_name = "WAY", default_value = "auto")]
    pub tracing: Tracing,

    /// A bound on everything, builds included: 60s, 5m, 1h. Default: none, for one function 2m.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub time: Option<Duration>,

    /// A bound on each function of a library. Default: with --time a share of what is left of it, else 15s.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub function_time: Option<Duration>,

    /// How many functions of a library are analysed at a time.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=64))]
    pub jobs: u64,

    /// How many inputs are run for each function.
    #[arg(long, value_name = "N", default_value_t = 100_000, allow_hyphen_values = true,
        value_parser = clap::value_parser!(u64).range(1..))]
    pub max_work: u64,

    /// The seed of every random choice: equal seeds and work give equal reports.
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    pub seed: u64,

    /// A bound on one call of the code under test.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration, default_value = "1s")]
    pub call_timeout: Duration,

    /// An object or library that the build is linked with; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub link: Vec<PathBuf>,

    /// Write every solver query as SMT-LIB into this folder.
    #[arg(long, value_name = "DIR")]
    pub dump_queries: Option<PathBuf>,

    /// How results are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write report.json, report.sarif, report.html and a reproducer for each finding into this folder; a run over a library
    /// goes on from there.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Findings that are known: they are marked, and do not count for the exit code. A file of --write-baseline, or a
    /// report.json.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Write this run's findings as known ones into a file. It goes by functions and operators, not by lines.
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// Show every exception, the harmless, honest and known ones too; else they are only counted.
    #[arg(long)]
    pub all: bool,

    /// Flags that follow the build's own.
    #[arg(last = true, value_name = "FLAGS")]
    pub common_flags: Vec<String>,
}

const HELP: &str = "\
Each site (a floating-point operation of the source) and each exception that its operator can raise gets a verdict:
  reachable     an input raises it, observed on the native build
  unreachable   proved over the IR: no input of the search domain raises it
  within bound  proved for executions whose loops stay within --loop-bound
  unknown       neither, with the reason

Exit codes: 0 nothing found (nothing new, with --baseline) and the planned work done, 1 findings, 2 usage or
environment error, 3 cut short by a limit with nothing found.

Examples:
  labrys exceptions f.c -f bessel_j
  labrys exceptions f.c -f g --only divbyzero,invalid --range x=-1e3..1e3 --loop-bound 8 --time 10m
  labrys exceptions -p build/ --entry 'gsl_sf_*' --init gsl_set_error_handler_off -o out/";
