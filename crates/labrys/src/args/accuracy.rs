//! Options of `accuracy`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::build::BuildArgs;
use super::duration;
use super::run::after_help;

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

/// What is written for other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emitted {
    /// FPCore, which Herbie reads: what a function computes along the path of each finding's input.
    Fpcore,
}

/// Options of `accuracy`.
#[derive(Debug, Args)]
#[command(after_long_help = after_help(OUTCOMES))]
pub struct AccuracyArgs {
    /// The build, and what goes with it.
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

    /// What results are compared with instead of the function's own formulas without rounding: mpfr:erf or mpfr:jn(1,x), one of MPFR's
    /// functions, of the parameters in their order or of named ones and constants; slow.c:slow, another function of the same type, its
    /// formulas computed without rounding. For one of several functions of a library: gsl_sf_erf=mpfr:erf; may be repeated.
    #[arg(long, value_name = "[NAME=]WHAT", conflicts_with = "bound")]
    pub reference: Vec<String>,

    /// Prove an upper bound of each output's error over the whole search domain, which needs a range for every input.
    #[arg(long)]
    pub bound: bool,

    /// Run a plain log-uniform sampler beside, with as many inputs, and report the largest error that it finds.
    #[arg(long)]
    pub compare_random: bool,

    /// What each finding has beside its own words, for other tools; with -o in a file of its own (ID.fpcore).
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub emit: Option<Emitted>,

    /// How far libm's functions may be from the correctly rounded value in proofs. Default: 4 floats, or twice what glibc's manual knows of
    /// one where that is more.
    #[arg(long, value_name = "ULPS", allow_hyphen_values = true)]
    pub libm_ulps: Option<u32>,

    /// A bound on everything, builds included: 60s, 5m, 1h. Waiting for processors that other programs use does not count, up to
    /// four times as long by the clock on the wall. Default: none, for one function 1m.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub time: Option<Duration>,

    /// How many inputs are run for each function. Default: 1000000.
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_work: Option<u64>,
}

const OUTCOMES: &str = "\
The truth is what the function's own formulas give without rounding, or a --reference, certified: an enclosure in arbitrary precision
fixes it to the last bit. Errors are
  lost             a result that is NaN, infinite or zero where the truth is not, or the other way round
  wrong-algorithm  against a reference: larger than what half an ulp of change in the inputs brings about, most of it without any rounding
  unstable         larger than what half an ulp of change in the inputs brings about: another algorithm does better
  branch           the same, and the program takes another branch, or another step of floor and its like, than without rounding, and than
                   without rounding on inputs half an ulp away
  ill-conditioned  far off, but so are results of inputs half an ulp away
  benign           a few roundings; no finding for the exit code
  unclassified     certain, but whose fault is not known; the finding says why

Inputs are finite, whatever --inputs says: what a function makes of infinities and NaNs has no error.

Exit codes: 0 nothing found (nothing new, with --baseline) and the planned work done, 1 findings, 2 usage or
environment error, 3 cut short by a limit with nothing found, 4 a proved bound was exceeded: please report it.

Examples:
  labrys accuracy f.c -f variance --length data=n --range n=4..32 --range data=-100..100 --grid binary32
  labrys accuracy f.c -f g --range x=0..1 --bound
  labrys accuracy f.c -f g --range x=0..1 --emit fpcore
  labrys accuracy f.c -f fast --reference slow.c:slow
  labrys accuracy f.c -f bessel --reference 'mpfr:jn(1,x)'
  labrys accuracy -p build/ --entry 'gsl_stats_*' -o out/";
