//! Options of `verify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ExecutionArgs, Format};

/// The formats of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// KLEE's .ktest files.
    #[default]
    Ktest,
    /// Test-Comp's XML files.
    TestComp,
    /// One C file, tests.c, that runs the program on each.
    C,
    /// C with a CMakeLists.txt for CTest.
    Ctest,
    /// C++ with Catch2, version 2 or 3, and a CMakeLists.txt.
    Catch2,
    /// Rust's #[test].
    Rust,
    /// Python's pytest.
    Pytest,
    /// A Fortran program.
    Fortran,
}

/// Options of `verify`.
#[derive(Debug, Args)]
#[command(after_long_help = OUTCOMES)]
pub struct VerifyArgs {
    /// The program: sources (.c .cc .cpp .cxx .f90) and bitcode (.bc .ll), linked.
    #[arg(value_name = "FILE", required_unless_present = "print_include_dir")]
    pub sources: Vec<PathBuf>,

    /// What is asked about, several with commas: SV-COMP's unreach-call, no-overflow, valid-memsafety, valid-deref, valid-free,
    /// valid-memtrack, valid-memcleanup, or assertions, memory, bounds, division, shift, overflow, leaks.
    /// Default: assertions,memory,division,shift.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub property: Vec<String>,

    /// The function to begin with; the parameters of any but main are inputs.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// The number of elements behind a pointer parameter of the entry: x=8, or x=n with an integer parameter n, or x=n+1; may be repeated.
    #[arg(long, value_name = "NAME=LENGTH")]
    pub length: Vec<String>,

    /// Only inputs of an entry with pointers for which this holds: n >= 2; may be repeated.
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub assume: Vec<String>,

    /// An argument of the program; may be repeated.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub argument: Vec<String>,

    /// The compiler: clang, gcc, or a path. It makes what runs natively; clang makes what is executed symbolically.
    #[arg(long, value_name = "NAME")]
    pub compiler: Option<String>,

    /// What the execution may use up.
    #[command(flatten)]
    pub execution: ExecutionArgs,

    /// Run the program natively on the input in this file, and do nothing else: a .ktest, or SV-COMP's witness of a violation (.yml).
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,

    /// Run the program natively on what it asks for, in that order, and do nothing else: `x=000000000000f03f,n=02000000`, bytes in hexadecimal as they lie in memory. Findings
    /// end with such a command.
    #[arg(long, value_name = "NAME=BYTES,...", conflicts_with = "replay")]
    pub input: Option<String>,

    /// Write SV-COMP's witness, format 2.0, of the first violation or of a proof into this file.
    #[arg(long, value_name = "FILE.yml")]
    pub witness: Option<PathBuf>,

    /// Write an input for each path that came to its end into this folder.
    #[arg(long, value_name = "DIR")]
    pub tests: Option<PathBuf>,

    /// How tests are written.
    #[arg(long, visible_alias = "emit", value_enum, value_name = "FORMAT", default_value_t = TestFormat::Ktest, requires = "tests")]
    pub test_format: TestFormat,

    /// How results are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write report.json, report.sarif, report.html, and for each finding its report, its input as .ktest and a C file that runs the
    /// program on it, into this folder.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Write klee/klee.h and verifier.h into the user's cache, print the folder, and do nothing else.
    #[arg(long)]
    pub print_include_dir: bool,

    /// Flags for every source.
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<String>,
}

const OUTCOMES: &str = "\
Inputs are what the program asks for: klee_make_symbolic and its like, __VERIFIER_nondet_int and its like; both headers are found
without a flag. Verdicts are
  violated             an input is known on which it goes wrong, and a native run under sanitizers showed the same error at the same line
  holds                every path was followed to its end, and every check on it was proved; the assumptions are listed
  holds-within-bounds  the same, for the paths within --loop-bound
  unknown              neither; the reasons are listed

Exit codes: 1 violated, 0 holds, 3 holds-within-bounds or unknown, 2 usage or environment error.

Examples:
  labrys verify prog.c
  labrys verify a.c b.c --property no-overflow,unreach-call --time 60s --witness w.yml -- -Iinclude
  labrys verify prog.c --tests tests/ --test-format test-comp -o out/
  labrys verify prog.c --replay out/0123456789ab.ktest";
