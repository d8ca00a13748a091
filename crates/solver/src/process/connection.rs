//! A child process and its three pipes, driven by one `poll` loop.
//!
//! What must hold whatever the child does: [`Connection::exchange`] returns by its deadline plus the time of one system
//! call; neither side blocks on a full pipe (both directions and stderr are served by the same loop, all descriptors
//! non-blocking); the child and everything it started die with the connection (it leads its own process group) and with
//! the thread that started it (`PR_SET_PDEATHSIG`).

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::own_time::OwnTime;
use super::stopping::is_stopped;

/// More output than any model: a child that writes more is writing nonsense.
const OUTPUT_LIMIT: usize = 256 << 20;

/// How often a child that says nothing is looked at, and whether its answer is still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// How much of stderr is kept for messages, in bytes.
const STDERR_KEPT: usize = 2000;

/// Why an exchange failed. The connection is of no further use after any of these.
#[derive(Debug)]
pub(super) enum Failure {
    /// The executable cannot be started.
    Missing(String),
    /// The child died or closed its output: how, and whether it had written anything in this exchange.
    Died { how: String, silent: bool },
    /// The deadline passed, or the child has had its time.
    Overdue,
    /// Who asks has had enough.
    Stopped,
    /// Output without end.
    Flood,
}

/// A running child. Dropping it kills the child's whole process group.
#[derive(Debug)]
pub(super) struct Connection {
    child: Child,
    /// `None` once the child has closed its end.
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    /// The last bytes of stderr.
    complaint: Vec<u8>,
    /// Whether the child has been killed and reaped.
    ended: bool,
    /// How many exchanges have succeeded.
    pub(super) exchanges: u64,
}

