//! Commands that are run to their end, or to a limit and no further.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// What came of a command.
pub struct Finished {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
    /// Wall time.
    pub seconds: f64,
    /// Whether it ended by itself.
    pub in_time: bool,
}

/// Runs a command without input to its end, or kills it and what it started.
pub fn finish(mut command: Command, limit: Duration) -> Result<Finished> {
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
    let in_time = receiver.recv_timeout(limit).is_ok();
    if !in_time {
        kill(&child)?;
    }
    let [output, errors] = reader.join().map_err(|_| anyhow::anyhow!("a reader panicked"))?;
    let seconds = begun.elapsed().as_secs_f64();
    let status = child.wait()?;
    Ok(Finished { status, output, errors, seconds, in_time })
}

/// Kills a process and its group.
fn kill(child: &Child) -> Result<()> {
    Command::new("kill").arg("-KILL").arg("--").arg(format!("-{}", child.id())).status().context("cannot run kill")?;
    Ok(())
}

/// The last line that says something, cut to a readable length.
pub fn last_line(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.chars().take(160).collect()
}
