//! The builds under observation: one worker process each, and the names of their sites.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use labrys_float::Flags;
use labrys_native::{
    Driver, Event, Lanes, NativeError, Observation, SourceFrame, Startup, StartupState, Symbolizer, Tracing, Worker,
    WorkerConfig, WorkerLimits,
};
use labrys_program::Signature;
use rustc_hash::{FxHashMap, FxHashSet};

use super::builds::{Analysed, Prepared};
use super::compare::{Difference, SeverityRank};
use super::error::DiffError;
use super::event_order;
use super::feature::feature;
use super::interpreted::Interpreted;
use super::ledger::SiteKey;
use super::request::{Request, StartupChoice, TracingChoice};

/// How many traced observations are remembered.
const REMEMBERED: usize = 4096;

/// One build and its worker.
pub struct Observer {
    worker: Worker,
    config: WorkerConfig,
    /// The same build with ones in the unused vector lanes, started when first needed.
    with_ones: Option<Worker>,
    tracer: Tracer,
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
    Interpreter(Interpreted),
}

/// All builds; the baseline is the first.
pub struct Observers {
    observers: Vec<Observer>,
    traced: FxHashMap<(usize, Vec<u8>), Observation>,
    batch_deadline: Option<Instant>,
    call_deadline: Option<Instant>,
    /// Events (build, address, exceptions) seen in any trace.
    events: FxHashSet<(usize, u64, Flags)>,
}

impl Observer {
    /// Starts a worker for one build.
    ///
    /// # Errors
    ///
    /// Where the worker does not start or the build cannot be loaded.
    pub fn start(config: WorkerConfig) -> Result<Observer, DiffError> {
        let symbolizer = Symbolizer::new(&config.library)?;
        let worker = Worker::spawn(config.clone())?;
        let tracer = Tracer::Machine { symbolizer: Box::new(symbolizer), frames: FxHashMap::default() };
        Ok(Observer { worker, config, with_ones: None, tracer })
    }

    /// The same with traces made by the interpreter, from the build's IR.
    fn interpreting(mut self, analysed: Option<Arc<Analysed>>) -> Observer {
        let signature = self.config.signature.clone();
        self.tracer = Tracer::Interpreter(Interpreted::new(analysed, signature, self.startup()));
        self
    }

    /// The control registers that the build starts with.
    pub fn startup(&self) -> StartupState {
        self.worker.startup_state()
    }

    /// The source position of an event.
    pub fn frame(&mut self, event: &Event) -> SourceFrame {
        match &mut self.tracer {
            Tracer::Machine { symbolizer, frames } => {
                let key = (event.address, event.outside.is_some());
                frames.entry(key).or_insert_with(|| symbolizer.locate_event(event)).clone()
            }
            Tracer::Interpreter(interpreted) => interpreted.frame(event).cloned().unwrap_or_default(),
        }
    }

    /// Runs a record, with a trace, in a process that may have run others before.
    fn trace(&mut self, record: &[u8], watched: Flags) -> Result<Option<Observation>, DiffError> {
        let records = [record.to_vec()];
        Ok(match &mut self.tracer {
            Tracer::Machine { .. } => self.worker.trace_all(&records, watched)?.pop(),
            Tracer::Interpreter(interpreted) => {
                let observation = self.worker.run(&records, watched)?.pop();
                observation.map(|observation| with_trace(interpreted, record, observation, watched))
            }
        })
    }

    /// Runs a record, with a trace, in a process that has run nothing before.
    fn trace_fresh(&mut self, record: &[u8], watched: Flags) -> Result<Option<Observation>, DiffError> {
        Ok(match &mut self.tracer {
            Tracer::Machine { .. } => Some(self.worker.trace(record, watched)?),
            Tracer::Interpreter(interpreted) => {
                let observation = self.worker.run_fresh(&[record.to_vec()], watched)?.pop();
                observation.map(|observation| with_trace(interpreted, record, observation, watched))
            }
        })
    }

