//! The parent's side of a worker process.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ::tracing::warn;
use labrys_float::Flags;

use crate::config::PATIENCE;
use crate::connection::{Connection, LOG};
use crate::processor::Control;
use crate::protocol::{Command, Mode, Reply};
use crate::shared::{OUTPUT_HEADER, PANICKED, Shared};
use crate::status::{flags_of, status_of};
use crate::{Filling, NativeError, Observation, Outcome, StartupState, WorkerConfig};

/// A running worker process. It is replaced when it dies.
pub struct Worker {
    pub(crate) config: WorkerConfig,
    pub(crate) shared: Shared,
    connection: Connection,
    startup: StartupState,
    output_size: usize,
    input_size: usize,
    /// What is added to the library's own addresses.
    pub(crate) base: u64,
    /// The driver loop's time in the last run.
    busy: Duration,
    /// What commands fill with.
    filling: Filling,
}

/// Time that a worker may need beyond the limits of the calls themselves.
const SLACK: Duration = Duration::from_secs(10);

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
        let connection = Connection::open(&config, &shared)?;
        let header = shared.header();
        let mxcsr = header.mxcsr.load(Ordering::SeqCst);
        let startup = StartupState {
            mxcsr,
            x87_control: header.x87.load(Ordering::SeqCst) as u16,
            ftz: mxcsr & Control::FTZ != 0,
            daz: mxcsr & Control::DAZ != 0,
        };
        let base = header.base.load(Ordering::SeqCst);
        let (filling, busy) = (config.filling, Duration::ZERO);
        Ok(Worker { config, shared, connection, startup, output_size, input_size, base, busy, filling })
    }

    /// The control registers that every call starts with.
    pub fn startup_state(&self) -> StartupState {
        self.startup
    }

    /// Sets or removes the time by which all calls must have ended, in place of [`crate::WorkerLimits::deadline`].
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.config.limits.deadline = deadline;
    }

    /// Sets the processor time that one call may take, in place of [`crate::WorkerLimits::call`].
    pub fn set_call_limit(&mut self, limit: Duration) {
        self.config.limits.call = limit;
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

    /// Runs one input record with a filling other than the worker's own, in a process that has run nothing before. What the
    /// library's start-up code allocated has the worker's own.
    ///
    /// # Errors
    ///
    /// As [`Worker::run`].
    pub fn run_filled(&mut self, input: &[u8], watched: Flags, filling: Filling) -> Result<Observation, NativeError> {
        self.filling = filling;
        let observations = self.run_fresh(&[input.to_vec()], watched);
        self.filling = self.config.filling;
        observations?.pop().ok_or_else(|| self.failed("it answered nothing".to_owned()))
    }

    fn run_all(&mut self, inputs: &[Vec<u8>], watched: Flags, fresh: bool) -> Result<Vec<Observation>, NativeError> {
        let observations = self.run_in_time(inputs, watched, fresh)?;
        if observations.len() < inputs.len() { Err(self.late()) } else { Ok(observations) }
    }

    pub(crate) fn late(&self) -> NativeError {
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

    /// How long calls take with each input several times in a row, by the driver loop's clock, with nothing looked at between them; `None` where one
    /// does not return, or the deadline passes.
    ///
    /// # Errors
    ///
    /// Where the worker process itself cannot be kept running.
    pub fn time(&mut self, inputs: &[Vec<u8>]) -> Result<Option<Duration>, NativeError> {
        let mut took = Duration::ZERO;
        for batch in inputs.chunks(self.shared.capacity) {
            self.put(batch);
            let command = Command { mode: Mode::Timed, ..self.command(0, batch.len(), Flags::empty()) };
            if self.ask(command)? != Reply::Done {
                return Ok(None);
            }
            took += self.took();
        }
        Ok(Some(took))
    }

    /// How long the driver loop took for its last records.
    fn took(&self) -> Duration {
        Duration::from_nanos(self.shared.header().busy_nanoseconds.load(Ordering::SeqCst))
    }

    /// How long the driver loop took for the records of the last [`Worker::run`].
    pub fn loop_time(&self) -> Duration {
        self.busy
    }

    /// Puts a batch, which must not be larger than the ring, into it.
    pub(crate) fn put(&mut self, batch: &[impl AsRef<[u8]>]) {
        for (index, record) in batch.iter().enumerate().take(self.shared.capacity) {
            let record = record.as_ref();
            let length = record.len().min(self.input_size);
            // SAFETY: `index` is below the capacity and the stride is at least the record's size; no runner is at work.
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
                    self.busy += self.took();
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
    pub(crate) fn observe(&self, index: usize, watched: Flags) -> Observation {
        // SAFETY: `index` is below the capacity; the runner has ended or is behind this record.
        let record = unsafe {
            let slot = self.shared.outputs().add(index * self.shared.output_stride);
            std::slice::from_raw_parts(slot, self.shared.output_stride)
        };
        let status = u32::from_le_bytes([record[0], record[1], record[2], record[3]]);
        if status & PANICKED != 0 {
            return self.ended(Outcome::Panic);
        }
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
    pub(crate) fn command(&self, first: usize, end: usize, watched: Flags) -> Command {
        Command {
            first: first as u64,
            end: end as u64,
            watched: u64::from(status_of(watched)),
            mode: Mode::Fast,
            fresh: false,
            call_timeout_ms: self.config.limits.call.as_millis() as u64,
            budget_ms: self.time_left(),
            filling: self.filling,
        }
    }

    /// Sends a command; a worker that dies is replaced once.
    pub(crate) fn ask(&mut self, command: Command) -> Result<Reply, NativeError> {
        // The worker itself lets calls wait for a busy processor for a while.
        let calls = (command.end - command.first).saturating_mul(command.call_timeout_ms).saturating_mul(PATIENCE);
        let limit = Duration::from_millis(calls.min(command.budget_ms)).saturating_add(SLACK);
        if command.budget_ms == 0 {
            return Ok(Reply::Late { record: command.first });
        }
        for attempt in 0..2 {
            if attempt > 0 {
                warn!(target: LOG, library = %self.config.library.display(), ?limit, "a worker died or did not answer: another one is started");
                self.connection = Connection::open(&self.config, &self.shared)?;
                self.base = self.shared.header().base.load(Ordering::SeqCst);
            }
            if let Some(reply) = self.connection.ask(command, limit) {
                return Ok(reply);
            }
            // What did not answer in time must not answer the next command.
            self.connection.close();
        }
        Err(self.failed("it died twice by itself".to_owned()))
    }

    pub(crate) fn failed(&self, reason: String) -> NativeError {
        NativeError::Worker { library: self.config.library.clone(), reason }
    }
}
