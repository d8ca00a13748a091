//! Traces, from the parent's side: which calls are traced how, and whether the trace tells the whole story.
//!
//! All calls run once on the fast path, those that raised something once more with traps; and only those of which the
//! traps did not tell everything are stepped through.

use std::sync::atomic::Ordering;

use labrys_float::Flags;

use crate::protocol::{Command, Mode, Reply};
use crate::shared::MAX_EVENTS;
use crate::status::flags_of;
use crate::{Event, NativeError, Observation, Outcome, Trace, Tracing, TracingSupport, Worker, tracing_support};

/// A trace as one way of tracing gives it.
#[derive(Clone, Debug)]
struct Attempt {
    trace: Trace,
    /// Whether the place of every event outside the library is known.
    placed: bool,
    /// Whether there were more events than the buffer holds, or than are wanted.
    overrun: bool,
}

impl Attempt {
    const NEW: Attempt = Attempt { trace: Trace { events: Vec::new(), complete: false }, placed: true, overrun: false };

    /// Whether stepping through the call could show more.
    fn is_settled(&self) -> bool {
        self.overrun || (self.trace.complete && self.placed)
    }
}

/// Gives an observation the trace it has without tracing; whether that is all there can be.
fn begin_trace(observation: &mut Observation) -> bool {
    let nothing = observation.outcome == Outcome::Returned && observation.flags.is_empty();
    observation.trace = Some(Trace { events: Vec::new(), complete: nothing });
    // The machinery of panics is nobody's arithmetic.
    nothing || matches!(observation.outcome, Outcome::Timeout | Outcome::Panic)
}

impl Worker {
    /// Runs one input and traces its exceptions, in processes that have run nothing before.
    ///
    /// A call that does not return is traced up to its end, incompletely; one that hangs is not traced.
    ///
    /// # Errors
    ///
    /// As [`Worker::run`].
    pub fn trace(&mut self, input: &[u8], watched: Flags) -> Result<Observation, NativeError> {
        let inputs = [input.to_vec()];
        let Some(mut observation) = self.run_fresh(&inputs, watched)?.pop() else {
            return Err(self.failed("it answered nothing".to_owned()));
        };
        if begin_trace(&mut observation) || tracing_support() == TracingSupport::None {
            return Ok(observation);
        }
        if self.traps() {
            let attempt = self.attempt(Mode::Trap, true, &[0], &inputs, std::slice::from_ref(&observation), watched)?;
            // Stepping through a call that crashes would show no more.
            let settled = attempt.iter().all(Attempt::is_settled) || observation.outcome != Outcome::Returned;
            observation.trace = attempt.into_iter().next().map(|attempt| attempt.trace);
            if settled {
                return Ok(observation);
            }
        }
        for attempt in self.attempt(Mode::Step, true, &[0], &inputs, std::slice::from_ref(&observation), watched)? {
            let known = observation.trace.as_ref();
            let better = known.is_none_or(|known| !known.complete && known.events.len() <= attempt.trace.events.len());
            if attempt.trace.complete || better {
                observation.trace = Some(attempt.trace);
            }
        }
        Ok(observation)
    }

