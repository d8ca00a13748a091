//! Runners: forked copies of the loaded process, in which the code under test runs.
//!
//! Whatever that code does to itself (crash, exit, corrupt memory, change handlers, start programs) ends with the runner; it cannot fork.
//! The control registers that the library's start-up code set for the loading thread are the runner's too. A runner is
//! kept from batch to batch, for a fork costs more than a small batch.

use std::fs::File;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Result, Write, pipe};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::Filling;
use crate::config::PATIENCE;
use crate::job::{Drive, Job};
use crate::processor::{Control, Tracer, X87Reading};
use crate::protocol::{Command, Mode, Reply};
use crate::sandbox;
use crate::shared::{BLOCK, Shared, X87_BROKEN};

/// How long the worker sleeps between looks at a runner's progress; its end is noticed at once.
const LOOK: Duration = Duration::from_millis(5);

/// A loaded build.
pub struct Loaded {
    /// The rings.
    pub shared: Shared,
    /// The function under test.
    pub target: *mut libc::c_void,
    /// The driver loop.
    pub drive: Drive,
    /// What every call starts with.
    pub control: Control,
    /// How the x87 status is read.
    pub x87_reading: X87Reading,
    /// What makes traces.
    pub tracer: Tracer,
    /// The byte that says that a call panicked; null where the build has none.
    pub panicked: *mut u8,
}

/// A runner as the worker sees it. Killed, with the children it may have, when dropped.
pub struct Runner {
    pid: libc::pid_t,
    commands: PipeWriter,
    replies: PipeReader,
}

