//! One build under observation: its worker processes, and the names of its sites.

use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_native::{
    Confirmation, Confirmer, Event, NativeError, Observation, Outcome, SourceFrame, StartupState, Symbolizer, Worker,
    WorkerConfig,
};
use labrys_program::{Beginning, Signature};
use labrys_report::SourcePlace;
use rustc_hash::FxHashMap;

use crate::AnalysisError;
use crate::observation::interpreted::Interpreted;
use crate::run::record::absolute;
use crate::target::analysed::Analysed;

/// How many times its limit a call gets before it is said not to return.
const PATIENCE: u32 = 10;

/// One build and its worker.
pub struct Observer {
    worker: Worker,
    config: WorkerConfig,
    confirmer: Confirmer,
    tracer: Tracer,
    /// Whether traces that were cut are made again for what they do not show.
    looks_again: bool,
    /// Where the function begins, of what stands in the glue of a crate's.
    beginning: Option<Beginning>,
}

/// Who makes a build's traces.
enum Tracer {
    /// The processor: events are addresses.
    Machine {
        symbolizer: Box<Symbolizer>,
        /// Frames by event address, and whether it was outside, looked up once.
        frames: FxHashMap<(u64, bool), SourceFrame>,
    },
    /// The interpreter: events are places in the IR.
    Interpreter(Box<Interpreted>),
}

impl Observer {
    /// Starts a worker for one build.
    ///
    /// # Errors
    ///
    /// Where the worker does not start or the build cannot be loaded.
    pub fn start(config: WorkerConfig) -> Result<Observer, AnalysisError> {
        let symbolizer = Symbolizer::new(&config.library)?;
        let worker = Worker::spawn(config.clone())?;
        let tracer = Tracer::Machine { symbolizer: Box::new(symbolizer), frames: FxHashMap::default() };
        let confirmer = Confirmer::new(config.clone());
        Ok(Observer { worker, config, confirmer, tracer, looks_again: false, beginning: None })
    }

    /// The function's signature.
    pub fn signature(&self) -> &Signature {
        &self.config.signature
    }

    /// The same with traces made by the interpreter, from the build's IR.
    pub fn interpreting(mut self, analysed: Option<Arc<Analysed>>) -> Observer {
        let WorkerConfig { signature, init, limits, .. } = &self.config;
        let interpreted = Interpreted::new(analysed, signature.clone(), self.startup());
        self.tracer = Tracer::Interpreter(Box::new(interpreted.at_most(limits.events).after(init.clone())));
        self
    }

    /// The same keeping, where the interpreter makes traces, the events of those that do not agree with what was observed
    /// ([`Interpreted::guessing`]).
    pub fn guessing(mut self) -> Observer {
        if let Tracer::Interpreter(interpreted) = self.tracer {
            self.tracer = Tracer::Interpreter(Box::new(interpreted.guessing()));
        }
        self
    }

    /// The same looking twice where a trace was cut short: exceptions that were raised and are not among its events are
    /// traced alone, and their events put behind the others. A loop that overflows thousands of times so hides no
    /// division by zero behind it. Such a trace stays incomplete.
    pub fn looking_again(self) -> Observer {
        Observer { looks_again: true, ..self }
    }

    /// The same for a function of a crate: what stands in its glue is told of where it begins.
    pub fn beginning(self, beginning: Option<Beginning>) -> Observer {
        Observer { beginning, ..self }
    }

    /// A place as users know it: for one in the glue of a crate's function where that begins.
    pub fn known(&self, place: SourcePlace) -> SourcePlace {
        let in_glue = |of: &&Beginning| place.file.as_deref().is_some_and(|file| of.stands_for(&absolute(file)));
        match self.beginning.as_ref().filter(in_glue) {
            Some(of) => SourcePlace::new(Some(of.file.clone()), of.line, 0),
            None => place,
        }
    }

    /// What is to be said of a place where no operation need stand.
    pub fn remark(&self, place: &SourcePlace) -> Option<String> {
        let of = self.beginning.as_ref()?;
        (*place == SourcePlace::new(Some(of.file.clone()), of.line, 0)).then(|| {
            format!("The optimiser merged or moved its operation and kept no place within the function: the line is where {} begins.", of.function)
        })
    }

