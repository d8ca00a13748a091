//! Options of `accuracy`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::build::{BaselineArgs, BuildArgs, ScheduleArgs};
use super::duration;
use super::run::{ASSUME_GRAMMAR, RunArgs};

/// How errors are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Metric {
    /// log2(1 + ulps to the rounded truth).
    #[default]
    Bits,
    /// |r − t| / max(|t|, floor).
    Relative,
    /// |r − t|.
    Absolute,
}

/// A float type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Grid {
    /// `_Float16`.
    Binary16,
    /// `float`.
    Binary32,
}

/// Options of `accuracy`.
#[derive(Debug, Args)]
#[command(after_long_help = help())]
pub struct AccuracyArgs {
    /// The build.
    #[command(flatten)]
    pub build: BuildArgs,

    /// By which measure the largest error is looked for.
    #[arg(long, value_enum, default_value_t = Metric::Bits)]
    pub metric: Metric,

    /// With --metric relative: true values below this count as this, as the literature has it. Default: none.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_hyphen_values = true)]
    pub floor: f64,

    /// Inputs are numbers of this narrower type, whatever their own.
    #[arg(long, value_enum, value_name = "TYPE")]
    pub grid: Option<Grid>,

    /// Prove an upper bound of each output's error over the whole search domain, which needs a range for every input.
    #[arg(long)]
    pub bound: bool,

    /// How far libm's functions may be from the correctly rounded value in proofs. Default: 4 floats, or twice what glibc's manual knows of
    /// one where that is more.
    #[arg(long, value_name = "ULPS", allow_hyphen_values = true)]
    pub libm_ulps: Option<u32>,

    /// A bound on everything, builds included: 60s, 5m, 1h. Waiting for processors that other programs use does not count, up to
    /// four times as long by the clock on the wall. Default: none, for one function 1m.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub time: Option<Duration>,

    /// How a library is worked through.
    #[command(flatten)]
    pub schedule: ScheduleArgs,

    /// How many inputs are run for each function. Default: 200000.
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_work: Option<u64>,

    /// Findings that are known.
    #[command(flatten)]
    pub known: BaselineArgs,

    /// What every analysis is told.
    #[command(flatten, next_help_heading = "Options of every analysis")]
    pub run: RunArgs,
}

/// What follows the options in the long help.
fn help() -> String {
    format!("{ASSUME_GRAMMAR}\n\n{OUTCOMES}")
}

const OUTCOMES: &str = "\
The truth is what the function's own formulas give without rounding, certified: an enclosure in arbitrary precision fixes it to the
last bit. Errors are
  lost             a result that is NaN, infinite or zero where the truth is not, or the other way round
  unstable         larger than what half an ulp of change in the inputs brings about: another algorithm does better
  branch           the same, and the program takes another branch, or another step of floor and its like, than without rounding, and than
                   without rounding on inputs half an ulp away
  ill-conditioned  far off, but so are results of inputs half an ulp away
  benign           a few roundings; no finding for the exit code

Inputs are finite, whatever --inputs says: what a function makes of infinities and NaNs has no error.

Exit codes: 0 nothing found (nothing new, with --baseline) and the planned work done, 1 findings, 2 usage or
environment error, 3 cut short by a limit with nothing found, 4 a proved bound was exceeded: please report it.

Examples:
  labrys accuracy f.c -f variance --length data=n --range n=4..32 --range data=-100..100 --grid binary32
  labrys accuracy f.c -f g --range x=0..1 --bound
  labrys accuracy -p build/ --entry 'gsl_stats_*' -o out/";
