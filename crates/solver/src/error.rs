//! Errors of setting solvers up. Queries never end in one: see [`crate::Why`].

use std::io;
use std::path::PathBuf;

/// What can go wrong around solvers, apart from queries.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// The folder for dumped queries cannot be written.
    #[error("cannot write queries to {folder}: {source}", folder = folder.display())]
    Dump {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// An executable does not say its version.
    #[error("cannot tell the version of {executable}: {reason}", executable = executable.display())]
    Version {
        /// The executable.
        executable: PathBuf,
        /// Why.
        reason: String,
    },
}
