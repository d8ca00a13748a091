//! The limits under which every tool runs, and what a run used up.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::process::{self, Finished};

/// Wall time that a tool may take for each second of processor time, for the sake of busy machines.
const PATIENCE: u32 = 10;

/// Clock ticks in a second, as `/proc` counts them.
const TICKS: f64 = 100.0;

/// What a tool may use up on one program.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Processor time.
    pub seconds: u32,
    /// Address space.
    pub memory_mib: u64,
}

/// Runs a command under limits; also returns the processor time that it used, in seconds.
///
/// One at a time: the time is that of all children of this process that ended meanwhile.
pub fn run(command: &Command, limits: Limits) -> Result<(Finished, f64)> {
    let mut limited = Command::new("sh");
    limited.arg("-c").arg("ulimit -t \"$1\"; ulimit -v \"$2\"; shift 2; exec \"$@\"").arg("sh");
    limited.arg(limits.seconds.max(1).to_string()).arg((limits.memory_mib * 1024).to_string());
    limited.arg(command.get_program()).args(command.get_args());
    let before = processor_seconds()?;
    let finished = process::finish(limited, Duration::from_secs(u64::from(limits.seconds.max(1) * PATIENCE)))?;
    Ok((finished, processor_seconds()? - before))
}

/// Processor time of all children that ended, in seconds.
pub fn processor_seconds() -> Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // The name, in brackets, may hold anything; behind it cutime and cstime are the fields 13 and 14, counted from 0.
    let (_, behind) = text.rsplit_once(')').context("no name in /proc/self/stat")?;
    let fields: Vec<&str> = behind.split_whitespace().collect();
    let field = |index: usize| -> Result<f64> { Ok(fields.get(index).context("too few fields")?.parse()?) };
    Ok((field(13)? + field(14)?) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_over_its_processor_time_is_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do :; done"]);
        let (finished, seconds) = run(&command, Limits { seconds: 1, memory_mib: 4096 }).expect("sh runs");
        assert!(!finished.status.success());
        assert!((0.5..5.0).contains(&seconds), "{seconds}");
    }
}
