//! The raw command line. Resolution into an analysis' request happens in the command's own module.

mod accuracy;
mod blame;
mod build;
mod cargo;
mod cover;
mod diff;
mod exceptions;
mod execution;
mod merge;
mod run;
mod slurm;
mod solve;
mod test;
mod verify;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use accuracy::{AccuracyArgs, Emitted, Grid, Metric as Measure};
pub use blame::BlameArgs;
pub use build::{BaselineArgs, BuildArgs, ScheduleArgs};
pub use cargo::{CargoArgs, CargoCommand, OfCrate};
pub use cover::{CoverArgs, Goal, Scope as CoverScope, cover_help};
pub use diff::{Compare, DiffArgs, Divergence, Startup};
pub use exceptions::{Exception, ExceptionsArgs};
pub use execution::ExecutionArgs;
pub use merge::{Lacking, MergeArgs};
pub use run::{Inputs, RunArgs, Tracing};
pub use slurm::SlurmArgs;
pub use solve::{Engine, Labelling, SolveArgs};
pub use test::TestArgs;
pub use verify::{TestFormat, VerifyArgs};

use crate::version::VERSION;

/// Tells what compiled floating-point code really does.
///
/// Whatever labrys reports as a finding was observed on native code with the inputs printed beside it.
#[derive(Debug, Parser)]
#[command(name = "labrys", version = VERSION.as_str(), max_term_width = 110, infer_long_args = false)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// The command line of a report.
    pub fn of_report(command: &[String]) -> Result<Cli, clap::Error> {
        let mut words = command.to_vec();
        if let [first, second, ..] = &mut words[..]
            && first == "cargo"
        {
            std::mem::swap(first, second);
        }
        Cli::try_parse_from(words)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find inputs on which two builds of a function behave differently.
    Diff(Box<DiffArgs>),
    /// Find every floating-point exception a function can raise, or prove that it cannot.
    Exceptions(Box<ExceptionsArgs>),
    /// Find the inputs on which a function's results are furthest from the truth, and whose fault that is.
    Accuracy(Box<AccuracyArgs>),
    /// Verify a whole program: find inputs on which it goes wrong, or prove that there are none.
    Verify(Box<VerifyArgs>),
    /// Find tests that cover a function or a program; prove what no input covers.
    #[command(after_long_help = cover_help())]
    Cover(Box<CoverArgs>),
    /// Analyse functions of a Rust crate: what `cargo labrys` is.
    #[command(subcommand, override_usage = "cargo labrys <COMMAND>")]
    Cargo(CargoCommand),
    /// Make one report of the parts of a library run that were done apart (--shard).
    Merge(MergeArgs),
    /// Run an analysis of a library as jobs of Slurm.
    Slurm(SlurmArgs),
    /// Run a finding's witness again: does the difference still hold?
    Replay(ReplayArgs),
    /// Find out which flags and which optimisation pass make a finding of diff.
    Blame(BlameArgs),
    /// Write a finding as a regression test that needs nothing of labrys.
    Test(TestArgs),
    /// Decide constraints over floating-point numbers and bit vectors: a script in SMT-LIB 2.6.
    Solve(SolveArgs),
    /// Run the C compiler ($LABRYS_CC, else clang) and record how it was called, for -p: make CC="labrys cc".
    #[command(disable_help_flag = true, after_help = RECORDED)]
    Cc {
        /// What the compiler gets, as it stands.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Run the C++ compiler ($LABRYS_CXX, else clang++) and record how it was called, for -p: make CXX="labrys cxx".
    #[command(disable_help_flag = true, after_help = RECORDED)]
    Cxx {
        /// What the compiler gets, as it stands.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Run the Fortran compiler ($LABRYS_FC, else flang) and record how it was called, for -p: make FC="labrys fc".
    #[command(disable_help_flag = true, after_help = RECORDED)]
    Fc {
        /// What the compiler gets, as it stands.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Show what is installed, what is missing and how to get it.
    Doctor,
    /// Print a script that completes commands and options for a shell.
    #[command(after_help = "Examples:
  labrys completions bash > ~/.local/share/bash-completion/completions/labrys
  labrys completions fish > ~/.config/fish/completions/labrys.fish")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write manual pages, one a command, into a folder (used by packages).
    #[command(name = "__manual", hide = true)]
    Manual {
        /// The folder, which is there.
        folder: PathBuf,
    },
    /// The same, without programs and files to write.
    #[command(name = "__confined", hide = true)]
    Confined {
        /// The worker's own arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Become a program that is run on recorded inputs (used by labrys itself).
    #[command(name = "__replay", hide = true)]
    Replayed {
        /// The mode, the program and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
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
    /// One JSON document, schema labrys-report/2.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// One page for a browser, with everything in it.
    Html,
    /// JUnit's XML, as Jenkins and others show it: a test for each finding that makes the run fail.
    Junit,
    /// GitLab's code quality report.
    Gitlab,
}

/// How files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compression {
    /// zstd, RFC 8878.
    Zstd,
}

/// Options of `replay`.
#[derive(Debug, Args)]
#[command(after_long_help = REPLAYED)]
pub struct ReplayArgs {
    /// A finding that an analysis with -o DIR wrote, or a whole report.
    #[arg(value_name = "FINDING.json")]
    pub finding: PathBuf,

    /// Take whatever compilers, flags, objects and libraries the report's command names. Only for reports whose authors
    /// you would let run programs as you.
    #[arg(long)]
    pub trust: bool,

    /// How the answer is printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

const RECORDED: &str = "\
The compiler gets all arguments, and ends the command as it ends. What it compiled is written into compile_commands.json in the
folder $LABRYS_RECORD (empty: nowhere). Without that variable the folder is labrys-record: the one at or above the current folder,
else a new one there. Sources of configure's probes are left out. What cannot be recorded is told in a line and fails nothing.";

const REPLAYED: &str = "\
A report says itself how its code is built. Without --trust replay takes only compilers that it knows by their names, found in
PATH; flags that are known to load and run nothing; and sources, but neither objects nor libraries. It tells on stderr what
it runs before it does. The code is compiled, and called in worker processes, whether the report is trusted or not.

Exit codes: 0 no finding holds any more, 1 some finding still holds, 2 cannot run, or would not without --trust.";

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

    /// That of accuracy named another time.
    #[test]
    fn the_help_tells_how_long_a_function_may_take() {
        use clap::CommandFactory;
        let seconds = labrys_analysis::library::schedule::DEFAULT_FUNCTION_TIME.as_secs();
        for analysis in ["diff", "exceptions", "accuracy"] {
            let mut cli = Cli::command();
            let help = cli.find_subcommand_mut(analysis).expect("a command").render_long_help().to_string();
            assert!(help.contains(&format!("a share of what is left of it, else {seconds}s")), "{analysis}");
        }
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2"), Ok(Duration::from_secs(2)));
        assert!(duration("-1s").is_err() && duration("soon").is_err() && duration("1e400h").is_err());
    }
}
