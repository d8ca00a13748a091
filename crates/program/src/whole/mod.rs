//! Whole programs: sources and bitcode linked into one [`crate::Program`] to be executed from its entry, and into an executable
//! to be run natively.
//!
//! Both are made by the same compilers with the same flags as everything else here (`-O0` unless the user's flags say otherwise); the
//! executable gets in addition what its caller says (sanitizers), and a C file that answers requests for inputs. The headers
//! that declare those requests come last among the folders of headers, so that the user's own and the system's go before.

mod coverage;
mod error;
mod executable;
mod fortran;
mod gcc;
mod hash_maps;
mod input_types;
mod linking;
mod rust;
mod spec;
mod startup;
mod verifier_calls;

/// What calls the functions that a program has asked for to run at its end: `scripts/libc/exits.c`.
pub const EXITS: &str = "labrys_exits";

pub use coverage::{CoverageFormat, CoverageTools};
pub use error::WholeError;
pub use executable::{Instrumentation, build_executable};
pub use hash_maps::HASH_KEYS;
pub(crate) use input_types::{ASKING, NAMING};
pub use input_types::{InputType, input_types, variable_of_call};
pub use linking::{WholeProgram, build_whole};
pub(crate) use rust::embedded_bitcode;
pub use rust::{CAUGHT_PANIC, PRINT, PRINT_ERROR, REPORT_ERROR, RUST_NAMES, SET_HOOK, catches_unwinding, rust_path};
pub use spec::{Counted, WholeSpec, is_of_fortran_alone, runtime_words};
pub use verifier_calls::VerifierCall;
