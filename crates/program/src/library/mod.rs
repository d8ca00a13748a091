//! A whole library: every source that a compilation database names, as one shared object that runs and one program that is
//! analysed, and the functions in both.
//!
//! What is built stays in the output folder: `units/` has an object and the bitcode of each source, `library.so` and
//! `library.bc` are those linked. A second build compiles only what has changed (the compiler, its words, the source or
//! a header it reads) and links again only where something was compiled.
//!
//! Sources in Fortran are compiled after those whose modules they use, and find modules where these wrote them: `units/`.
//!
//! A source that does not compile is left out with a note, and so is one that defines again what another defines: a
//! project's test programs, each with its `main`. Calls into what was left out end the process that makes them, which
//! is an observation like any other.

mod build;
mod error;
mod filter;
mod first_use;
mod fortran_modules;
mod functions;
mod merge;
mod options;
mod remade;
mod script;
mod sources;
mod unit;

pub use build::{LibraryBuild, build_library, may_change_results};
pub use error::LibraryError;
pub use filter::FunctionFilter;
pub use fortran_modules::make_modules;
pub use functions::{LibraryFunction, with_directions};
pub use options::LibraryOptions;
pub use remade::{LibraryUnit, address_in};
pub use script::LibraryScript;
