//! Traces, from the parent's side: which calls are traced how, and whether the trace tells the whole story.
//!
//! All calls run once on the fast path, those that raised something once more with traps, many in one process; and only
//! those of which the traps did not tell everything are stepped through, one by one.

use std::sync::atomic::Ordering;

use labrys_float::Flags;

use crate::protocol::{Command, Mode, Reply};
use crate::shared::MAX_EVENTS;
use crate::status::flags_of;
use crate::worker::Tracing;
use crate::{Event, NativeError, Observation, Outcome, Trace, TracingSupport, Worker, tracing_support};

/// A trace as one way of tracing gives it.
#[derive(Clone, Debug)]
struct Attempt {
    trace: Trace,
    /// Whether the place of every event outside the library is known.
    placed: bool,
    /// Whether there were more events than the buffer holds.
    overrun: bool,
}

impl Attempt {
    const NEW: Attempt = Attempt { trace: Trace { events: Vec::new(), complete: false }, placed: true, overrun: false };

    /// Whether stepping through the call could show more.
    fn is_settled(&self) -> bool {
        self.overrun || (self.trace.complete && self.placed)
    }
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
        match self.trace_all(&[input.to_vec()], watched)?.pop() {
            Some(observation) => Ok(observation),
            None => Err(self.failed("it answered nothing".to_owned())),
        }
    }

    /// Runs inputs and traces their exceptions, in processes that have run nothing before, in far less time than one by
    /// one. Code that keeps state from call to call sees the calls in this order.
    ///
    /// # Errors
    ///
    /// As [`Worker::run`].
    pub fn trace_all(&mut self, inputs: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, NativeError> {
        let mut observations = self.run_fresh(inputs, watched)?;
        for observation in &mut observations {
            let nothing = observation.outcome == Outcome::Returned && observation.flags.is_empty();
            observation.trace = Some(Trace { events: Vec::new(), complete: nothing });
        }
        let open = |observation: &Observation| observation.trace.as_ref().is_some_and(|trace| !trace.complete);
        let traced = |observation: &Observation| open(observation) && observation.outcome != Outcome::Timeout;
        let mut left: Vec<usize> = (0..observations.len()).filter(|index| traced(&observations[*index])).collect();
        if self.config.tracing == Tracing::TrapThenStep && tracing_support() == TracingSupport::Trap {
            let mut unsettled = Vec::new();
            for batch in left.chunks(self.shared.capacity) {
                let attempts = self.attempt(Mode::Trap, batch, inputs, &observations, watched)?;
                for (index, attempt) in batch.iter().zip(attempts) {
                    // Stepping through a call that crashes would show no more.
                    if !attempt.is_settled() && observations[*index].outcome == Outcome::Returned {
                        unsettled.push(*index);
                    }
                    observations[*index].trace = Some(attempt.trace);
                }
            }
            left = unsettled;
        }
        for index in left {
            for attempt in self.attempt(Mode::Step, &[index], inputs, &observations, watched)? {
                let known = observations[index].trace.as_ref();
                let better =
                    known.is_none_or(|known| !known.complete && known.events.len() <= attempt.trace.events.len());
                if attempt.trace.complete || better {
                    observations[index].trace = Some(attempt.trace);
                }
            }
        }
        Ok(observations)
    }

    /// Traces the inputs of these indices, at most a batch, in one way.
    fn attempt(
        &mut self,
        mode: Mode,
        indices: &[usize],
        inputs: &[Vec<u8>],
        plain: &[Observation],
        watched: Flags,
    ) -> Result<Vec<Attempt>, NativeError> {
        let batch: Vec<&Vec<u8>> = indices.iter().map(|index| &inputs[*index]).collect();
        self.put(&batch);
        let limits = self.config.limits;
        let limit = if mode == Mode::Step { limits.traced_call } else { limits.call };
        let count = batch.len();
        let mut attempts = vec![Attempt::NEW; count];
        let mut first = 0;
        while first < count {
            let call_timeout_ms = limit.as_millis() as u64;
            let reply =
                self.ask(Command { mode, fresh: true, call_timeout_ms, ..self.command(first, count, watched) })?;
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
                let (trace, before) = (&mut attempts[slot].trace, &plain[indices[slot]]);
                let union = trace.events.iter().fold(Flags::empty(), |union, event| union | event.exceptions);
                let output = self.observe(slot, watched).output;
                trace.complete =
                    before.outcome == Outcome::Returned && union == before.flags && output == before.output;
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
            attempt.placed &= raw.located != 0;
            attempt.trace.events.push(Event {
                exceptions: flags_of(raw.status),
                address: raw.inside.wrapping_sub(self.base),
                outside: (raw.inside != raw.address).then_some(raw.address),
            });
            last = Some(record);
        }
        if count > MAX_EVENTS { last } else { None }
    }
}
