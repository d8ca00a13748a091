//! Runs a compiler until it ends or its time is over.
//!
//! Its output goes to temporary files, so that it can never block on a full pipe. It leads its own process group, which
//! is killed as a whole at the deadline: `cc1`, the assembler and the linker go with it. It dies with the thread that
//! started it. Its folder for temporary files is its own and vanishes with it: clang writes reports of its crashes there, and every
//! compiler leaves something when it is killed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use tracing::debug;
use wait_timeout::ChildExt;

use super::BuildError;
use crate::temporary::TemporaryFolder;

/// How many bytes of a compiler's output are kept: enough for every message that a person would read.
const KEPT_BYTES: u64 = 1 << 20;

/// The name of this crate in the log.
const LOG: &str = "program";

/// What a compiler left behind.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// The beginning of what it printed.
    pub stdout: String,
    /// The beginning of what it said.
    pub stderr: String,
}

/// Runs `command` until `deadline`; `name` is for messages.
///
/// # Errors
///
/// It cannot be run, or the deadline passed.
pub fn run(command: &mut Command, name: &str, deadline: Instant) -> Result<Finished, BuildError> {
    let failed = |source| BuildError::Run { name: name.to_owned(), source };
    let mut stdout = tempfile::tempfile().map_err(failed)?;
    let (status, stderr) = run_into(command, name, deadline, &stdout)?;
    Ok(Finished { status, stdout: text(&mut stdout).map_err(failed)?, stderr })
}

/// The same, what it prints all in a file; how it ended, and what it said.
pub(crate) fn run_into(
    command: &mut Command,
    name: &str,
    deadline: Instant,
    stdout: &File,
) -> Result<(ExitStatus, String), BuildError> {
    let failed = |source| BuildError::Run { name: name.to_owned(), source };
    let mut stderr = tempfile::tempfile().map_err(failed)?;
    let temporary = TemporaryFolder::new().map_err(failed)?;
    command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone().map_err(failed)?)
        .stderr(stderr.try_clone().map_err(failed)?)
        // Messages are parsed, so they have to be the untranslated ones.
        .env("LC_ALL", "C")
        .env("TMPDIR", temporary.path())
        .process_group(0);
    // SAFETY: prctl is async-signal-safe and touches no memory of ours.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let start = Instant::now();
    let mut child = command.spawn().map_err(failed)?;
    let group = child.id() as libc::pid_t;
    let waited = child.wait_timeout(deadline.saturating_duration_since(start));
    let status = match waited {
        Ok(Some(status)) => status,
        Ok(None) | Err(_) => {
            // SAFETY: the group is our child's own; the child has not been waited for, so its id is not reused.
            unsafe { libc::kill(-group, libc::SIGKILL) };
            child.wait().map_err(failed)?;
            waited.map_err(failed)?;
            return Err(BuildError::TimedOut { name: name.to_owned(), after: start.elapsed() });
        }
    };
    debug!(target: LOG, seconds = start.elapsed().as_secs_f64(), "{name}: {status}: {command:?}");
    Ok((status, text(&mut stderr).map_err(failed)?))
}

fn text(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(KEPT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
