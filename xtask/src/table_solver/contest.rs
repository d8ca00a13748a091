//! One solver on one file, and on all of them.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ValueEnum;

use super::answer::Answer;
use super::file::File;
use super::peers::python;
use super::record::{Record, Run};
use crate::process::{self, Finished};

/// Memory that a solver may have, in MiB.
const MEMORY: u32 = 4096;

/// How long a solver may outstay its limit before it is killed.
const GRACE: Duration = Duration::from_secs(1);

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Solver {
    Labrys,
    /// `labrys solve --certify`.
    LabrysCertify,
    Bitwuzla,
    Cvc5,
    Z3,
}

impl Solver {
    pub fn name(self) -> &'static str {
        match self {
            Self::Labrys => "labrys",
            Self::LabrysCertify => "labrys --certify",
            Self::Bitwuzla => "bitwuzla",
            Self::Cvc5 => "cvc5",
            Self::Z3 => "z3",
        }
    }

    /// Whether it is another program than labrys.
    pub fn is_peer(self) -> bool {
        !matches!(self, Self::Labrys | Self::LabrysCertify)
    }

    /// The command that answers a file.
    fn command(self, root: &Path, file: &Path, limit: u32) -> Command {
        if !self.is_peer() {
            let mut command = Command::new(crate::labrys(root));
            command.arg("solve").arg(file).arg("--time").arg(format!("{limit}s"));
            command.arg("--memory").arg(format!("{}g", MEMORY / 1024));
            command.args((self == Self::LabrysCertify).then_some("--certify"));
            return command;
        }
        let mut command = Command::new(python(root));
        command.arg(root.join("xtask/peers").join(format!("{}_file.py", self.name()))).arg(file);
        command.arg(limit.to_string()).arg(MEMORY.to_string());
        command
    }
}

/// Runs a solver on every file that the record, if it may be used, has no run of.
pub fn measure(
    root: &Path,
    solver: Solver,
    limit: u32,
    files: &[File],
    record: &mut Record,
    reuse: bool,
) -> Result<()> {
    let mut saved = Instant::now();
    for (index, file) in files.iter().enumerate() {
        let known = record.get(solver.name(), limit, &file.name).is_some_and(|run| run.hash == file.hash);
        if reuse && known {
            continue;
        }
        let run = answer(solver.command(root, &file.path, limit), limit, &file.hash)?;
        eprintln!(
            "{} {limit} s, {} of {}: {} {:?} {:.2}",
            solver.name(),
            index + 1,
            files.len(),
            file.name,
            run.answers,
            run.seconds
        );
        record.put(solver.name(), limit, &file.name, run);
        if saved.elapsed() > Duration::from_secs(10) {
            record.save()?;
            saved = Instant::now();
        }
    }
    record.save()
}

/// Runs a command to its end, or to its limit and some grace.
fn answer(command: Command, limit: u32, hash: &str) -> Result<Run> {
    let Finished { status, output, errors, seconds, in_time } =
        process::finish(command, Duration::from_secs(u64::from(limit)) + GRACE)?;
    let answers = Answer::all_of(&String::from_utf8_lossy(&output));
    let mut note = String::new();
    if !in_time {
        "killed".clone_into(&mut note);
    } else if answers.is_empty() {
        let errors = if errors.is_empty() { output } else { errors };
        note = format!("{status}: {}", process::last_line(&String::from_utf8_lossy(&errors)));
    }
    Ok(Run { answers, seconds, note, hash: hash.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Instant;

    use super::{Answer, answer};

    #[test]
    fn a_command_over_its_limit_is_killed_with_its_children() {
        let begun = Instant::now();
        let mut command = Command::new("sh");
        command.args(["-c", "echo unsat; sleep 60 & wait"]);
        let run = answer(command, 0, "").expect("sh runs");
        assert_eq!(run.answers, [Answer::Unsat]);
        assert_eq!(run.note, "killed");
        assert!(begun.elapsed().as_secs() < 30);
    }

    #[test]
    fn a_failure_is_noted() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo no such logic >&2; exit 2"]);
        let run = answer(command, 5, "").expect("sh runs");
        assert!(run.answers.is_empty());
        assert!(run.note.contains("no such logic"), "{}", run.note);
    }
}
