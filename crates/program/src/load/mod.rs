//! LLVM bitcode and textual IR to a [`crate::Program`].
//!
//! The module is verified first, then walked once: functions and globals get their indices, then bodies are translated
//! instruction by instruction. Nothing is simplified, so that the program means what the IR means; what an arena of
//! [`crate::InstructionKind`]s cannot say becomes `Unsupported` with LLVM's own text.

mod address;
mod atomics;
mod bodies;
mod constants;
mod error;
mod input_variables;
mod instructions;
mod library_code;
mod loader;
mod locations;
mod loops;
mod probe;
mod terminators;
mod types;

pub use error::LoadError;
pub(crate) use library_code::with_library_code;
pub(crate) use loader::{load, parse, parse_file, parse_trusted_file};
