//! Options of `cargo labrys`: those of the analyses, and cargo's own.

use std::path::PathBuf;

use clap::{Arg, Args, Subcommand};

use super::{AccuracyArgs, BlameArgs, DiffArgs, ExceptionsArgs, ReplayArgs, TestArgs};

/// What can be done with functions of a crate.
#[derive(Debug, Subcommand)]
pub enum CargoCommand {
    /// Find every floating-point exception a function can raise, or prove that it cannot.
    #[command(override_usage = "cargo labrys exceptions [OPTIONS] [FUNCTION] [-- <FLAGS>...]")]
    Exceptions(Box<OfCrate<ExceptionsArgs>>),
    /// Find inputs on which two builds of a function behave differently.
    #[command(override_usage = "cargo labrys diff [OPTIONS] [FUNCTION] [-- <FLAGS>...]")]
    Diff(Box<OfCrate<DiffArgs>>),
    /// Find the inputs on which a function's results are furthest from the truth, and whose fault that is.
    #[command(override_usage = "cargo labrys accuracy [OPTIONS] [FUNCTION] [-- <FLAGS>...]")]
    Accuracy(Box<OfCrate<AccuracyArgs>>),
    /// Run a finding's witness again: does the difference still hold?
    Replay(ReplayArgs),
    /// Find out which flags and which optimisation pass make a finding of diff.
    Blame(BlameArgs),
    /// Write a finding as a regression test that needs nothing of labrys.
    Test(TestArgs),
}

/// An analysis of a function of a crate.
#[derive(Debug, Args)]
#[command(
    mut_args(of_crate),
    after_help = "Functions are named by their paths; a pattern, or nothing, means all public ones that it matches:
  cargo labrys exceptions 'my_crate::stats::*'
  cargo labrys exceptions my_crate::stats::variance
  cargo labrys diff 'my_crate::norm::<f64, 3>' --variant \"-C target-cpu=native\"
  cargo labrys accuracy my_crate::Normal::pdf --features fast --range x=-10..10"
)]
pub struct OfCrate<A: Args> {
    /// What cargo is told.
    #[command(flatten, next_help_heading = "Options of cargo's")]
    pub cargo: CargoArgs,

    /// The analysis.
    #[command(flatten, next_help_heading = "Options")]
    pub analysis: A,
}

/// What cargo is told.
#[derive(Debug, Args)]
pub struct CargoArgs {
    /// The package whose library has the function. Default: the one whose library begins the path, or that of the folder.
    #[arg(short = 'p', long, value_name = "SPEC")]
    pub package: Option<String>,

    /// Features of the package, with commas; may be repeated.
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub features: Vec<String>,

    /// All features of the package.
    #[arg(long)]
    pub all_features: bool,

    /// Without the package's default features.
    #[arg(long)]
    pub no_default_features: bool,

    /// The workspace's profile that every build begins with; flags of builds stand behind its own.
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub profile: String,

    /// The `Cargo.toml` of the package or workspace. Default: the one of the current folder or above it.
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,

    /// The folder for what cargo builds. Default: `labrys` in the workspace's target folder.
    #[arg(long, value_name = "DIR")]
    pub target_dir: Option<PathBuf>,

    /// Take `Cargo.lock` as it is.
    #[arg(long)]
    pub locked: bool,

    /// Do not use the network.
    #[arg(long)]
    pub offline: bool,

    /// Both of these.
    #[arg(long)]
    pub frozen: bool,
}

/// What a crate says itself, or has none of; `-p` is cargo's.
const NOT_OF_CRATES: [&str; 14] = [
    "database",
    "function",
    "link",
    "signature",
    "entry",
    "init",
    "shard",
    "gather",
    "products",
    "balance",
    "jobs",
    "function_time",
    "split",
    "baseline_lib",
];

/// An option of an analysis as `cargo labrys` has it.
fn of_crate(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "database" => arg.short(None::<char>).hide(true),
        "file" | "files" => arg
            .value_name("FUNCTION")
            .help(
                "The path of a function or method: my_crate::stats::variance, 'my_crate::f::<f64, 3>', my_crate::Normal::pdf; or a pattern of paths: \
                 'my_crate::stats::*'. Default: all public functions",
            )
            .long_help(None::<&str>)
            .required(false),
        "flags" | "baseline" => {
            arg.help("Flags of the build for rustc, of the crate and all that it uses. Default: none, the profile as it is")
        }
        "variant" => arg.help(
            "Flags of a variant, compared with the baseline; may be repeated. Default: \"-C target-cpu=native\"",
        ),
        "variant_lib" => arg.hide(true),
        hidden if NOT_OF_CRATES.contains(&hidden) => arg.hide(true),
        _ => arg,
    }
}
