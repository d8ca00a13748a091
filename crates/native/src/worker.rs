//! The parent's side of a worker process.

use std::ffi::OsString;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_program::Signature;

use crate::protocol::{Command, Mode, Reply};
use crate::runner::PATIENCE;
use crate::shared::{MAX_EVENTS, OUTPUT_HEADER, Shared};
use crate::{
    Confirmation, Driver, Event, Lanes, NativeError, Observation, Outcome, Trace, TracingSupport, tracing_support,
};

/// The control registers that the code under test starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Startup {
    /// What loading the build leaves.
    #[default]
    Loaded,
    /// The default environment.
    Default,
    /// The default environment with FTZ and DAZ set.
    Ftz,
}

/// The control registers after loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartupState {
    /// MXCSR, sticky bits cleared.
    pub mxcsr: u32,
    /// The x87 control word.
    pub x87_control: u16,
    /// Whether tiny results are flushed to zero.
    pub ftz: bool,
    /// Whether subnormal operands are read as zeros.
    pub daz: bool,
}

/// How traces are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracing {
    /// By traps, and by single steps where traps do not tell the whole story.
    #[default]
    TrapThenStep,
    /// By single steps only.
    Step,
}

/// What the code under test may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerLimits {
    /// Wall-clock time of one call.
    pub call: Duration,
    /// Wall-clock time of one traced call.
    pub traced_call: Duration,
    /// Wall-clock time of loading the build, its start-up code included.
    pub load: Duration,
    /// Memory beyond what the loaded process maps, in mebibytes.
    pub memory_mib: u64,
    /// When all calls must have ended, whatever their number; none by default.
    pub deadline: Option<Instant>,
}

impl Default for WorkerLimits {
    /// One second a call, twenty traced, thirty for loading, 1 GiB.
    fn default() -> WorkerLimits {
        WorkerLimits {
            call: Duration::from_secs(1),
            traced_call: Duration::from_secs(20),
            load: Duration::from_secs(30),
            memory_mib: 1024,
            deadline: None,
        }
    }
}

/// What a worker runs and how.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// The program that runs [`crate::worker_main`], with the arguments that lead there.
    pub command: Vec<OsString>,
    /// The build's shared object.
    pub library: PathBuf,
    /// The function's signature; its symbol is what is called.
    pub signature: Signature,
    /// The driver loop compiled for the signature.
    pub driver: Driver,
    /// The control registers to start with.
    pub startup: Startup,
    /// What stands in unused vector lanes.
    pub lanes: Lanes,
    /// How traces are made.
    pub tracing: Tracing,
    /// Limits.
    pub limits: WorkerLimits,
}

/// A running worker process. It is replaced when it dies.
pub struct Worker {
    config: WorkerConfig,
    shared: Shared,
    process: Connected,
    startup: StartupState,
    output_size: usize,
    input_size: usize,
    base: u64,
    /// The driver loop's time in the last run.
    busy: Duration,
}

/// The child and its pipes; killed when dropped.
struct Connected {
    child: Child,
    commands: ChildStdin,
    replies: ChildStdout,
}

impl Drop for Connected {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Time that a worker may need beyond the limits of the calls themselves.
const SLACK: Duration = Duration::from_secs(10);

impl Command {
    /// The command for a trace.
    fn by(self, mode: Mode, limit: Duration) -> Command {
        Command { mode, fresh: true, call_timeout_ms: limit.as_millis() as u64, ..self }
    }
}

impl Worker {
    /// Starts a worker and waits until it has loaded its build.
    ///
    /// # Errors
    ///
    /// Where the process cannot be started, or the build or the function cannot be loaded in time.
    pub fn spawn(config: WorkerConfig) -> Result<Worker, NativeError> {
        let input_size = config.signature.input_layout().size;
        let output_size = config.signature.output_layout().size;
        let shared = Shared::create(input_size, output_size)?;
        let process = connect(&config, &shared, input_size, output_size)?;
        let header = shared.header();
        let mxcsr = header.mxcsr.load(Ordering::SeqCst);
        let startup = StartupState {
            mxcsr,
            x87_control: header.x87.load(Ordering::SeqCst) as u16,
            ftz: mxcsr & 0x8000 != 0,
            daz: mxcsr & 0x40 != 0,
        };
        let base = header.base.load(Ordering::SeqCst);
        Ok(Worker { config, shared, process, startup, output_size, input_size, base, busy: Duration::ZERO })
    }

    /// The control registers that every call starts with.
    pub fn startup_state(&self) -> StartupState {
        self.startup
    }

    /// Sets or removes the time by which all calls must have ended, in place of [`WorkerLimits::deadline`].
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.config.limits.deadline = deadline;
    }

