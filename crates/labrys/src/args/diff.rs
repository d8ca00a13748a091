//! Options of `diff`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::build::ScheduleArgs;
use super::duration;
use super::run::{RunArgs, after_help};

/// What is compared beyond flags, class and ulps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compare {
    /// Exceptions raised, result class, result ulps.
    Results,
    /// The order and place of exceptions too.
    Trace,
}

/// How bad a divergence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Divergence {
    /// An exception, NaN or infinity that the clean baseline has not.
    Introduced,
    /// Or another class of result, or an exception that the baseline alone raises.
    Masked,
    /// Or underflow alone.
    Underflow,
    /// Or results further apart than --ulps.
    Ulps,
}

/// The control registers that the code starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Startup {
    /// What loading the build leaves: gcc's -ffast-math sets flush-to-zero.
    Loaded,
    /// The default environment in every build.
    Default,
    /// Flush-to-zero and denormals-are-zero in every build, as in an executable linked with -ffast-math.
    Ftz,
}

/// Options of `diff`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(OUTCOMES))]
pub struct DiffArgs {
    /// A source file (.c .cc .cpp .cxx .f90 .rs .ll .bc), or two: the old and the new version.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Flags of the baseline; a first word without '-' names the compiler. Default: "-O0", for Rust "-C opt-level=0".
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub baseline: Option<String>,

    /// Flags of a variant, compared with the baseline; may be repeated. Default: "-O3 -ffast-math", for Rust
    /// "-C opt-level=3 -C target-cpu=native".
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub variant: Vec<String>,

    /// A shared object as the baseline, instead of a source. Needs --variant-lib.
    #[arg(long, value_name = "FILE.so", requires = "variant_lib", conflicts_with_all = ["files", "baseline", "variant"])]
    pub baseline_lib: Option<PathBuf>,

    /// A shared object as a variant; may be repeated.
    #[arg(long, value_name = "FILE.so", requires = "baseline_lib")]
    pub variant_lib: Vec<PathBuf>,

    /// Results of equal class that are at most so many units in the last place apart do not differ.
    #[arg(long, value_name = "N", default_value_t = 4, allow_hyphen_values = true)]
    pub ulps: u64,

    /// Watch inexact too (nearly every operation raises it).
    #[arg(long)]
    pub inexact: bool,

    /// What is compared.
    #[arg(long, value_enum, default_value_t = Compare::Results)]
    pub compare: Compare,

    /// The control registers that the code starts with.
    #[arg(long, value_enum, default_value_t = Startup::Loaded)]
    pub startup: Startup,

    /// A bound on everything, builds included: 60s, 5m, 1h. Waiting for processors that other programs use does not count, up to
    /// four times as long by the clock on the wall. Default: a minute, or none where --max-work is given.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub time: Option<Duration>,

    /// How many inputs are run on all builds. Default: 200000.
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_work: Option<u64>,

    /// Run a plain log-uniform sampler beside, with as many inputs, and report what it finds.
    #[arg(long)]
    pub compare_random: bool,

    /// Do not build variants otherwise to find out which flags and which optimisation pass a finding takes
    #[arg(long)]
    pub no_blame: bool,

    /// Look for the largest parts of the variant's flags, umbrella flags taken apart, under which the same search finds no
    /// divergence this bad or worse, with how fast the code then is. Of one source and one --variant; default time: 5m.
    #[arg(long, value_name = "SEVERITY", num_args = 0..=1, require_equals = true, default_missing_value = "ulps")]
    pub safe_flags: Option<Divergence>,

    /// Functions of a library (-p without a FILE), static ones included: 'gsl_sf_*'; may be repeated. Default: all.
    #[arg(long, value_name = "PATTERN")]
    pub entry: Vec<String>,

    /// A function of a library that is called once, before everything else: it takes nothing.
    #[arg(long, value_name = "NAME", requires = "database")]
    pub init: Option<String>,

    /// How a library is worked through.
    #[command(flatten)]
    pub schedule: ScheduleArgs,

    /// Findings that are known: they are marked, and do not count for the exit code. A file of --write-known, or a
    /// report.json.
    #[arg(long, value_name = "FILE")]
    pub known: Option<PathBuf>,

    /// Write this run's findings as known ones into a file.
    #[arg(long, value_name = "FILE")]
    pub write_known: Option<PathBuf>,

    /// What every analysis is told.
    #[command(flatten, next_help_heading = "Options of every analysis")]
    pub run: RunArgs,
}

const OUTCOMES: &str = "\
Exit codes: 0 nothing found and the planned work done, 1 findings, 2 usage or environment error, 3 cut short by a
limit with nothing found, 4 a proof was contradicted by a second opinion.

Examples:
  labrys diff turbine1.c
  labrys diff f.c -f g --baseline \"-O0\" --variant \"-O3 -ffast-math -march=native\" --variant \"gcc -O3 -ffast-math\" -- -DN=8
  labrys diff old.c new.c -f g
  labrys diff --baseline-lib libold.so --variant-lib libnew.so -f g --signature \"double(double v, double w)\"
  labrys diff f.c --assume \"v>=-4.5 && v<=-0.3\" --inputs finite --ulps 100 --time 60s --format json -o out/";