    /// Runs a record with ones in the unused vector lanes.
    fn run_with_ones(&mut self, record: &[u8], watched: Flags) -> Result<Option<Observation>, DiffError> {
        if self.with_ones.is_none() {
            self.with_ones = Some(Worker::spawn(WorkerConfig { lanes: Lanes::Ones, ..self.config.clone() })?);
        }
        match &mut self.with_ones {
            Some(worker) => {
                worker.set_deadline(self.config.limits.deadline);
                Ok(worker.run_fresh(&[record.to_vec()], watched)?.pop())
            }
            None => Ok(None),
        }
    }
}

impl Observers {
    /// Takes the builds' observers, the baseline's first.
    pub fn new(observers: Vec<Observer>) -> Observers {
        Observers {
            observers,
            traced: FxHashMap::default(),
            batch_deadline: None,
            call_deadline: None,
            events: FxHashSet::default(),
        }
    }

    /// One build's observer.
    pub fn build(&mut self, index: usize) -> &mut Observer {
        &mut self.observers[index]
    }

    /// Sets the time by which batches must have ended, and the later one by which single calls (traces, confirmations)
    /// must have: what a batch found can still be looked at.
    pub fn set_deadlines(&mut self, batches: Option<Instant>, calls: Option<Instant>) {
        self.batch_deadline = batches;
        self.call_deadline = calls;
    }

    /// Runs each record on each build, the builds at the same time. Indexed by build, then by record; where the deadline
    /// passes, only the first records, as many on every build.
    ///
    /// # Errors
    ///
    /// Where a worker cannot be kept running.
    pub fn run(&mut self, records: &[Vec<u8>], watched: Flags) -> Result<Vec<Vec<Observation>>, DiffError> {
        let deadline = self.batch_deadline;
        let results: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = self
                .observers
                .iter_mut()
                .map(|observer| {
                    scope.spawn(move || {
                        observer.worker.set_deadline(deadline);
                        observer.worker.run_available(records, watched)
                    })
                })
                .collect();
            running.into_iter().map(|thread| thread.join()).collect()
        });
        let mut observations: Vec<Vec<Observation>> = Vec::with_capacity(results.len());
        for result in results {
            observations.push(result.map_err(|_| DiffError::Internal("a thread that drives a worker died"))??);
        }
        let common = observations.iter().map(Vec::len).min().unwrap_or(0);
        for of_build in &mut observations {
            of_build.truncate(common);
        }
        Ok(observations)
    }

    /// Traces one record on one build.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn trace(&mut self, build: usize, record: &[u8], watched: Flags) -> Result<Observation, DiffError> {
        let key = (build, record.to_vec());
        if let Some(known) = self.traced.get(&key) {
            return Ok(known.clone());
        }
        let observer = &mut self.observers[build];
        observer.worker.set_deadline(self.call_deadline);
        let observation = observer.trace(record, watched)?;
        let observation = observation.ok_or(DiffError::Internal("a worker traced nothing"))?;
        if self.traced.len() >= REMEMBERED {
            self.traced.clear();
        }
        self.traced.insert(key, observation.clone());
        Ok(observation)
    }

    /// The sites at which the baseline and the variant raise the exceptions that only one of them raises.
    ///
    /// # Errors
    ///
    /// As [`Observers::trace`].
    pub fn sites(
        &mut self,
        variant: usize,
        record: &[u8],
        difference: &Difference,
        watched: Flags,
    ) -> Result<(Vec<SiteKey>, Vec<SiteKey>), DiffError> {
        if difference.severity == SeverityRank::Trace {
            return event_order::unmatched(self, variant, record, watched);
        }
        let wanted = difference.baseline_flags ^ difference.variant_flags;
        if wanted.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        Ok((self.sites_of(0, record, wanted, watched)?, self.sites_of(variant, record, wanted, watched)?))
    }

    fn sites_of(
        &mut self,
        build: usize,
        record: &[u8],
        wanted: Flags,
        watched: Flags,
    ) -> Result<Vec<SiteKey>, DiffError> {
        let observation = self.trace(build, record, watched)?;
        let mut sites = Vec::new();
        for event in observation.trace.iter().flat_map(|trace| &trace.events) {
            let exceptions = event.exceptions & wanted;
            if !exceptions.is_empty() {
                let site = site_name(&self.observers[build].frame(event));
                sites.push(SiteKey { site, exceptions });
            }
        }
        sites.sort();
        sites.dedup();
        Ok(sites)
    }

    /// Features for the events of this record on all builds that no trace showed before.
    ///
    /// # Errors
    ///
    /// As [`Observers::trace`].
    pub fn event_features(&mut self, record: &[u8], watched: Flags) -> Result<Vec<u64>, DiffError> {
        let mut features = Vec::new();
        for build in 0..self.observers.len() {
            let observation = self.trace(build, record, watched)?;
            for event in observation.trace.iter().flat_map(|trace| &trace.events) {
                let key = (build, event.address, event.exceptions & watched);
                if self.events.insert(key) {
                    features.push(feature(&key));
                }
            }
        }
        Ok(features)
    }

    /// Runs one record again on one build, with a trace, and once more with ones in the unused vector lanes. `None`: the
    /// observations differ, so that the result depends on lanes or memory that the code does not own. Both run in processes
    /// that have run nothing before.
    ///
    /// # Errors
    ///
    /// Where no process can be started.
    pub fn confirm(&mut self, build: usize, record: &[u8], watched: Flags) -> Result<Option<Observation>, DiffError> {
        let observer = &mut self.observers[build];
        observer.worker.set_deadline(self.call_deadline);
        observer.config.limits.deadline = self.call_deadline;
        let first = observer.trace_fresh(record, watched)?;
        let first = first.ok_or(DiffError::Internal("a worker traced nothing"))?;
        let second = observer.run_with_ones(record, watched)?;
        let same = second.is_some_and(|second| {
            (first.outcome == second.outcome || first.outcome != labrys_native::Outcome::Returned)
                && first.flags == second.flags
                && first.output == second.output
        });
        Ok(same.then_some(first))
    }
}

