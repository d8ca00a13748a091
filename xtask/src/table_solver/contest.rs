//! One solver on one file, and on all of them.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;

use super::answer::Answer;
use super::file::File;
use super::peers::python;
use super::record::{Record, Run};

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
fn answer(mut command: Command, limit: u32, hash: &str) -> Result<Run> {
    let begun = Instant::now();
    // A group of its own, so that what it started can be killed with it.
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let (sender, receiver) = mpsc::channel();
    let mut streams: [Box<dyn Read + Send>; 2] =
        [Box::new(child.stdout.take().context("no output")?), Box::new(child.stderr.take().context("no errors")?)];
    let reader = std::thread::spawn(move || {
        let [output, errors] = &mut streams;
        let mut texts = [Vec::new(), Vec::new()];
        std::thread::scope(|scope| {
            let [output_text, errors_text] = &mut texts;
            scope.spawn(|| output.read_to_end(output_text));
            scope.spawn(|| errors.read_to_end(errors_text));
        });
        // Nobody listens any more when the process was killed.
        sender.send(()).ok();
        texts
    });
    let in_time = receiver.recv_timeout(Duration::from_secs(u64::from(limit)) + GRACE).is_ok();
    if !in_time {
        kill(&child)?;
    }
    let [output, errors] = reader.join().map_err(|_| anyhow::anyhow!("a reader panicked"))?;
    let seconds = begun.elapsed().as_secs_f64();
    let status = child.wait()?;
    let answers = Answer::all_of(&String::from_utf8_lossy(&output));
    let mut note = String::new();
    if !in_time {
        "killed".clone_into(&mut note);
    } else if answers.is_empty() {
        let errors = if errors.is_empty() { output } else { errors };
        note = format!("{status}: {}", last_line(&String::from_utf8_lossy(&errors)));
    }
    Ok(Run { answers, seconds, note, hash: hash.to_owned() })
}

/// Kills a process and its group.
fn kill(child: &Child) -> Result<()> {
    Command::new("kill").arg("-KILL").arg("--").arg(format!("-{}", child.id())).status().context("cannot run kill")?;
    Ok(())
}

/// The last line that says something, cut to a readable length.
fn last_line(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.chars().take(160).collect()
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
