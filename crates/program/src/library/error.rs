use crate::{BuildError, LoadError, SignatureError};

/// Why there is no library.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The database, a compiler or the linker.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The linked IR.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The debug information of the shared object.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The database names no source that can be part of a library.
    #[error("the compilation database names no source in C, C++ or Fortran{}", notes.first().map(|note| format!(": {note}")).unwrap_or_default())]
    NoSources {
        /// Why each source was left out.
        notes: Vec<String>,
    },
}
