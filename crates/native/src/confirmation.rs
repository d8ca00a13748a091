//! Confirmation: is an observation the code's own, or does it depend on lanes and memory that nobody set?
//!
//! **Claim.** What a [`Confirmation`] calls certain was observed whatever stood in the lanes above each argument, in all other
//! vector registers, in the stack below the call and in new heap memory, of what [`Filling`] has: zeros, ones, subnormals, huge
//! numbers, and NaNs that signal as floats or as doubles. Compilers let packed operations work on lanes that hold no argument: on
//! a struct of three floats a product of four, which raises what the caller's leftovers raise.
//!
//! **What it may miss.** Leftovers of other kinds, such as a number whose product with an argument is tiny while those with a
//! subnormal and with a huge number are not. Which of several instructions raised an
//! exception is what the trace with zeros says. An allocation that is served from memory freed before is not filled. A call that takes too
//! long is repeated with one filling only.

use std::time::{Duration, Instant};

use labrys_float::Flags;

use crate::{Filling, NativeError, Observation, Outcome, Worker, WorkerConfig};

/// One input's observations with every filling, each made by a process that has run nothing before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// With zeros, and with what trace was made of it.
    pub observation: Observation,
    /// What was otherwise.
    pub variations: Vec<Variation>,
}

/// An observation that is not that with zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// What stood where nobody wrote.
    pub filling: Filling,
    /// What was seen.
    pub observation: Observation,
}

impl Confirmation {
    /// Whether the outcome and the outputs were the same with every filling.
    pub fn has_one_result(&self) -> bool {
        self.variations.iter().all(|variation| !variation.changes_result(&self.observation))
    }

    /// The exceptions that were raised with every filling.
    pub fn certain(&self) -> Flags {
        self.variations.iter().fold(self.observation.flags, |flags, variation| flags & variation.observation.flags)
    }

    /// The exceptions that were raised with some filling.
    pub fn possible(&self) -> Flags {
        self.variations.iter().fold(self.observation.flags, |flags, variation| flags | variation.observation.flags)
    }

    /// The exceptions that were raised with some fillings and not with others.
    pub fn varying(&self) -> Flags {
        self.possible() - self.certain()
    }

    /// The observation with zeros without these exceptions, in the trace too.
    pub fn without(&self, exceptions: Flags) -> Observation {
        let mut observation = self.observation.clone();
        observation.flags -= exceptions;
        if let Some(trace) = &mut observation.trace {
            for event in &mut trace.events {
                event.exceptions -= exceptions;
            }
            trace.events.retain(|event| !event.exceptions.is_empty());
        }
        observation
    }
}

impl Variation {
    /// Whether the outcome or an output is not the one with zeros.
    pub fn changes_result(&self, with_zeros: &Observation) -> bool {
        self.observation.outcome != with_zeros.outcome || self.observation.output != with_zeros.output
    }
}

/// What repeats observations with other fillings: a worker of its own, started when first needed, because what a library allocates
/// while it is loaded is filled, too.
pub struct Confirmer {
    config: WorkerConfig,
    worker: Option<Worker>,
}

impl Confirmer {
    /// For the build of this configuration, whatever filling that has.
    pub fn new(config: WorkerConfig) -> Confirmer {
        Confirmer { config: WorkerConfig { filling: Filling::Ones, ..config }, worker: None }
    }

    /// As [`Worker::set_deadline`].
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.config.limits.deadline = deadline;
        if let Some(worker) = &mut self.worker {
            worker.set_deadline(deadline);
        }
    }

    /// Sets the processor time that one call may take.
    pub fn set_call_limit(&mut self, limit: Duration) {
        self.config.limits.call = limit;
        if let Some(worker) = &mut self.worker {
            worker.set_call_limit(limit);
        }
    }

    /// The worker, started if it is not.
    fn worker(&mut self) -> Result<&mut Worker, NativeError> {
        Ok(match &mut self.worker {
            Some(worker) => worker,
            none => none.insert(Worker::spawn(self.config.clone())?),
        })
    }

    /// As [`Worker::run_available`] with [`Filling::Ones`].
    ///
    /// # Errors
    ///
    /// As [`Worker::spawn`] and [`Worker::run_available`].
    pub fn run_with_ones(&mut self, inputs: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, NativeError> {
        self.worker()?.run_available(inputs, watched)
    }

    /// Repeats what was observed on an input with zeros.
    ///
    /// # Errors
    ///
    /// As [`Worker::spawn`] and [`Worker::run`].
    pub fn confirm(
        &mut self,
        observation: Observation,
        input: &[u8],
        watched: Flags,
    ) -> Result<Confirmation, NativeError> {
        let worker = self.worker()?;
        let fillings = if observation.outcome == Outcome::Timeout { 1 } else { Filling::ALL.len() };
        let mut variations = Vec::new();
        for filling in Filling::others().take(fillings) {
            let filled = worker.run_filled(input, watched, filling)?;
            let same = filled.outcome == observation.outcome
                && filled.flags == observation.flags
                && filled.output == observation.output;
            if !same {
                variations.push(Variation { filling, observation: filled });
            }
        }
        Ok(Confirmation { observation, variations })
    }
}
