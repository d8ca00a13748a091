//! Why the native side could not do its work. What the code under test does is an observation, never an error.

use std::path::PathBuf;

use thiserror::Error;

/// An error of the native side.
#[derive(Debug, Error)]
pub enum NativeError {
    /// The driver loop could not be compiled.
    #[error("cannot compile the driver loop with {compiler}: {reason}")]
    Driver {
        /// The compiler.
        compiler: String,
        /// Its words, or the system's.
        reason: String,
    },
    /// A library could not be loaded.
    #[error("cannot load {}: {reason}", .library.display())]
    Load {
        /// The library.
        library: PathBuf,
        /// The loader's words.
        reason: String,
    },
    /// The function is not in the library.
    #[error("{} has no function `{symbol}`", .library.display())]
    NoSymbol {
        /// The library.
        library: PathBuf,
        /// The symbol.
        symbol: String,
    },
    /// A worker process could not be started or died by itself.
    #[error("the worker process for {} failed: {reason}", .library.display())]
    Worker {
        /// The library.
        library: PathBuf,
        /// What happened.
        reason: String,
    },
    /// The deadline of [`crate::WorkerLimits`] or [`crate::Worker::set_deadline`] passed before all calls were made.
    #[error("the time limit was reached while running {}", .library.display())]
    Deadline {
        /// The library.
        library: PathBuf,
    },
    /// A program for replays could not be built.
    #[error(transparent)]
    Build(#[from] labrys_program::BuildError),
    /// The system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The system's words.
        source: std::io::Error,
    },
    /// A file is no library that can be read.
    #[error("cannot read {}: {reason}", .library.display())]
    Object {
        /// The file.
        library: PathBuf,
        /// Why.
        reason: String,
    },
}