fn with_trace(interpreted: &mut Interpreted, record: &[u8], observation: Observation, watched: Flags) -> Observation {
    let trace = interpreted.trace(record, &observation, watched);
    Observation { trace: Some(trace), ..observation }
}

/// A site's name as a key: its place, or its address in the library.
pub fn site_name(frame: &SourceFrame) -> String {
    match &frame.file {
        Some(file) => format!("{file}:{}:{} {} {}", frame.line, frame.column, frame.function, frame.operator),
        None => format!("{:#x} {} {}", frame.address, frame.function, frame.operator),
    }
}

/// Starts a worker for every build.
///
/// # Errors
///
/// Where the driver loop cannot be compiled, or a worker does not start.
pub fn start(request: &Request, prepared: &Prepared) -> Result<Observers, DiffError> {
    let way = request.tracing.resolved();
    let driver = Driver::compile(&prepared.signature, prepared.folder.path())?;
    let started = prepared.builds.iter().map(|made| {
        let started = Observer::start(WorkerConfig {
            command: request.worker.clone(),
            library: made.build.library.clone(),
            signature: Signature { symbol: made.symbol.clone(), ..prepared.signature.clone() },
            driver: driver.clone(),
            startup: match request.startup {
                StartupChoice::AsLoaded => Startup::Loaded,
                StartupChoice::Default => Startup::Default,
                StartupChoice::Ftz => Startup::Ftz,
            },
            lanes: Lanes::Zeros,
            tracing: if way == TracingChoice::Step { Tracing::Step } else { Tracing::TrapThenStep },
            limits: WorkerLimits { call: request.call_timeout, ..WorkerLimits::default() },
        });
        let started = started.map_err(|error| does_not_load(error, &made.build.role))?;
        Ok(if way == TracingChoice::Interpreter { started.interpreting(made.analysed.clone()) } else { started })
    });
    Ok(Observers::new(started.collect::<Result<_, DiffError>>()?))
}

/// Names a build that cannot be loaded by its role: its file is a temporary one.
fn does_not_load(error: DiffError, role: &str) -> DiffError {
    let DiffError::Native(NativeError::Load { library, reason }) = &error else { return error };
    let prefix = format!("{}: ", library.display());
    let reason = reason.strip_prefix(&prefix).unwrap_or(reason);
    let advice = if reason.contains("undefined symbol") { "; --link FILE adds what defines it" } else { "" };
    DiffError::Usage(format!("the {role} cannot be loaded: {reason}{advice}"))
}