impl Drop for Runner {
    fn drop(&mut self) {
        // SAFETY: signals our own child, which is not reaped yet, and its group; then reaps it.
        unsafe {
            libc::kill(-self.pid, libc::SIGKILL);
            libc::kill(self.pid, libc::SIGKILL);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}

impl Runner {
    /// Forks a runner. It closes the `private` descriptors, which are the worker's own.
    pub fn fork(loaded: &Loaded, private: [RawFd; 2]) -> Result<Runner> {
        let (commands_out, commands_in) = pipe()?;
        let (replies_out, replies_in) = pipe()?;
        // SAFETY: this process has one thread, so the child may do anything.
        match unsafe { libc::fork() } {
            0 => {
                drop((commands_in, replies_out));
                for descriptor in private {
                    // SAFETY: the worker's files are never touched by its copy.
                    unsafe { libc::close(descriptor) };
                }
                live(loaded, commands_out, replies_in)
            }
            pid if pid > 0 => Ok(Runner { pid, commands: commands_in, replies: replies_out }),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    /// Has the runner execute a command, as long as it makes progress; `None` where it has ended before it took the
    /// command. After any reply but [`Reply::Done`] it is of no use. Ends this process when the `parent` has closed its
    /// pipe.
    pub fn execute(&mut self, loaded: &Loaded, command: Command, parent: RawFd) -> Option<Reply> {
        let header = loaded.shared.header();
        header.accepted.store(0, Ordering::SeqCst);
        header.progress.store(command.first, Ordering::SeqCst);
        header.events.store(0, Ordering::SeqCst);
        // A runner that died while idle shows as a closed pipe below.
        let _ = command.send(&mut self.commands);
        let progress = || header.progress.load(Ordering::SeqCst);
        let limit = Duration::from_millis(command.call_timeout_ms);
        let (begun, budget) = (Instant::now(), Duration::from_millis(command.budget_ms));
        let mut mark = (progress(), Instant::now(), self.processor_time(), self.waited());
        let mut open = true;
        loop {
            // Children that the code under test started can keep the pipe open beyond the runner's end.
            match wait_for(self.replies.as_raw_fd(), open, parent) {
                Woken::Parent => {
                    // SAFETY: ends and with that kills the runner, whose death signal is tied to this process.
                    unsafe { libc::_exit(0) }
                }
                Woken::Runner => match self.replies.read(&mut [0]) {
                    Ok(1) if progress() >= command.end => return Some(Reply::Done),
                    // The code under test wrote into a descriptor that is not its own.
                    Ok(1) => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    _ => open = false,
                },
                Woken::Time => {}
            }
            if let Some(status) = self.ended() {
                let accepted = header.accepted.load(Ordering::SeqCst) != 0;
                return accepted.then(|| interpret(status, progress(), command.end));
            }
            let now = progress();
            if begun.elapsed() >= budget {
                return Some(Reply::Late { record: now });
            }
            if now != mark.0 {
                mark = (now, Instant::now(), self.processor_time(), self.waited());
            } else if self.processor_time().saturating_sub(mark.2) >= limit
                || mark.1.elapsed().saturating_sub(self.waited().saturating_sub(mark.3)) >= limit * PATIENCE as u32
            {
                return Some(Reply::Timeout { record: now });
            }
        }
    }

    /// The wait status, once the runner has ended; it stays to be reaped.
    fn ended(&self) -> Option<libc::siginfo_t> {
        // SAFETY: `info` outlives the call, which waits for our own child without reaping it.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
            let waited = libc::waitid(libc::P_PID, self.pid as libc::id_t, &mut info, flags);
            (waited == 0 && info.si_pid() == self.pid).then_some(info)
        }
    }

    /// Processor time that the runner has used so far.
    fn processor_time(&self) -> Duration {
        // SAFETY: both calls write to variables that outlive them.
        unsafe {
            let mut clock: libc::clockid_t = 0;
            let mut time: libc::timespec = std::mem::zeroed();
            if libc::clock_getcpuclockid(self.pid, &mut clock) != 0 || libc::clock_gettime(clock, &mut time) != 0 {
                return Duration::ZERO;
            }
            Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
        }
    }

    /// How long the runner has waited for a busy processor so far, where the kernel tells: the second number of its schedstat,
    /// in nanoseconds.
    fn waited(&self) -> Duration {
        let text = std::fs::read_to_string(format!("/proc/{}/schedstat", self.pid)).unwrap_or_default();
        Duration::from_nanos(text.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0))
    }
}

/// What ended a wait.
enum Woken {
    Runner,
    Parent,
    Time,
}

/// Waits for a runner's reply (if its pipe is open), for the parent's end, or for a while.
fn wait_for(runner: RawFd, open: bool, parent: RawFd) -> Woken {
    // A negative descriptor is passed over.
    let watched = if open { runner } else { -1 };
    let mut polls = [
        libc::pollfd { fd: watched, events: libc::POLLIN, revents: 0 },
        libc::pollfd { fd: parent, events: 0, revents: 0 },
    ];
    let pause = if open { LOOK } else { Duration::from_millis(1) };
    // SAFETY: two valid pollfds.
    unsafe { libc::poll(polls.as_mut_ptr(), 2, pause.as_millis() as i32) };
    match polls {
        [runner, _] if runner.revents != 0 => Woken::Runner,
        [_, parent] if parent.revents & (libc::POLLHUP | libc::POLLERR) != 0 => Woken::Parent,
        _ => Woken::Time,
    }
}

fn interpret(info: libc::siginfo_t, record: u64, end: u64) -> Reply {
    // SAFETY: waitid filled the fields for a child's end.
    let status = unsafe { info.si_status() };
    match info.si_code {
        _ if record >= end => Reply::Done,
        libc::CLD_EXITED => Reply::Exit { record, code: status },
        _ => Reply::Signal { record, signal: status },
    }
}

/// The runner's life: executes commands until the worker is gone.
fn live(loaded: &Loaded, commands: PipeReader, replies: PipeWriter) -> ! {
    sandbox::die_with_parent(true);
    // SAFETY: makes this process the leader of its group, so that programs started by the code under test end with it.
    unsafe { libc::setpgid(0, 0) };
    restore_signals();
    sandbox::deny_forks();
    // Kept out of the reach of code that closes the lowest descriptors.
    let (mut commands, mut replies) = (lift(commands.as_raw_fd()), lift(replies.as_raw_fd()));
    while let Ok(command) = Command::receive(&mut commands) {
        loaded.shared.header().accepted.store(1, Ordering::SeqCst);
        run(loaded, command);
        if replies.write_all(&[1]).is_err() {
            break;
        }
    }
    // SAFETY: ends the process at once, without destructors.
    unsafe { libc::_exit(0) }
}

fn lift(descriptor: RawFd) -> File {
    // SAFETY: the copy is owned by the file alone.
    unsafe { File::from_raw_fd(libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 200)) }
}

/// Gives signals that Rust's runtime handles back to the code under test. SIGPIPE stays ignored: code that writes into
/// descriptors that are not its own would end, or not, by who reads them at the time.
fn restore_signals() {
    for signal in [libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: sets the default action; no handler of ours is in place.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// How the driver loop reads the x87 status for a command.
fn x87_reading(loaded: &Loaded, command: Command) -> X87Reading {
    match loaded.x87_reading {
        X87Reading::Sticky | X87Reading::Recorded if command.mode != Mode::Fast => X87Reading::Each,
        // Runs with fillings are few.
        X87Reading::Recorded if command.filling != Filling::Zeros => X87Reading::Each,
        reading => reading,
    }
}

/// The part of a command's records whose statuses a runner that ended at a record may not have told: those behind the last
/// record at which they were looked at.
pub fn untold(loaded: &Loaded, command: Command, record: u64) -> Option<Command> {
    // The code under test can reach the counter of records.
    let record = record.clamp(command.first, command.end);
    let first = record.saturating_sub(u64::from(BLOCK) - 1).max(command.first);
    let is_told = match x87_reading(loaded, command) {
        X87Reading::Never | X87Reading::Each => true,
        X87Reading::Sticky => false,
        // What is seen in one record may be an earlier one's.
        X87Reading::Recorded => (first..record).all(|index| is_quiet(loaded, command, index)),
    };
    (first < record && !is_told).then_some(Command { first, end: record, mode: Mode::Each, ..command })
}

/// Whether what stands before an output record, recorded or not, says that nothing watched was raised and nothing changed.
fn is_quiet(loaded: &Loaded, command: Command, record: u64) -> bool {
    let at = loaded.shared.outputs().wrapping_add(record as usize * loaded.shared.output_stride);
    // SAFETY: the record is inside the ring, and its runner has ended.
    let head: [u8; 8] = unsafe { at.cast::<[u8; 8]>().read() };
    let word = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let (mxcsr, status, control) = (u32::from_le_bytes([head[0], head[1], head[2], head[3]]), word(4), word(6));
    let watched = command.watched as u32;
    mxcsr & watched == 0
        && [0, loaded.control.mxcsr].contains(&(mxcsr & !0x3f))
        && status & (watched as u16 | X87_BROKEN) == 0
        && [0, loaded.control.x87].contains(&control)
}

/// Has the allocator fill what it gives out from here on, where it can.
fn fill_heap(filling: Filling) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if let Some(byte) = filling.heap() {
        // SAFETY: sets a number of the allocator's, in a process with one thread. It fills with the number's complement.
        unsafe { libc::mallopt(libc::M_PERTURB, i32::from(!byte)) };
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = filling;
}

fn run(loaded: &Loaded, command: Command) {
    let header = loaded.shared.header();
    let (x87_block, is_recorded) = match x87_reading(loaded, command) {
        X87Reading::Never => (0, false),
        X87Reading::Sticky => (BLOCK, false),
        X87Reading::Recorded => (1, true),
        X87Reading::Each => (1, false),
    };
    let mut job = Job {
        target: loaded.target,
        inputs: loaded.shared.inputs(),
        outputs: loaded.shared.outputs(),
        first: command.first,
        count: command.end,
        progress: header.progress.as_ptr(),
        mxcsr: loaded.control.mxcsr,
        x87: loaded.control.x87,
        x87_block,
        is_recorded: u8::from(is_recorded),
        is_timed: u8::from(command.mode == Mode::Timed),
        watched: command.watched as u32,
        filling: command.filling.lanes(),
        panicked: loaded.panicked,
    };
    fill_heap(command.filling);
    let begun = Instant::now();
    // SAFETY: the job describes the shared rings, which live as long as this process; it has one thread.
    unsafe {
        match command.mode {
            Mode::Fast | Mode::Each | Mode::Timed => (loaded.drive)(&mut job),
            Mode::Trap | Mode::Step => loaded.tracer.drive(loaded.drive, &loaded.shared, command, &mut job),
        }
    }
    header.busy_nanoseconds.store(begun.elapsed().as_nanos() as u64, Ordering::SeqCst);
}
