//! Whole programs run natively on recorded inputs, under sanitizers.
//!
//! **Claim.** What [`ReplayBuild::run`] says happened did happen, in the program that the user's compiler made of the user's sources
//! with the flags that [`Sanitizers`] adds, on the inputs given. **Argument.** The program gets its inputs from a runtime that is
//! linked with it (`labrys_testcase::runtime`), in the order in which it asks. What went wrong is read from what the
//! sanitizers and that runtime report, to a file that the program's own output cannot reach by accident; a report ends the
//! process, so that the first one is the one. Positions come from the program's debug information, by addresses, or stand in
//! the report.
//!
//! **What it may miss.** Sanitizers see no access that stays within other live memory, and memory is laid out otherwise than without
//! them. A program that looks for its open files can write to the report. None of that makes a finding of code that nobody
//! runs: it makes a wrong one of a program that wants one.

mod entry;
mod launcher;
mod outcome;
mod report;
mod run;
mod sanitizers;

pub use entry::{EntryError, entry_main};
pub use launcher::replay_main;
pub use outcome::{Ending, ErrorKind, Replay, ReplayInput};
pub use run::{ReplayBuild, ReplayLimits};
pub use sanitizers::Sanitizers;
