//! Options of `exceptions`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::build::BuildArgs;
use super::duration;
use super::run::after_help;

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
#[command(after_long_help = after_help(OUTCOMES))]
pub struct ExceptionsArgs {
    /// The build, and what goes with it.
    #[command(flatten)]
    pub build: BuildArgs,

    /// Only these exceptions: divbyzero,invalid,overflow,underflow (the default), inexact.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    pub only: Vec<Exception>,

    /// How far libm's functions may be from the correctly rounded value in proofs.
    #[arg(long, value_name = "ULPS", default_value_t = 4, allow_hyphen_values = true)]
    pub libm_ulps: u32,

    /// Analyse functions of a library with more than N pairs of a site and an exception in parts of at most N, each with the bounds
    /// of a function: what --shard and --jobs then share out. Results depend on it.
    #[arg(long, value_name = "N", requires = "database", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub split: Option<u32>,

    /// A bound on everything, builds included: 60s, 5m, 1h. Waiting for processors that other programs use does not count, up to
    /// four times as long by the clock on the wall. Default: none, for one function 2m.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub time: Option<Duration>,

    /// How many inputs are run for each function. Default: 100000, and all of a search domain that has at most 2^20.
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_work: Option<u64>,
}

const OUTCOMES: &str = "\
Each site (a floating-point operation of the source) and each exception that its operator can raise gets a verdict:
  reachable     an input raises it, observed on the native build
  unreachable   proved: no input of the search domain raises it; over the IR, or by running all of them
  within bound  proved for executions whose loops stay within --loop-bound
  unknown       neither, with the reason

Exit codes: 0 nothing found (nothing new, with --baseline) and the planned work done, 1 findings, 2 usage or
environment error, 3 cut short by a limit with nothing found, 4 a proof was contradicted by a second opinion.

Examples:
  labrys exceptions f.c -f bessel_j
  labrys exceptions f.c -f g --only divbyzero,invalid --range x=-1e3..1e3 --loop-bound 8 --time 10m
  labrys exceptions -p build/ --entry 'gsl_sf_*' --init gsl_set_error_handler_off -o out/";
