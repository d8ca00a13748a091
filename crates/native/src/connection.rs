//! The process behind a worker, and the pipes to it.

use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};
use std::time::{Duration, Instant};

use ::tracing::debug;

use crate::protocol::{Command, Reply};
use crate::shared::Shared;
use crate::{NativeError, WorkerConfig};

/// The name of this crate in the log.
pub(crate) const LOG: &str = "native";

/// A worker process. Killed when dropped.
pub struct Connection {
    child: Child,
    commands: ChildStdin,
    replies: ChildStdout,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
    }
}

impl Connection {
    /// Starts a worker process and waits until it has loaded its build.
    pub fn open(config: &WorkerConfig, shared: &Shared) -> Result<Connection, NativeError> {
        let begun = Instant::now();
        let failed = |reason: String| NativeError::Worker { library: config.library.clone(), reason };
        let mut child = process(config, shared)
            .ok_or_else(|| failed("no command".to_owned()))?
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (Some(commands), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("no pipes".to_owned()));
        };
        let mut connection = Connection { child, commands, replies };
        match connection.receive(config.limits.load) {
            Some(Reply::Ready) => {
                debug!(
                    target: LOG,
                    process = connection.child.id(),
                    library = %config.library.display(),
                    filling = ?config.filling,
                    seconds = begun.elapsed().as_secs_f64(),
                    "a worker has loaded it"
                );
                Ok(connection)
            }
            Some(Reply::Failed) => {
                let mut reason = String::new();
                let _ = connection.replies.by_ref().take(4096).read_to_string(&mut reason);
                Err(NativeError::Load { library: config.library.clone(), reason: reason.replace('\n', " ") })
            }
            _ => Err(failed("its start-up code crashed or hung while loading".to_owned())),
        }
    }

    /// Sends a command and waits for the reply; `None` where none comes in time.
    pub fn ask(&mut self, command: Command, limit: Duration) -> Option<Reply> {
        command.send(&mut self.commands).ok()?;
        self.receive(limit)
    }

    /// Ends the process; later commands get no reply.
    pub fn close(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn receive(&mut self, limit: Duration) -> Option<Reply> {
        let deadline = Instant::now().checked_add(limit)?;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut poll = libc::pollfd { fd: self.replies.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            let milliseconds = i32::try_from(left.as_millis()).unwrap_or(i32::MAX);
            // SAFETY: one valid pollfd.
            match unsafe { libc::poll(&mut poll, 1, milliseconds) } {
                ready if ready > 0 => return Reply::receive(&mut self.replies).ok(),
                0 => return None,
                _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
                _ => return None,
            }
        }
    }
}

/// The command line that leads to [`crate::worker_main`]; its arguments are read there.
fn process(config: &WorkerConfig, shared: &Shared) -> Option<Process> {
    let (program, leading) = config.command.split_first()?;
    let descriptor = shared.descriptor();
    let mut process = Process::new(program);
    process.args(leading).arg(&config.library).arg(config.driver.library()).arg(&config.signature.symbol);
    process.arg(descriptor.to_string());
    process.args([config.signature.input_layout().size, config.signature.output_layout().size].map(|n| n.to_string()));
    process.arg(config.startup.name());
    process.arg(config.limits.memory_mib.to_string());
    process.arg(config.address.map_or(String::new(), |address| address.to_string()));
    process.arg(config.init.as_deref().unwrap_or_default());
    process.arg(if config.binds_lazily { "lazy" } else { "now" });
    process.arg(config.limits.events.to_string());
    if let Some(byte) = config.filling.heap() {
        // glibc fills new heap memory with this byte's complement: what code reads without having written it changes.
        process.env("MALLOC_PERTURB_", (!byte).to_string());
    }
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: both calls are async-signal-safe. The first lets the new process keep the shared memory; the second makes
    // its addresses the same every time, for code that depends on them, where the system allows it.
    unsafe {
        process.pre_exec(move || {
            if libc::fcntl(descriptor, libc::F_SETFD, 0) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            #[cfg(target_os = "linux")]
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            Ok(())
        });
    }
    Some(process)
}
