//! Why a file is not a program.

use thiserror::Error;

/// Why IR cannot be loaded. `name` is the file, as the caller named it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// The file.
        name: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is nothing in it.
    #[error("{name} is empty")]
    Empty {
        /// The file.
        name: String,
    },
    /// It does not begin like bitcode.
    #[error("{name} is not LLVM bitcode")]
    NotBitcode {
        /// The file.
        name: String,
    },
    /// LLVM cannot read it: it is damaged, or another version of LLVM wrote it.
    #[error("{name} is not LLVM IR that LLVM 22 can read: {message}")]
    Malformed {
        /// The file.
        name: String,
        /// LLVM's words.
        message: String,
    },
    /// LLVM can read it, but it breaks the rules of IR.
    #[error("{name} is not valid LLVM IR: {message}")]
    Invalid {
        /// The file.
        name: String,
        /// LLVM's words.
        message: String,
    },
    /// What the module needs of a library does not fit to it.
    #[error("{name} cannot be linked: {message}")]
    Link {
        /// The library.
        name: String,
        /// LLVM's words.
        message: String,
    },
    /// Its target is not little-endian with pointers of 64 bits.
    #[error("{name} is for the target {triple:?}; only little-endian targets with 64-bit pointers are supported")]
    Target {
        /// The file.
        name: String,
        /// The target.
        triple: String,
    },
    /// LLVM's description of a function contradicts itself.
    #[error("cannot load {function} from {name}: {what}")]
    Internal {
        /// The file.
        name: String,
        /// The function.
        function: String,
        /// The contradiction.
        what: &'static str,
    },
}
