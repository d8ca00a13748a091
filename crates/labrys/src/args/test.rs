//! Options of `test`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use labrys_report::TestKind;

/// Test frameworks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Framework {
    /// C, with a CMakeLists.txt for CTest.
    Ctest,
    /// C++ with Catch2, version 2 or 3, and a CMakeLists.txt.
    Catch2,
    /// Rust's #[test].
    Rust,
    /// Python's pytest, through ctypes.
    Pytest,
    /// A Fortran program, through iso_c_binding.
    Fortran,
}

impl From<Framework> for TestKind {
    fn from(framework: Framework) -> TestKind {
        match framework {
            Framework::Ctest => TestKind::Ctest,
            Framework::Catch2 => TestKind::Catch2,
            Framework::Rust => TestKind::Rust,
            Framework::Pytest => TestKind::Pytest,
            Framework::Fortran => TestKind::Fortran,
        }
    }
}

/// Options of `test`.
#[derive(Debug, Args)]
#[command(after_long_help = WRITTEN)]
pub struct TestArgs {
    /// A finding that diff, exceptions, accuracy or verify with -o DIR wrote, a whole report, or with --all that DIR; of `cargo labrys` on many functions,
    /// too, whose tests are a file for each function.
    #[arg(value_name = "FINDING.json")]
    pub finding: PathBuf,

    /// For which framework.
    #[arg(long, value_enum, value_name = "KIND")]
    pub emit: Framework,

    /// Of every finding of the report that counts for the exit code of its run, but for honest and harmless ones: exceptions that the
    /// true result explains, or that the result does not show, and errors of ill-conditioned functions.
    #[arg(long)]
    pub all: bool,

    /// How many units in the last place floats may be from what they should be. Default: of divergences the value without rounding counts and not the baseline's, of errors
    /// 4, or less where the error is less than 8.
    #[arg(long, value_name = "N")]
    pub ulps: Option<u64>,

    /// The folder that is written into. Default: labrys_tests; of a finding of `cargo labrys` for Rust the crate's tests.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Take whatever compilers, flags, objects and libraries the report's command names. Only for reports whose authors
    /// you would let run programs as you.
    #[arg(long)]
    pub trust: bool,
}

const WRITTEN: &str = "\
A test calls the function on the finding's input and fails as long as the finding holds. It needs nothing of labrys. What it expects is
  of diff        that the build which differs raises nothing that the baseline did not, and that results are as near to what they are without
                 rounding as can be asked for, where that is known, else near to the baseline's; with --ulps within so many of the baseline's.
                 Where the build that differs has it right, or only lacks an exception, there is no test
  of exceptions  that the exception is not raised, and where it spoils the result, that this is within 4 ulps of the true one; where the true
                 result itself is infinite, or overflows or underflows, there is no test, for nothing is to be mended, but where it came to NaN
  of accuracy    that the result is within a few ulps of the true one
  of verify      that the program ends without an error, under sanitizers
The code under test is built by the command of the finding; how to build and run the tests is said in the file's first comment.

Each test is built and run once before it is written: one that does not fail on the present code is not written, and why is said.

Exit codes: 0 each finding has a test, or with --all needs none (no finding counts, or nothing is to be mended); 1 a finding has no test (which and why is
said); 2 usage or environment error.

Examples:
  labrys test out/0123456789ab.json --emit ctest -o tests/
  labrys test out/ --all --emit pytest";
