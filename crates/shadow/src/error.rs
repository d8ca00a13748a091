use labrys_program::BuildError;
use thiserror::Error;

/// Why a function has no shadow.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShadowError {
    /// The function, or one that it calls, does something that has no shadow here.
    #[error("{function}: {reason}")]
    Unsupported {
        /// The symbol of the function that does it.
        function: String,
        /// What it does.
        reason: String,
    },
    /// The text cannot be written, or the compiler refuses it or does not end in time.
    #[error("the shadow of {function} cannot be compiled")]
    Build {
        /// The symbol of the function.
        function: String,
        /// The compiler's words.
        #[source]
        source: BuildError,
    },
    /// The folder for the text cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: std::path::PathBuf,
        /// The system's words.
        #[source]
        source: std::io::Error,
    },
}

/// Why something has no shadow; the function is known further up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason(pub(crate) String);

impl Reason {
    pub(crate) fn new(text: impl Into<String>) -> Reason {
        Reason(text.into())
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        Reason(text.to_owned())
    }
}

/// A value's scalars as C expressions, or why there is no shadow of it.
pub(crate) type Scalars = Result<Vec<String>, Reason>;
