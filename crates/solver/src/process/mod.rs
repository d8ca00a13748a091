//! An SMT-LIB solver as a process: z3, or any other that reads scripts from its standard input.
//!
//! One long-lived process answers many queries, each of them `(reset)` and the whole script, never incrementally:
//! incremental use switches z3 to a weaker engine for nonlinear reals (measured: 5.4 s and an unknown against 0.96 s and
//! none). Seeds are fixed, the working limit is z3's `rlimit`, and over the reals z3 is told its strategy
//! (`script::CHECK_REALS`), so that an answer depends on the query alone. Limits on
//! time are backstops: the configuration's on the time that the process had for itself ([`ProcessConfig::patience`]), which a
//! busy machine does not use up, and the query's own on wall-clock time. An answer lost to them says so ([`crate::Why::Wall`]).
//!
//! Whatever the process does costs one query: it may be missing, die, hang, close its output, or answer nonsense; the
//! next query starts a new one. A process that dies before it has written a word of its answer, and that had answered
//! before, is replaced and asked once more: it may have died between the queries.

mod answers;
mod by_file;
mod config;
mod connection;
mod locate;
mod own_time;
mod reply;
pub(crate) mod script;
mod solver;
mod stopping;
#[cfg(test)]
mod tests;

pub use config::{Dialect, ProcessConfig, Reads};
pub use locate::{find_tool, find_z3, z3_version};
pub use solver::{SmtProcess, Z3};
pub use stopping::stopping_at;
