//! Options of `cover`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::run::after_help;
use super::verify::TestFormat;
use super::{ExecutionArgs, Format, Inputs};

/// What is to be covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Goal {
    /// Every line.
    Lines,
    /// Every outcome of every condition.
    #[default]
    Branches,
    /// Every condition decides its decision alone: modified condition/decision coverage.
    Mcdc,
    /// Every path.
    Paths,
    /// Every comparison of floats with equal operands, and with neighbouring ones on both sides.
    Boundaries,
}

/// Whose code is to be covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// The function's own.
    Function,
    /// That of all functions of FILE to which it comes.
    #[default]
    File,
}

/// Options of `cover`.
#[derive(Debug, Args)]
pub struct CoverArgs {
    /// The C, C++, Fortran or Rust file whose code is to be covered.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The function that is called; main takes its inputs as `verify` has it. Default: main, or the file's only function.
    #[arg(short, long, value_name = "NAME")]
    pub function: Option<String>,

    /// What is to be covered.
    #[arg(long, value_enum, value_name = "GOAL", default_value_t = Goal::Branches)]
    pub goal: Goal,

    /// Beside GOAL, for every comparison of floats tests on which its operands are equal, and neighbouring floats on both sides.
    #[arg(long, conflicts_with = "path")]
    pub boundaries: bool,

    /// An input that takes one path, or a proof that none does: lines and whether a condition on them is true, in order, each time that one is
    /// evaluated; what other lines do, and what comes after, is free. && and || have a condition on each side.
    #[arg(long, value_name = "12:T,15:F", conflicts_with = "goal")]
    pub path: Option<String>,

    /// Whose code is to be covered.
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = Scope::File)]
    pub scope: Scope,

    /// The folder that holds compile_commands.json: the file's own flags are used.
    #[arg(short = 'p', long = "build-dir", value_name = "DIR")]
    pub database: Option<PathBuf>,

    /// Another source of the program; may be repeated. It is executed, but need not be covered.
    #[arg(long, value_name = "FILE")]
    pub link: Vec<PathBuf>,

    /// The function's prototype, where debug information lacks it.
    #[arg(long, value_name = "PROTOTYPE")]
    pub signature: Option<String>,

    /// The number of elements behind a pointer parameter: x=8, or x=n with an integer parameter n, or x=n+1; may be repeated.
    #[arg(long, value_name = "NAME=LENGTH")]
    pub length: Vec<String>,

    /// Only inputs for which this holds (grammar below); may be repeated.
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub assume: Vec<String>,

    /// Only inputs within a closed interval: x=-1e3..1e3; either bound may be left out: x=0..; may be repeated.
    #[arg(long, value_name = "NAME=LOW..HIGH", allow_hyphen_values = true)]
    pub range: Vec<String>,

    /// Which values inputs take.
    #[arg(long, value_enum, default_value_t = Inputs::All)]
    pub inputs: Inputs,

    /// An argument of the program, where it is entered at main; may be repeated.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub argument: Vec<String>,

    /// What the execution may use up.
    #[command(flatten)]
    pub execution: ExecutionArgs,

    /// Write the tests into this folder; with -o, by default into its folder tests.
    #[arg(long, value_name = "DIR")]
    pub tests: Option<PathBuf>,

    /// How tests are written. All but ktest and test-comp have what each test computed, too, and tell when that changes.
    #[arg(long, visible_alias = "emit", value_enum, value_name = "FORMAT", default_value_t = TestFormat::C)]
    pub test_format: TestFormat,

    /// How many units in the last place recorded floats may be off when tests run again.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub ulps: u64,

    /// How results are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write report.json, report.sarif, report.html and the tests into this folder.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Show every test and everything that is not covered as text.
    #[arg(long)]
    pub all: bool,

    /// Flags for every source.
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<String>,
}

/// What the command comes to.
pub fn cover_help() -> String {
    after_help(OUTCOMES)
}

const OUTCOMES: &str = "\
Random inputs are run first, then paths are followed symbolically to what they left. What counts as covered is what llvm-cov counts
when the tests run natively, built without optimisation. What no test covers is
  infeasible  no input does: every way there was followed or refuted, bit for bit; the assumptions are listed
  unknown     neither is known; why is said

Exit codes: 0 everything is covered or infeasible, 3 something is unknown, 2 usage or environment error, 4 a native run did what was
proved to be impossible.

Examples:
  labrys cover f.c -f tcas --goal branches -o out/
  labrys cover s_atan.c -f atan -- -Iinclude
  labrys cover f.c -f clamp --boundaries --tests tests/ --emit pytest
  labrys cover bisect.c -f bisect --goal paths --range x=0..1 --loop-bound 12
  labrys cover prog.c --goal mcdc --tests tests/ --test-format test-comp";
