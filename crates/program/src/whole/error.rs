//! Why there is no whole program.

use std::path::PathBuf;

use thiserror::Error;

use crate::{BuildError, LoadError};

/// Why sources cannot be executed as a program: one line for the user, but for a compiler's own words.
#[derive(Debug, Error)]
pub enum WholeError {
    /// A source does not compile.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Bitcode cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A language whose programs are not executed.
    #[error("{}: whole programs in {language} are not executed; C, C++, Fortran, Rust and LLVM's IR are", .path.display())]
    Language {
        /// The file.
        path: PathBuf,
        /// Its language.
        language: &'static str,
    },
    /// Several crates of Rust's.
    #[error("a program is one Rust source, which names its modules by `mod`")]
    SeveralCrates,
    /// Bitcode for another processor.
    #[error("{} is for {triple}; programs are run here, on {host}, to confirm what is found", .path.display())]
    Target {
        /// The file.
        path: PathBuf,
        /// What it is for.
        triple: String,
        /// This processor.
        host: &'static str,
    },
    /// The modules do not fit together.
    #[error("{} cannot be linked: {reason}", .path.display())]
    Link {
        /// The file that does not fit those before it.
        path: PathBuf,
        /// LLVM's words.
        reason: String,
    },
    /// There is no such function.
    #[error("no function `{entry}` is defined in {files}{advice}")]
    NoEntry {
        /// The function.
        entry: String,
        /// The files.
        files: String,
        /// What else there is.
        advice: String,
    },
    /// A `main` that takes the environment.
    #[error("`main` has {0} parameters; one with argc and argv alone can be executed, the environment is not modelled")]
    MainParameters(usize),
}
