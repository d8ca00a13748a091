//! What analyses of whole programs have in common.
//!
//! - [`answers`]: what a run that was killed goes on from.
//! - [`commands`]: how a file of tests is built.
//! - [`date`]: when that was.
//! - [`harness`]: the `main` that calls a function.
//! - [`inputs`]: a program's inputs as reports show them.
//! - [`library`]: where the C library is that programs are linked with.
//! - [`licence`]: whether compilers may change what is computed.
//! - [`suite`]: tests as files.
//! - [`user_words`]: reasons without mangled names.
//! - [`watching`]: telling how far an execution is, and ending it.

pub mod answers;
pub mod commands;
pub mod date;
pub mod harness;
pub mod inputs;
pub mod library;
pub mod licence;
pub mod suite;
pub mod user_words;
pub mod watching;
