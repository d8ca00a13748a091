//! What an analysis of one build is asked about.

use std::path::PathBuf;

/// What is analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One function of a source (or IR) file.
    Source(PathBuf),
    /// The functions of a library whose names match a pattern.
    Library {
        /// The folder of `compile_commands.json`.
        database: PathBuf,
        /// The patterns; `*` and `?` as in a shell.
        entries: Vec<String>,
    },
}