    /// Runs each input record once. Crashes, time-outs and exits are observations.
    ///
    /// # Errors
    ///
    /// Where the worker process itself cannot be kept running, and [`NativeError::Deadline`] where the deadline passes.
    pub fn run(&mut self, inputs: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, NativeError> {
        self.run_all(inputs, watched, false)
    }

    /// As [`Worker::run`], but where the deadline passes the observations of the inputs that were run in time, which are
    /// the first ones.
    ///
    /// # Errors
    ///
    /// Where the worker process itself cannot be kept running.
    pub fn run_available(&mut self, inputs: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, NativeError> {
        self.run_in_time(inputs, watched, false)
    }

    /// Runs each input record once, in a process that has run nothing before.
    ///
    /// # Errors
    ///
    /// As [`Worker::run`].
    pub fn run_fresh(&mut self, inputs: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, NativeError> {
        self.run_all(inputs, watched, true)
    }

    fn run_all(&mut self, inputs: &[Vec<u8>], watched: Flags, fresh: bool) -> Result<Vec<Observation>, NativeError> {
        let observations = self.run_in_time(inputs, watched, fresh)?;
        if observations.len() < inputs.len() { Err(self.late()) } else { Ok(observations) }
    }

    fn late(&self) -> NativeError {
        NativeError::Deadline { library: self.config.library.clone() }
    }

    fn run_in_time(
        &mut self,
        inputs: &[Vec<u8>],
        watched: Flags,
        fresh: bool,
    ) -> Result<Vec<Observation>, NativeError> {
        let mut observations = Vec::with_capacity(inputs.len());
        self.busy = Duration::ZERO;
        for batch in inputs.chunks(self.shared.capacity) {
            self.put(batch);
            if !self.run_ring(batch.len(), watched, fresh, &mut observations)? {
                break;
            }
        }
        Ok(observations)
    }

    /// How long the driver loop took for the records of the last [`Worker::run`]; for the benchmarks.
    pub fn loop_time(&self) -> Duration {
        self.busy
    }

    /// Runs one input and traces its exceptions, each in a process that has run nothing before.
    ///
    /// A call that does not return is traced up to its end, incompletely; one that hangs is not traced.
    ///
    /// # Errors
    ///
    /// As [`Worker::run`].
    pub fn trace(&mut self, input: &[u8], watched: Flags) -> Result<Observation, NativeError> {
        let Some(mut plain) = self.run_fresh(&[input.to_vec()], watched)?.pop() else {
            return Err(self.failed("it answered nothing".to_owned()));
        };
        let ways: &[Mode] = match (&plain.outcome, self.config.tracing) {
            (Outcome::Timeout, _) => &[],
            (Outcome::Returned, _) if plain.flags.is_empty() => {
                plain.trace = Some(Trace { events: Vec::new(), complete: true });
                return Ok(plain);
            }
            (_, Tracing::TrapThenStep) if tracing_support() != TracingSupport::Trap => &[Mode::Step],
            (Outcome::Signal(_) | Outcome::Exit(_), Tracing::TrapThenStep) => &[Mode::Trap],
            (Outcome::Returned, Tracing::TrapThenStep) => &[Mode::Trap, Mode::Step],
            (_, Tracing::Step) => &[Mode::Step],
        };
        let mut best = Trace::default();
        for way in ways {
            let (trace, located) = self.trace_by(*way, watched, &plain)?;
            let settled = trace.complete && located;
            if trace.complete || (!best.complete && trace.events.len() > best.events.len()) {
                best = trace;
            }
            if settled {
                break;
            }
        }
        plain.trace = Some(best);
        Ok(plain)
    }

    /// Traces the input that is first in the ring; also, whether every event's place is known.
    fn trace_by(&mut self, way: Mode, watched: Flags, plain: &Observation) -> Result<(Trace, bool), NativeError> {
        let limit = if way == Mode::Step { self.config.limits.traced_call } else { self.config.limits.call };
        let command = self.command(0, 1, watched).by(way, limit);
        let reply = self.ask(command)?;
        if matches!(reply, Reply::Late { .. }) {
            return Err(self.late());
        }
        let count = self.shared.header().events.load(Ordering::SeqCst) as usize;
        let mut events = Vec::with_capacity(count.min(MAX_EVENTS));
        let mut located = true;
        for index in 0..count.min(MAX_EVENTS) {
            // SAFETY: the runner has ended; the buffer holds `MAX_EVENTS` plain structs.
            let raw = unsafe { self.shared.events().add(index).read() };
            located &= raw.located != 0;
            events.push(Event {
                exceptions: flags_of(raw.status),
                address: raw.inside.wrapping_sub(self.base),
                outside: (raw.inside != raw.address).then_some(raw.address),
            });
        }
        let union = events.iter().fold(Flags::empty(), |union, event| union | event.exceptions);
        let traced = self.observe(0, watched);
        let same = reply == Reply::Done && union == plain.flags && traced.output == plain.output;
        let complete = same && count <= MAX_EVENTS && plain.outcome == Outcome::Returned;
        Ok((Trace { events, complete }, located))
    }

    fn put(&mut self, batch: &[Vec<u8>]) {
        for (index, record) in batch.iter().enumerate() {
            let length = record.len().min(self.input_size);
            // SAFETY: `index` is below the capacity and the stride is at least the record's size; no runner is alive.
            unsafe {
                let slot = self.shared.inputs().add(index * self.shared.input_stride);
                std::ptr::copy_nonoverlapping(record.as_ptr(), slot, length);
            }
        }
        // SAFETY: the output ring holds `batch.len()` records; padding must be zero whatever ran before.
        unsafe { std::ptr::write_bytes(self.shared.outputs(), 0, batch.len() * self.shared.output_stride) };
    }

    /// Runs the first `count` records of the ring; whether the deadline left time for all of them.
    fn run_ring(
        &mut self,
        count: usize,
        watched: Flags,
        fresh: bool,
        observations: &mut Vec<Observation>,
    ) -> Result<bool, NativeError> {
        let mut first = 0;
        while first < count {
            let reply = self.ask(Command { fresh, ..self.command(first, count, watched) })?;
            let (record, outcome) = match reply {
                Reply::Signal { record, signal } => (record as usize, Outcome::Signal(signal)),
                Reply::Exit { record, code } => (record as usize, Outcome::Exit(code)),
                Reply::Timeout { record } => (record as usize, Outcome::Timeout),
                Reply::Done => {
                    self.busy += Duration::from_nanos(self.shared.header().busy_nanoseconds.load(Ordering::SeqCst));
                    (count, Outcome::Returned)
                }
                Reply::Late { record } => {
                    let record = (record as usize).clamp(first, count);
                    observations.extend((first..record).map(|index| self.observe(index, watched)));
                    return Ok(record == count);
                }
                Reply::Ready | Reply::Failed => return Err(self.failed("it gave a wrong answer".to_owned())),
            };
            // The code under test can reach the counter of records: what it says is kept within this batch.
            let record = record.clamp(first, count);
            observations.extend((first..record).map(|index| self.observe(index, watched)));
            if record < count {
                observations.push(self.ended(outcome));
            }
            first = record + 1;
        }
        Ok(true)
    }

    /// What the output ring says of a call that returned.
    fn observe(&self, index: usize, watched: Flags) -> Observation {
        // SAFETY: `index` is below the capacity; the runner has ended or is behind this record.
        let record = unsafe {
            let slot = self.shared.outputs().add(index * self.shared.output_stride);
            std::slice::from_raw_parts(slot, self.shared.output_stride)
        };
        let status = u32::from_le_bytes([record[0], record[1], record[2], record[3]]);
        Observation {
            outcome: Outcome::Returned,
            flags: flags_of(status) & watched,
            output: record[OUTPUT_HEADER..OUTPUT_HEADER + self.output_size].to_vec(),
            trace: None,
        }
    }

    fn ended(&self, outcome: Outcome) -> Observation {
        Observation { outcome, flags: Flags::empty(), output: vec![0; self.output_size], trace: None }
    }

    /// Milliseconds until the deadline.
    fn time_left(&self) -> u64 {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now()).as_millis() as u64;
        self.config.limits.deadline.map_or(u64::MAX, left)
    }

    /// A command for the fast path.
    fn command(&self, first: usize, end: usize, watched: Flags) -> Command {
        Command {
            first: first as u64,
            end: end as u64,
            watched: u64::from(status_of(watched)),
            mode: Mode::Fast,
            fresh: false,
            call_timeout_ms: self.config.limits.call.as_millis() as u64,
            budget_ms: self.time_left(),
        }
    }

    /// Sends a command; a worker that dies is replaced once.
    fn ask(&mut self, command: Command) -> Result<Reply, NativeError> {
        // The worker itself lets calls wait for a busy processor for a while.
        let calls = (command.end - command.first).saturating_mul(command.call_timeout_ms).saturating_mul(PATIENCE);
        let limit = Duration::from_millis(calls.min(command.budget_ms)).saturating_add(SLACK);
        if command.budget_ms == 0 {
            return Ok(Reply::Late { record: command.first });
        }
        for attempt in 0..2 {
            let sent = command.send(&mut self.process.commands);
            if sent.is_ok()
                && let Some(reply) = receive(&mut self.process.replies, limit)
            {
                return Ok(reply);
            }
            if attempt == 0 {
                self.process = connect(&self.config, &self.shared, self.input_size, self.output_size)?;
                self.base = self.shared.header().base.load(Ordering::SeqCst);
            }
        }
        Err(self.failed("it died twice by itself".to_owned()))
    }

    fn failed(&self, reason: String) -> NativeError {
        NativeError::Worker { library: self.config.library.clone(), reason }
    }
}

/// Runs one input in two fresh processes, the second with ones in the unused vector lanes; each observation has its
/// trace.
///
/// # Errors
///
/// As [`Worker::spawn`].
pub fn confirm(config: &WorkerConfig, input: &[u8], watched: Flags) -> Result<Confirmation, NativeError> {
    let mut observations = Vec::with_capacity(2);
    for lanes in [Lanes::Zeros, Lanes::Ones] {
        let mut worker = Worker::spawn(WorkerConfig { lanes, ..config.clone() })?;
        observations.push(match lanes {
            Lanes::Zeros => worker.trace(input, watched)?,
            Lanes::Ones => worker.run_fresh(&[input.to_vec()], watched)?.swap_remove(0),
        });
    }
    let (Some(second), Some(first)) = (observations.pop(), observations.pop()) else {
        return Err(NativeError::Worker { library: config.library.clone(), reason: "it answered nothing".to_owned() });
    };
    let same = first.outcome == second.outcome && first.flags == second.flags && first.output == second.output;
    Ok(if same { Confirmation::Stable(first) } else { Confirmation::Varies(Box::new((first, second))) })
}

fn connect(
    config: &WorkerConfig,
    shared: &Shared,
    input_size: usize,
    output_size: usize,
) -> Result<Connected, NativeError> {
    let failed = |reason: String| NativeError::Worker { library: config.library.clone(), reason };
    let (program, leading) = config.command.split_first().ok_or_else(|| failed("no command".to_owned()))?;
    let descriptor = shared.descriptor();
    let mut process = Process::new(program);
    process.args(leading).arg(&config.library).arg(config.driver.library()).arg(&config.signature.symbol);
    process.args([descriptor.to_string(), input_size.to_string(), output_size.to_string()]);
    process.arg(match config.startup {
        Startup::Loaded => "loaded",
        Startup::Default => "default",
        Startup::Ftz => "ftz",
    });
    process.arg(config.limits.memory_mib.to_string());
    process.arg(if config.lanes == Lanes::Ones { "ones" } else { "zeros" });
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: fcntl is async-signal-safe; it lets the new process keep the shared memory.
    unsafe {
        process.pre_exec(move || match libc::fcntl(descriptor, libc::F_SETFD, 0) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let mut child = process.spawn().map_err(|error| failed(error.to_string()))?;
    let (Some(commands), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed("no pipes".to_owned()));
    };
    let mut connected = Connected { child, commands, replies };
    match receive(&mut connected.replies, config.limits.load) {
        Some(Reply::Ready) => Ok(connected),
        Some(Reply::Failed) => {
            let mut reason = String::new();
            let _ = connected.replies.by_ref().take(4096).read_to_string(&mut reason);
            Err(NativeError::Load { library: config.library.clone(), reason: reason.replace('\n', " ") })
        }
        _ => Err(failed("its start-up code crashed or hung while loading".to_owned())),
    }
}

/// The next reply, if one comes in time.
fn receive(replies: &mut ChildStdout, limit: Duration) -> Option<Reply> {
    let deadline = Instant::now().checked_add(limit)?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut poll = libc::pollfd { fd: replies.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let milliseconds = i32::try_from(left.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: one valid pollfd.
        match unsafe { libc::poll(&mut poll, 1, milliseconds) } {
            ready if ready > 0 => return Reply::receive(replies).ok(),
            0 => return None,
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return None,
        }
    }
}

/// The processor's status bits and what they mean.
const STATUS_BITS: [(u32, Flags); 5] = [
    (1, Flags::INVALID),
    (1 << 2, Flags::DIVBYZERO),
    (1 << 3, Flags::OVERFLOW),
    (1 << 4, Flags::UNDERFLOW),
    (1 << 5, Flags::INEXACT),
];

fn flags_of(status: u32) -> Flags {
    STATUS_BITS.iter().filter(|(bit, _)| status & bit != 0).fold(Flags::empty(), |flags, (_, flag)| flags | *flag)
}

fn status_of(flags: Flags) -> u32 {
    STATUS_BITS.iter().filter(|(_, flag)| flags.contains(*flag)).fold(0, |status, (bit, _)| status | bit)
}
