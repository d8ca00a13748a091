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

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;
use std::{fs, io};

use anyhow::{Context, Result};

use crate::args::SolveArgs;
use input::Input;

/// Runs the command; its exit code.
pub fn run(arguments: &SolveArgs) -> Result<u8> {
    let begun = Instant::now();
    for folder in [&arguments.dump_queries, &arguments.proof].into_iter().flatten() {
        super::made_folders::probe(folder)?;
    }
    if let Some(folder) = &arguments.proof {
        remove_proofs(folder)
            .with_context(|| format!("cannot remove the proofs of an earlier run from {}", folder.display()))?;
    }
    let input = Input::open(&arguments.file)?;
    let deadline = arguments.time.map(|time| begun + time);
    supervisor::supervise(arguments, input, deadline).context("cannot run the solver's process")
}

/// Removes what an earlier run left: its proofs beside this run's answers would be taken for theirs.
fn remove_proofs(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let number = name.strip_prefix("check-").and_then(|rest| rest.split_once('.'));
        if number.is_some_and(|(number, kind)| number.parse::<u64>().is_ok() && ["cnf", "lrat"].contains(&kind)) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_of_earlier_runs_go_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = ["check-0001.cnf", "check-0001.lrat", "check-0001.smt2", "check-x.cnf", "notes.cnf"];
        names.iter().for_each(|name| fs::write(folder.path().join(name), "").expect("writes"));
        remove_proofs(folder.path()).expect("removes");
        let left = names.map(|name| folder.path().join(name).exists());
        assert_eq!(left, [false, false, true, true, true]);
    }
}