    /// Puts behind a trace's events those of exceptions that it does not show.
    fn look_again(
        &mut self,
        record: &[u8],
        observation: &mut Observation,
        watched: Flags,
    ) -> Result<(), AnalysisError> {
        let Some(trace) = observation.trace.as_mut().filter(|trace| self.looks_again && !trace.complete) else {
            return Ok(());
        };
        let shown = trace.events.iter().fold(Flags::empty(), |shown, event| shown | event.exceptions);
        let missing = (observation.flags & watched) - shown;
        if missing.is_empty() || trace.events.is_empty() {
            return Ok(());
        }
        let again = self.worker.trace_all(&[record.to_vec()], missing)?.pop().and_then(|again| again.trace);
        trace.events.extend(again.into_iter().flat_map(|again| again.events));
        Ok(())
    }

    /// The control registers that the build starts with.
    pub fn startup(&self) -> StartupState {
        self.worker.startup_state()
    }

    /// The source position of an event.
    pub fn frame(&mut self, event: &Event) -> SourceFrame {
        let frame = match &mut self.tracer {
            Tracer::Machine { symbolizer, frames } => {
                let key = (event.address, event.outside.is_some());
                frames.entry(key).or_insert_with(|| symbolizer.locate_event(event)).clone()
            }
            Tracer::Interpreter(interpreted) => interpreted.frame(event).cloned().unwrap_or_default(),
        };
        match &self.beginning {
            Some(of) if frame.file.as_deref().is_some_and(|file| of.stands_for(file)) => SourceFrame {
                file: Some(of.file.clone()),
                line: of.line,
                column: 0,
                function: of.function.clone(),
                symbol: of.symbol.to_owned(),
                ..frame
            },
            _ => frame,
        }
    }