    /// Runs inputs and traces their exceptions: what [`Worker::trace`] gives, far faster than one by one.
    ///
    /// All calls are made by the process that makes those of [`Worker::run`], once plainly and once with traps. Where
    /// the two do not agree, or traps do not tell everything, the input is traced by itself as [`Worker::trace`] does.
    ///
    /// # Errors
    ///
    /// As [`Worker::run`].
    pub fn trace_all(&mut self, inputs: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, NativeError> {
        let mut observations = self.run(inputs, watched)?;
        let mut open = Vec::new();
        for (index, observation) in observations.iter_mut().enumerate() {
            if !begin_trace(observation) && tracing_support() != TracingSupport::None {
                open.push(index);
            }
        }
        let mut unsettled = Vec::new();
        if self.traps() {
            for batch in open.chunks(self.shared.capacity) {
                let attempts = self.attempt(Mode::Trap, false, batch, inputs, &observations, watched)?;
                for (index, attempt) in batch.iter().zip(attempts) {
                    if !attempt.is_settled() {
                        unsettled.push(*index);
                    }
                    observations[*index].trace = Some(attempt.trace);
                }
            }
        } else {
            unsettled = open;
        }
        for index in unsettled {
            observations[index] = self.trace(&inputs[index], watched)?;
        }
        Ok(observations)
    }

    /// Whether traps are to be tried.
    fn traps(&self) -> bool {
        self.config.tracing == Tracing::TrapThenStep && tracing_support() == TracingSupport::Trap
    }

    /// Traces the inputs of these indices, at most a batch, in one way.
    fn attempt(
        &mut self,
        mode: Mode,
        fresh: bool,
        indices: &[usize],
        inputs: &[Vec<u8>],
        plain: &[Observation],
        watched: Flags,
    ) -> Result<Vec<Attempt>, NativeError> {
        let batch: Vec<&Vec<u8>> = indices.iter().map(|index| &inputs[*index]).collect();
        self.put(&batch);
        let limits = self.config.limits;
        let count = batch.len();
        let mut attempts = vec![Attempt::NEW; count];
        let mut first = 0;
        while first < count {
            // A call that raises thousands of exceptions takes far longer with traps, too.
            let call_timeout_ms = limits.traced_call.max(limits.call).as_millis() as u64;
            let reply = self.ask(Command { mode, fresh, call_timeout_ms, ..self.command(first, count, watched) })?;
            let ended = match reply {
                Reply::Done => count,
                Reply::Signal { record, .. } | Reply::Exit { record, .. } | Reply::Timeout { record } => {
                    record as usize
                }
                Reply::Late { .. } => return Err(self.late()),
                Reply::Ready | Reply::Failed => return Err(self.failed("it gave a wrong answer".to_owned())),
            };
            let overrun = self.take_events(&mut attempts);
            let behind = ended.min(overrun.unwrap_or(count)).clamp(first, count);
            for slot in first..behind {
                let Attempt { trace, overrun, .. } = &mut attempts[slot];
                let before = &plain[indices[slot]];
                let union = trace.events.iter().fold(Flags::empty(), |union, event| union | event.exceptions);
                let output = self.observe(slot, watched).output;
                let agrees = union == before.flags && output == before.output;
                trace.complete = before.outcome == Outcome::Returned && agrees && !*overrun;
            }
            // The buffer ran full at this record: it gets an empty one, unless it had that already.
            let again = overrun == Some(behind) && behind > first;
            if again {
                attempts[behind] = Attempt::NEW;
            } else if overrun == Some(behind) {
                attempts[behind].overrun = true;
            }
            first = if again { behind } else { behind + 1 };
        }
        Ok(attempts)
    }

    /// Moves the events of the last command to their records. The record at which the buffer was full, if it was.
    fn take_events(&self, attempts: &mut [Attempt]) -> Option<usize> {
        let count = self.shared.header().events.load(Ordering::SeqCst) as usize;
        let mut last = None;
        for index in 0..count.min(MAX_EVENTS) {
            // SAFETY: no runner is at work; the buffer holds `MAX_EVENTS` plain structs.
            let raw = unsafe { self.shared.events().add(index).read() };
            let record = raw.record as usize;
            let Some(attempt) = attempts.get_mut(record) else { continue };
            last = Some(record);
            if raw.status == 0 {
                attempt.overrun = true;
                continue;
            }
            attempt.placed &= raw.located != 0;
            attempt.trace.events.push(Event {
                exceptions: flags_of(raw.status),
                address: raw.inside.wrapping_sub(self.base),
                outside: (raw.inside != raw.address).then_some(raw.address),
            });
        }
        if count > MAX_EVENTS { last } else { None }
    }
}
