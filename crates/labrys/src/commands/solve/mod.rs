//! `labrys solve`: a script in, answers out.
//!
//! The work is done in a child process, so that limits are hard: the parent passes on what the child says, ends it when
//! its time is up, and gives the answers that a child that died still owed.

mod channel;
mod child;
mod epilogue;
mod frame;
mod input;
mod interpreter;
mod settings;
mod supervisor;
mod text;

use std::time::Instant;

use anyhow::{Context, Result};

use crate::args::SolveArgs;
use input::Input;

/// Runs the command; its exit code.
pub fn run(arguments: &SolveArgs) -> Result<u8> {
    let begun = Instant::now();
    for folder in [&arguments.dump_queries, &arguments.proof].into_iter().flatten() {
        labrys_report::probe_folder(folder)?;
    }
    let input = Input::open(&arguments.file)?;
    let deadline = arguments.time.map(|time| begun + time);
    supervisor::supervise(arguments, input, deadline).context("cannot run the solver's process")
}
