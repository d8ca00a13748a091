//! What analyses of whole programs have in common.
//!
//! - [`commands`]: how a file of tests is built.
//! - [`date`]: when that was.
//! - [`inputs`]: a program's inputs as reports show them.
//! - [`library`]: where the C library is that programs are linked with.
//! - [`suite`]: tests as files.
//! - [`watching`]: telling how far an execution is, and ending it.

pub mod commands;
pub mod date;
pub mod inputs;
pub mod library;
pub mod suite;
pub mod watching;
