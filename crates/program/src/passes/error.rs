//! Why a variant cannot be made.

use std::path::PathBuf;

use thiserror::Error;

use crate::{BuildError, LoadError};

/// Why a variant cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VariantError {
    /// The input is not a module.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// LLVM has no such pipeline.
    #[error("{level:?} is not an optimisation level of IR (O0, O1, O2, O3, Os, Oz)")]
    Level {
        /// What was asked for.
        level: String,
    },
    /// clang, which knows what flags mean, does not take them.
    #[error("clang does not take the flags {flags:?}: {message}")]
    Flags {
        /// The flags.
        flags: String,
        /// clang's words.
        message: String,
    },
    /// clang, which knows what flags mean, cannot be run.
    #[error(transparent)]
    Compiler(#[from] BuildError),
    /// LLVM as installed cannot generate code for the module's target.
    #[error("no code can be generated for the target {triple:?} of {}: {message}", input.display())]
    Target {
        /// The module.
        input: PathBuf,
        /// Its target.
        triple: String,
        /// LLVM's words.
        message: String,
    },
    /// The compiler shows no IR of LLVM's that it would go on from.
    #[error("{compiler} cannot be stopped behind its front end")]
    FrontEnd {
        /// Its name and version.
        compiler: String,
    },
    /// The optimiser failed.
    #[error("LLVM cannot optimise {}: {message}", input.display())]
    Optimise {
        /// The module.
        input: PathBuf,
        /// LLVM's words.
        message: String,
    },
    /// The result cannot be written.
    #[error("cannot write {}", output.display())]
    Write {
        /// Where to.
        output: PathBuf,
    },
}
