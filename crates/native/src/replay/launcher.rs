//! The process that becomes the program: it takes from itself what the program may not do, and then runs it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use crate::sandbox;

/// The descriptor that reports go to: above those that programs open.
const REPORT: i32 = 200;

/// Behind the mode: standard error is where reports go, too.
pub(super) const STDERR: &str = "+stderr";
/// Behind that: standard input is the program's.
pub(super) const INPUT: &str = "+input";

/// Arguments: `confined` or `open`, perhaps with `+stderr` and `+input` behind it; seconds of processor time; the program and its own arguments. Standard output is where reports
/// go; the program itself has none.
///
/// It returns only where the program cannot be run.
pub fn replay_main(arguments: &[OsString]) -> ExitCode {
    let (Some(mode), [_, seconds, program, rest @ ..]) = (arguments.first().and_then(|mode| mode.to_str()), arguments)
    else {
        eprintln!("labrys: a replay is started by labrys itself");
        return ExitCode::from(2);
    };
    sandbox::die_with_parent(true);
    // SAFETY: the descriptors are this process' own, and it has no other thread.
    let is_ready = unsafe {
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        let is_told = mode.contains(STDERR);
        let silenced = i32::from(mode.ends_with(INPUT))..if is_told { 2 } else { 3 };
        libc::dup2(1, REPORT) == REPORT
            && (!is_told || libc::dup2(1, 2) == 2)
            && silenced.into_iter().all(|stream| libc::dup2(null, stream) == stream)
    };
    if !is_ready {
        return ExitCode::from(2);
    }
    sandbox::limit_program(seconds.to_str().and_then(|text| text.parse().ok()).unwrap_or(60));
    if mode.starts_with("confined") {
        // The program is still to be run: what it runs in its turn is confined as it is.
        sandbox::confine_but_running();
    } else {
        sandbox::deny_network();
    }
    // The name that symbolic execution gives it.
    let _failed =
        Command::new(program).arg0("program").args(rest).env("LABRYS_REPLAY_REPORT", REPORT.to_string()).exec();
    ExitCode::from(2)
}
