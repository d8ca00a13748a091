//! The raw command line. Resolution into an analysis' request happens in the command's own module.

mod exceptions;
mod solve;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use exceptions::{Exception, ExceptionsArgs};
pub use solve::{Engine, Labelling, SolveArgs};

/// Tells what compiled floating-point code really does.
///
/// Whatever labrys reports as a finding was observed on native code with the inputs printed beside it.
#[derive(Debug, Parser)]
#[command(name = "labrys", version, max_term_width = 110, infer_long_args = false)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find inputs on which two builds of a function behave differently.
    Diff(Box<DiffArgs>),
    /// Find every floating-point exception a function can raise, or prove that it cannot.
    Exceptions(Box<ExceptionsArgs>),
    /// Run a finding's witness again: does the difference still hold?
    Replay(ReplayArgs),
    /// Decide constraints over floating-point numbers and bit vectors: a script in SMT-LIB 2.6.
    Solve(SolveArgs),
    /// Show what is installed, what is missing and how to get it.
    Doctor,
    /// Run one build under test in this process (used by labrys itself).
    #[command(name = "__worker", hide = true)]
    Worker {
        /// The worker's own arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Diagnostics for people.
    Text,
    /// One JSON document, schema labrys-report/1.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// One page for a browser, with everything in it.
    Html,
}

/// Which inputs are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Inputs {
    /// Finite values, zeros, infinities and quiet NaN.
    All,
    /// Finite values only.
    Finite,
}

/// What is compared beyond flags, class and ulps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compare {
    /// Exceptions raised, result class, result ulps.
    Results,
    /// The order and place of exceptions too.
    Trace,
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

/// Options of `diff`.
#[derive(Debug, Args)]
#[command(after_long_help = DIFF_HELP)]
pub struct DiffArgs {
    /// A source file (.c .cc .cpp .cxx .f90 .rs .ll .bc), or two: the old and the new version.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The function to compare; not needed where the file has only one.
    #[arg(short, long, value_name = "NAME")]
    pub function: Option<String>,

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

    /// Only inputs for which this holds (grammar below); may be repeated.
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

    /// How the order and place of exceptions are found. Where the machine does not trap exceptions, `auto` is `step`, and
    /// `interpreter` where it does not single-step either.
    #[arg(long, value_enum, value_name = "WAY", default_value = "auto")]
    pub tracing: Tracing,

    /// A bound on everything, builds included: 60s, 5m, 1h. Default: none.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub time: Option<Duration>,

    /// How many inputs are run on all builds.
    #[arg(long, value_name = "N", default_value_t = 200_000, allow_hyphen_values = true,
        value_parser = clap::value_parser!(u64).range(1..))]
    pub max_work: u64,

    /// The seed of every random choice: equal seeds and work give equal reports.
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    pub seed: u64,

    /// Run a plain log-uniform sampler beside, with as many inputs, and report what it finds.
    #[arg(long)]
    pub compare_random: bool,

    /// How often a loop with a symbolic bound is unrolled.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub loop_bound: u32,

    /// How many paths are explored symbolically in each build.
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub max_paths: u32,

    /// A bound on one call of the code under test.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration, default_value = "1s")]
    pub call_timeout: Duration,

    /// The folder that holds compile_commands.json: the file's own flags go to every build.
    #[arg(short = 'p', long = "build-dir", value_name = "DIR")]
    pub database: Option<PathBuf>,

    /// An object or library that every build is linked with; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub link: Vec<PathBuf>,

    /// Write every solver query as SMT-LIB into this folder, and the exact conditions over the floats of at most 500 operations.
    #[arg(long, value_name = "DIR")]
    pub dump_queries: Option<PathBuf>,

    /// How results are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write report.json, report.sarif, report.html and a reproducer for each finding into this folder.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Flags that go to every build.
    #[arg(last = true, value_name = "FLAGS")]
    pub common_flags: Vec<String>,
}

/// Options of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A finding that `diff -o DIR` wrote, or a whole report.
    #[arg(value_name = "FINDING.json")]
    pub finding: PathBuf,

    /// How the answer is printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

const DIFF_HELP: &str = "\
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

Exit codes: 0 nothing found and the planned work done, 1 findings, 2 usage or environment error, 3 cut short by a
limit with nothing found.

Examples:
  labrys diff turbine1.c
  labrys diff f.c -f g --baseline \"-O0\" --variant \"-O3 -ffast-math -march=native\" --variant \"gcc -O3 -ffast-math\" -- -DN=8
  labrys diff old.c new.c -f g
  labrys diff --baseline-lib libold.so --variant-lib libnew.so -f g --signature \"double(double v, double w)\"
  labrys diff f.c --assume \"v>=-4.5 && v<=-0.3\" --inputs finite --ulps 100 --time 60s --format json -o out/";

/// Reads 250ms, 60s, 5m, 1h, or seconds without a unit.
fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (number, factor) = UNITS
        .iter()
        .find_map(|(unit, factor)| text.strip_suffix(unit).map(|number| (number, *factor)))
        .unwrap_or((text, 1.0));
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * factor);
    seconds
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("`{text}` is no positive time such as 250ms, 60s, 5m or 1h"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2"), Ok(Duration::from_secs(2)));
        assert!(duration("-1s").is_err() && duration("soon").is_err() && duration("1e400h").is_err());
    }
}