impl Connection {
    /// Starts `executable`; `address_space` bounds its memory in bytes.
    pub(super) fn open(
        executable: &Path,
        args: &[OsString],
        address_space: Option<u64>,
    ) -> Result<Connection, Failure> {
        let mut command = Command::new(executable);
        command.args(args).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let parent = std::process::id();
        // SAFETY: between fork and exec the closure only makes the async-signal-safe system calls prctl, getppid and
        // setrlimit, on values it owns, and allocates nothing (io::Error::last_os_error and from_raw_os_error do not).
        unsafe {
            command.pre_exec(move || {
                if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                    return Err(std::io::Error::last_os_error());
                }
                // The parent may have died before prctl took effect; then nobody is left to signal it.
                if libc::getppid() as u32 != parent {
                    return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
                }
                if let Some(bytes) = address_space {
                    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
                    if libc::setrlimit(libc::RLIMIT_AS, &limit) != 0 {
                        return Err(std::io::Error::last_os_error());
                    }
                }
                Ok(())
            });
        }
        let mut child =
            command.spawn().map_err(|error| Failure::Missing(format!("{}: {error}", executable.display())))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            // Cannot happen: all three were asked for. The child is not left behind even so.
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::Missing(format!("{}: no pipes", executable.display())));
        };
        for descriptor in [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd()] {
            set_nonblocking(descriptor);
        }
        Ok(Connection {
            child,
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            complaint: Vec::new(),
            ended: false,
            exchanges: 0,
        })
    }

    /// Writes `text` and reads until a line equal to `sentinel` (quoted or not); returns what stood before it. It ends at the
    /// deadline, or when the child has had `patience` of its own time.
    pub(super) fn exchange(
        &mut self,
        text: &str,
        sentinel: &str,
        deadline: Instant,
        patience: Duration,
    ) -> Result<String, Failure> {
        let own_time = OwnTime::of(self.child.id());
        let mut unsent = text.as_bytes();
        let mut output = Vec::new();
        let mut line_start = 0;
        loop {
            let now = Instant::now();
            if now >= deadline || own_time.has_reached(patience) {
                return Err(Failure::Overdue);
            }
            if is_stopped() {
                return Err(Failure::Stopped);
            }
            self.wait_for_progress(!unsent.is_empty(), (deadline - now).min(LOOK));
            self.drain_stderr();
            self.send(&mut unsent);
            let closed = self.receive(&mut output);
            while let Some(length) = output[line_start..].iter().position(|byte| *byte == b'\n') {
                let line = &output[line_start..line_start + length];
                if is_sentinel(line, sentinel) {
                    output.truncate(line_start);
                    self.exchanges += 1;
                    return Ok(String::from_utf8_lossy(&output).into_owned());
                }
                line_start += length + 1;
            }
            if output.len() > OUTPUT_LIMIT {
                return Err(Failure::Flood);
            }
            if closed {
                let how = self.last_words(&output, deadline);
                return Err(Failure::Died { how, silent: output.is_empty() });
            }
        }
    }

    /// Sleeps until a pipe is ready or the time is over.
    fn wait_for_progress(&self, sending: bool, time: Duration) {
        let entry = |fd: RawFd, events| libc::pollfd { fd, events, revents: 0 };
        // Negative descriptors are ignored by poll.
        let stdin = self.stdin.as_ref().filter(|_| sending).map_or(-1, |pipe| pipe.as_raw_fd());
        let stderr = self.stderr.as_ref().map_or(-1, |pipe| pipe.as_raw_fd());
        let mut entries =
            [entry(self.stdout.as_raw_fd(), libc::POLLIN), entry(stdin, libc::POLLOUT), entry(stderr, libc::POLLIN)];
        // At least one millisecond, so that the last stretch before the deadline does not spin.
        let milliseconds = time.as_millis().clamp(1, 60_000) as libc::c_int;
        // SAFETY: `entries` is a live array of as many pollfd as its length says.
        unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, milliseconds) };
    }

    fn send(&mut self, unsent: &mut &[u8]) {
        while !unsent.is_empty() {
            let Some(stdin) = &mut self.stdin else { return };
            match stdin.write(unsent) {
                Ok(count) => *unsent = &unsent[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // The child has closed its input; whether it still answers is stdout's matter.
                Err(_) => self.stdin = None,
            }
        }
    }

    /// Reads what there is; true once the child has closed its output.
    fn receive(&mut self, output: &mut Vec<u8>) -> bool {
        let mut chunk = [0u8; 1 << 16];
        loop {
            match self.stdout.read(&mut chunk) {
                Ok(0) => return true,
                Ok(count) => output.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return error.kind() != ErrorKind::WouldBlock,
            }
            if output.len() > OUTPUT_LIMIT {
                return false;
            }
        }
    }

    fn drain_stderr(&mut self) {
        let mut chunk = [0u8; 4096];
        // Bounded, so that a child that only writes to stderr cannot keep the loop from its deadline.
        for _ in 0..64 {
            let Some(stderr) = &mut self.stderr else { return };
            match stderr.read(&mut chunk) {
                Ok(0) => self.stderr = None,
                Ok(count) => {
                    self.complaint.extend_from_slice(&chunk[..count]);
                    let surplus = self.complaint.len().saturating_sub(STDERR_KEPT);
                    self.complaint.drain(..surplus);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.stderr = None,
            }
        }
    }

    /// Whether the child has ended; it is not reaped, so that its process group's id stays its own.
    fn has_exited(&self) -> bool {
        // SAFETY: siginfo_t is plain data, for which all zeros are valid.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: `info` is a live siginfo_t.
        let result = unsafe { libc::waitid(libc::P_PID, self.child.id() as libc::id_t, &mut info, options) };
        // SAFETY: waitid has filled `info` (or left it zero: no child has ended).
        result == 0 && unsafe { info.si_pid() } != 0
    }

    /// Kills the whole process group and reaps the child; the first call gives its status.
    fn end(&mut self) -> Option<ExitStatus> {
        if self.ended {
            return None;
        }
        self.ended = true;
        // SAFETY: a plain system call. The child leads its own group, whose id is its process id and cannot have been
        // given to another, because the child is reaped only below.
        unsafe { libc::kill(-(self.child.id() as libc::pid_t), libc::SIGKILL) };
        self.child.wait().ok()
    }

    /// How the child ended, in words: its status, then what it said last.
    fn last_words(&mut self, output: &[u8], deadline: Instant) -> String {
        // A child that only closed its output may live on; it is given a moment to die by itself.
        let patience = deadline.min(Instant::now() + Duration::from_millis(200));
        while !self.has_exited() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.drain_stderr();
        let by_itself = self.has_exited();
        let status = self.end().filter(|_| by_itself);
        let mut how = match status {
            None => "it closed its output".to_owned(),
            Some(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => format!("signal {signal}"),
                (_, Some(code)) => format!("exit code {code}"),
                _ => "unknown status".to_owned(),
            },
        };
        for words in [output, &self.complaint] {
            let text = String::from_utf8_lossy(&words[words.len().saturating_sub(STDERR_KEPT)..]).into_owned();
            let last = text.lines().rfind(|line| !line.trim().is_empty());
            if let Some(line) = last {
                how.push_str(": ");
                how.extend(line.trim().chars().take(200));
            }
        }
        how
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end();
    }
}

fn is_sentinel(line: &[u8], sentinel: &str) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let bare = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    bare == sentinel.as_bytes()
}

fn set_nonblocking(descriptor: RawFd) {
    // SAFETY: plain system calls on a descriptor that the caller holds open; F_GETFL and F_SETFL take no pointers.
    unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK);
    }
}