    /// Sets the time by which all calls must have ended.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.worker.set_deadline(deadline);
        self.confirmer.set_deadline(deadline);
        self.config.limits.deadline = deadline;
    }

    /// Sets the processor time that one call of a search may take. Confirmation keeps the limit that the observer began with.
    pub fn set_call_limit(&mut self, limit: Duration) {
        self.worker.set_call_limit(limit.min(self.config.limits.call));
    }

    /// Runs records; where the deadline passes, only the first of them.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn run(&mut self, records: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, AnalysisError> {
        Ok(self.worker.run_available(records, watched)?)
    }

    /// Runs each record in a process of its own that has run nothing before; where the deadline passes, only the first of them.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn run_first(&mut self, records: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, AnalysisError> {
        let mut observations = Vec::with_capacity(records.len());
        for record in records {
            match self.worker.run_fresh(std::slice::from_ref(record), watched) {
                Ok(observation) => observations.extend(observation),
                Err(NativeError::Deadline { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(observations)
    }

    /// The same with traces.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running, and where the deadline passes.
    pub fn trace_first(&mut self, records: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, AnalysisError> {
        let missing = || AnalysisError::Internal("a worker traced nothing");
        records.iter().map(|record| self.trace_fresh(record, watched)?.ok_or_else(missing)).collect()
    }

    /// How long calls take with each record several times in a row ([`Worker::time`]); `None` where one does not return, or the deadline passes.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn time(&mut self, records: &[Vec<u8>]) -> Result<Option<Duration>, AnalysisError> {
        Ok(self.worker.time(records)?)
    }

    /// Runs records, with traces, in a process that may have run others before.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn trace_all(&mut self, records: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, AnalysisError> {
        Ok(match &mut self.tracer {
            Tracer::Machine { .. } => {
                let mut observations = self.worker.trace_all(records, watched)?;
                for (record, observation) in records.iter().zip(&mut observations) {
                    self.look_again(record, observation, watched)?;
                }
                observations
            }
            Tracer::Interpreter(interpreted) => {
                let observations = self.worker.run(records, watched)?;
                let late = || NativeError::Deadline { library: self.config.library.clone() };
                let is_late = || self.config.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
                let traced = records.iter().zip(observations).map(|(record, observation)| {
                    if is_late() { Err(late()) } else { Ok(with_trace(interpreted, record, observation, watched)) }
                });
                traced.collect::<Result<_, NativeError>>()?
            }
        })
    }

    /// As [`Observer::trace_all`] for one record.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn trace(&mut self, record: &[u8], watched: Flags) -> Result<Observation, AnalysisError> {
        let traced = self.trace_all(&[record.to_vec()], watched)?.pop();
        traced.ok_or(AnalysisError::Internal("a worker traced nothing"))
    }

    /// Runs a record, with a trace, in a process that has run nothing before.
    fn trace_fresh(&mut self, record: &[u8], watched: Flags) -> Result<Option<Observation>, AnalysisError> {
        Ok(match &mut self.tracer {
            Tracer::Machine { .. } => {
                let mut observation = self.worker.trace(record, watched)?;
                self.look_again(record, &mut observation, watched)?;
                Some(observation)
            }
            Tracer::Interpreter(interpreted) => {
                let observation = self.worker.run_fresh(&[record.to_vec()], watched)?.pop();
                observation.map(|observation| with_trace(interpreted, record, observation, watched))
            }
        })
    }

    /// As [`Observer::run`] with ones in the unused vector lanes, the stack and new heap memory.
    ///
    /// # Errors
    ///
    /// As [`Observer::run`].
    pub fn run_with_ones(&mut self, records: &[Vec<u8>], watched: Flags) -> Result<Vec<Observation>, AnalysisError> {
        self.confirmer.set_deadline(self.config.limits.deadline);
        Ok(self.confirmer.run_with_ones(records, watched)?)
    }

    /// Runs one record again, with a trace, and repeats that with everything that the code does not own filled otherwise, each time
    /// in a process that has run nothing before.
    ///
    /// # Errors
    ///
    /// Where no process can be started.
    pub fn confirm(&mut self, record: &[u8], watched: Flags) -> Result<Confirmation, AnalysisError> {
        self.confirm_within(record, watched, self.config.limits.call)
    }

    /// Whether a call that ran out of time returns within [`PATIENCE`] times the limit.
    ///
    /// # Errors
    ///
    /// As [`Observer::run`].
    pub fn returns_patiently(&mut self, record: &[u8], watched: Flags) -> Result<bool, AnalysisError> {
        self.set_limits(self.config.limits.call * PATIENCE);
        let seen = self.worker.run_fresh(&[record.to_vec()], watched);
        self.set_limits(self.config.limits.call);
        Ok(seen?.pop().is_some_and(|seen| seen.outcome != Outcome::Timeout))
    }

    /// As [`Observer::confirm`] with [`PATIENCE`] times the limit for a call: of one that is slow.
    ///
    /// # Errors
    ///
    /// As [`Observer::confirm`].
    pub fn confirm_patiently(&mut self, record: &[u8], watched: Flags) -> Result<Confirmation, AnalysisError> {
        self.confirm_within(record, watched, self.config.limits.call * PATIENCE)
    }

    fn confirm_within(
        &mut self,
        record: &[u8],
        watched: Flags,
        limit: Duration,
    ) -> Result<Confirmation, AnalysisError> {
        self.set_limits(limit);
        let first = self.trace_fresh(record, watched);
        let confirmation = first.and_then(|first| {
            let first = first.ok_or(AnalysisError::Internal("a worker traced nothing"))?;
            Ok(self.confirmer.confirm(first, record, watched)?)
        });
        self.set_limits(self.config.limits.call);
        confirmation
    }

    fn set_limits(&mut self, call: Duration) {
        self.worker.set_call_limit(call);
        self.confirmer.set_call_limit(call);
    }
}

fn with_trace(interpreted: &mut Interpreted, record: &[u8], observation: Observation, watched: Flags) -> Observation {
    let trace = interpreted.trace(record, &observation, watched);
    Observation { trace: Some(trace), ..observation }
}
