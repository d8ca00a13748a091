//! Developers' chores: benchmark tables. Depends on no labrys crate and drives the built binary.

mod agree;
mod certificate;
mod corpus;
mod exhaustive;
mod native_errors;
mod portable;
mod process;
mod programs;
mod table_accuracy;
mod table_blame;
mod table_cover;
mod table_diff;
mod table_exceptions;
mod table_scaling;
mod table_solver;
mod table_textbook;
mod table_verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

#[derive(Debug, Parser)]
#[command(name = "xtask", about = "Developers' chores")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Print a table of measured results; exit 1 where a row falls short of its mark.
    Table {
        /// Which table.
        #[command(subcommand)]
        which: Table,
    },
    /// Compare the solver's engines with enumeration, with each other and with z3 and Bitwuzla, on random formulas; or the symbolic executor,
    /// or proofs, with native code. Exit 1 where any differ.
    Agree(agree::Request),
    /// Test what processors other than x86-64 get, on this one, and compare the program's findings; exit 1 where any differ.
    Portable,
    /// Verify certificates of proved bounds of rounding errors, with MPFR and no code of the crate that makes them; exit 1 where one is refused.
    Certificate(certificate::Request),
    /// Check natively that the benchmark programs of `labrys verify` are what their heads say; exit 1 where one is not.
    Programs(programs::Request),
    /// Make the files that solvers and analyses are measured on, in target/corpus.
    Corpus {
        /// Which files.
        which: Corpus,
        /// Write the hashes of the generated files instead of comparing them.
        #[arg(long)]
        bless: bool,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Corpus {
    /// The generated families, checked against the committed hashes.
    SmtGenerate,
    /// Bitwuzla's regression tests in supported logics, from the crate `bitwuzla-sys`.
    Smt,
    /// Conditions over the floats that `labrys diff` and `labrys exceptions` write on the examples; needs the built binary.
    SmtConditions,
    /// The GNU Scientific Library's special functions, from Debian's source package.
    Gsl,
    /// Meschach's and GSL's operations as the literature calls them, from Debian's source packages.
    Literature,
    /// musl's and newlib's mathematical functions, from Debian's source packages.
    Libm,
}

#[derive(Debug, Subcommand)]
enum Table {
    /// The five programs of the paper draft, or with --library the special functions of the GNU Scientific Library.
    Diff(table_diff::Request),
    /// The special functions of the GNU Scientific Library.
    Exceptions(table_exceptions::Request),
    /// The largest errors of the literature's programs: `labrys accuracy` beside FPGen, S3FP and a random search.
    Accuracy(table_accuracy::Errors),
    /// Twenty pairs of a naive and a stable algorithm: whom `labrys accuracy` blames.
    Textbook(table_textbook::Request),
    /// Functions whose divergence has a known cause: which flag and which pass `labrys diff` blames.
    Blame(table_blame::Request),
    /// Proved bounds of the literature's programs: `labrys accuracy --bound` beside FPTaylor.
    Bounds(table_accuracy::Bounds),
    /// How long a campaign would take on 1 to 1,024 machines, from the times in a run's store.
    Scaling(table_scaling::Request),
    /// `labrys solve` beside Bitwuzla, cvc5 and z3.
    Solver(table_solver::Request),
    /// `labrys verify` beside CBMC on whole programs with floats, or with --memory-catalogue on one program for each kind of memory error and its
    /// correct twin.
    Verify(table_verify::Request),
    /// `labrys cover` on the functions of newlib's fdlibm that the literature measures coverage on.
    Cover(table_cover::Request),
}

/// The folder of the workspace.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The program that is measured: the one that was built beside this one, in the same profile.
fn labrys(root: &Path) -> PathBuf {
    let beside = std::env::current_exe().ok().map(|program| program.with_file_name("labrys"));
    beside.filter(|program| program.is_file()).unwrap_or_else(|| root.join("target/release/labrys"))
}

fn main() -> ExitCode {
    let done = match Cli::parse().chore {
        Chore::Table { which: Table::Diff(request) } => table_diff::run(&root(), &request),
        Chore::Table { which: Table::Exceptions(request) } => table_exceptions::run(&root(), &request),
        Chore::Table { which: Table::Accuracy(request) } => table_accuracy::errors(&root(), &request),
        Chore::Table { which: Table::Textbook(request) } => table_textbook::run(&root(), &request),
        Chore::Table { which: Table::Blame(request) } => table_blame::run(&root(), &request),
        Chore::Table { which: Table::Bounds(request) } => table_accuracy::bounds(&root(), &request),
        Chore::Table { which: Table::Scaling(request) } => table_scaling::run(&root(), &request),
        Chore::Table { which: Table::Solver(request) } => table_solver::run(&root(), &request),
        Chore::Table { which: Table::Verify(request) } => table_verify::run(&root(), &request),
        Chore::Table { which: Table::Cover(request) } => table_cover::run(&root(), &request),
        Chore::Programs(request) => programs::run(&root(), &request),
        Chore::Certificate(request) => certificate::run(&request),
        Chore::Portable => portable::run(&root()),
        Chore::Agree(request) => agree::run(&root(), &request),
        Chore::Corpus { which: Corpus::SmtGenerate, bless } => corpus::generate(&root(), bless),
        Chore::Corpus { which: Corpus::Smt, .. } => corpus::regressions(&root()),
        Chore::Corpus { which: Corpus::SmtConditions, .. } => corpus::conditions(&root()),
        Chore::Corpus { which: Corpus::Gsl, .. } => corpus::gsl(&root()),
        Chore::Corpus { which: Corpus::Literature, .. } => corpus::literature(&root()),
        Chore::Corpus { which: Corpus::Libm, .. } => corpus::libm(&root()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}
