//! Options that all analyses have in common.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use labrys_analysis::OpinionChoice;

use super::{Compression, Format, duration};

/// Which inputs are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Inputs {
    /// Finite values, zeros, infinities and quiet NaN.
    All,
    /// Finite values only.
    Finite,
}

/// How traces are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tracing {
    /// The best that this machine offers.
    Auto,
    /// The processor traps exceptions; single steps where that does not tell everything.
    Trap,
    /// Single steps only.
    Step,
    /// Each build's IR is interpreted on the same input.
    Interpreter,
}

/// The options of every analysis of compiled code.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The function to analyse; not needed where the file has only one.
    #[arg(short, long, value_name = "NAME")]
    pub function: Option<String>,

    /// The folder that holds compile_commands.json: the file's own flags go to every build.
    #[arg(short = 'p', long = "build-dir", value_name = "DIR")]
    pub database: Option<PathBuf>,

    /// A source, object or library that every build is linked with; may be repeated. Sources are analysed too.
    #[arg(long, value_name = "FILE")]
    pub link: Vec<PathBuf>,

    /// The function's prototype.
    #[arg(
        long,
        value_name = "PROTOTYPE",
        help = "The function's prototype, where debug information lacks it: \"double(double v, double w[n], int n)\""
    )]
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

    /// How the order and place of exceptions are found. Where the machine does not trap exceptions, `auto` and `trap` are `step`,
    /// and where it does not single-step either, `interpreter`; a note of the report says so.
    #[arg(long, value_enum, value_name = "WAY", default_value = "auto")]
    pub tracing: Tracing,

    /// The seed of every random choice: equal seeds and work give equal reports.
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    pub seed: u64,

    /// How often a loop with a symbolic bound is unrolled.
    #[arg(long, value_name = "N", default_value_t = 16, allow_hyphen_values = true)]
    pub loop_bound: u32,

    /// How many paths are explored symbolically in each build.
    #[arg(long, value_name = "N", default_value_t = 256, allow_hyphen_values = true)]
    pub max_paths: u32,

    /// A bound on one call of the code under test.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration, default_value = "1s")]
    pub call_timeout: Duration,

    /// Who is asked again about proofs by the solver, within a tenth of the run: off, z3, prune, all, bitwuzla-file:PATH, or several
    /// with commas. PATH is bitwuzla's executable, or a folder into which the queries are written (a new one ends with a slash). Changes no
    /// proof but one that is contradicted: that is withdrawn, and the run ends with 4.
    #[arg(long, value_name = "WHOM", default_value = "all", value_parser = OpinionChoice::parse)]
    pub second_opinion: OpinionChoice,

    /// Write every solver query as SMT-LIB into this folder; of diff also the exact conditions over the floats of at most
    /// 500 operations.
    #[arg(long, value_name = "DIR")]
    pub dump_queries: Option<PathBuf>,

    /// How results are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write report.json, report.sarif, report.html and a reproducer for each finding into this folder.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Write report.json.zst and report.sarif.zst instead of report.json and report.sarif: a library's are some twenty times shorter so.
    /// labrys reads both.
    #[arg(long, value_enum, value_name = "HOW", requires = "output")]
    pub compress: Option<Compression>,

    /// Show every finding in full as text, and of diff every divergence. Else diff has one for each cause, those that the
    /// flags allow are a line each, and exceptions that are harmless, honest or known are counted.
    #[arg(long)]
    pub all: bool,

    /// Flags that go to every build, after its own.
    #[arg(last = true, value_name = "FLAGS")]
    pub common_flags: Vec<String>,
}

/// What follows the options in a command's long help: what --assume takes, then what the command comes to.
pub fn after_help(outcomes: &str) -> String {
    format!("{ASSUME_GRAMMAR}\n\n{outcomes}")
}

/// What --assume takes.
const ASSUME_GRAMMAR: &str = "\
The condition of --assume:
  or      = and { \"||\" and }
  and     = not { \"&&\" not }
  not     = \"!\" not | compare
  compare = sum { (\"<\" | \"<=\" | \">\" | \">=\" | \"==\" | \"!=\") sum }     a < b < c is a < b && b < c
  sum     = product { (\"+\" | \"-\") product }
  product = unary { (\"*\" | \"/\") unary }
  unary   = \"-\" unary | atom
  atom    = number | input | \"abs\" \"(\" sum \")\" | \"finite\" \"(\" sum \")\" | \"(\" or \")\"
  input   = a parameter's name, x[3], p.re, p[2].w[0]
Comparisons are computed in doubles with rounding (a + b < 1 fails for a=1, b=-1e-30), or in binary128 where an input
is a 64-bit integer or a long double.";
