//! The builds under observation: one worker process each, and the names of their sites.

use std::thread;
use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_native::{
    Confirmation, Driver, Filling, Observation, Outcome, Startup, Tracing, WorkerConfig, WorkerLimits,
};
use labrys_program::Signature;
use rustc_hash::{FxHashMap, FxHashSet};

use super::builds::{Made, Prepared};
use super::request::{Request, StartupChoice};
use crate::observation::feature::feature;
use crate::observation::observer::Observer;
use crate::run::clock::Clock;
use crate::{AnalysisError, TracingChoice};

/// How many traced observations are remembered.
const REMEMBERED: usize = 4096;

/// All builds; the baseline is the first.
pub struct Observers {
    observers: Vec<Observer>,
    /// By build, watched exceptions and input.
    traced: FxHashMap<(usize, Flags, Vec<u8>), Observation>,
    batch_deadline: Option<Instant>,
    /// By when single calls must have ended.
    calls: Option<Clock>,
    /// The same, where the user has no more patience.
    calls_end: Option<Instant>,
    /// Events (build, address, exceptions) seen in any trace.
    events: FxHashSet<(usize, u64, Flags)>,
    /// Calls that did not return, however long they were waited for; by build, watched exceptions and input.
    endless: FxHashMap<(usize, Flags, Vec<u8>), Confirmation>,
}

impl Observers {
    /// Takes the builds' observers, the baseline's first.
    pub fn new(observers: Vec<Observer>) -> Observers {
        Observers {
            observers,
            traced: FxHashMap::default(),
            batch_deadline: None,
            calls: None,
            calls_end: None,
            events: FxHashSet::default(),
            endless: FxHashMap::default(),
        }
    }

    /// One build's observer.
    pub fn build(&mut self, index: usize) -> &mut Observer {
        &mut self.observers[index]
    }

    /// Sets the clock that ends batches, and the later one that ends single calls (traces, confirmations): what a batch found can still
    /// be looked at.
    pub fn set_clocks(&mut self, batches: &Clock, calls: &Clock) {
        self.batch_deadline = batches.limit();
        self.calls = Some(*calls);
    }

    /// Ends single calls at an instant, whatever the clock says.
    pub fn end_calls_by(&mut self, end: Instant) {
        self.calls_end = Some(end);
    }

    fn call_deadline(&self) -> Option<Instant> {
        let by_clock = self.calls.and_then(|clock| clock.limit());
        by_clock.into_iter().chain(self.calls_end).min()
    }

    /// Sets the time by which batches must have ended.
    pub fn set_batch_deadline(&mut self, batches: Option<Instant>) {
        self.batch_deadline = batches;
    }

    /// Sets the processor time that one call of a search may take.
    pub fn set_call_limit(&mut self, limit: Duration) {
        self.observers.iter_mut().for_each(|observer| observer.set_call_limit(limit));
    }

    /// Runs each record on each build, the builds at the same time. Indexed by build, then by record; where the deadline
    /// passes, only the first records, as many on every build.
    ///
    /// # Errors
    ///
    /// Where a worker cannot be kept running.
    pub fn run(&mut self, records: &[Vec<u8>], watched: Flags) -> Result<Vec<Vec<Observation>>, AnalysisError> {
        let mut observations = self.each(&|observer| observer.run(records, watched), |_| true)?;
        let common = observations.iter().map(Vec::len).min().unwrap_or(0);
        for of_build in &mut observations {
            of_build.truncate(common);
        }
        Ok(observations)
    }

    /// As [`Observer::run_with_ones`] on some builds, at the same time and in their order.
    ///
    /// # Errors
    ///
    /// As [`Observers::run`].
    pub fn run_with_ones(
        &mut self,
        builds: &[usize],
        records: &[Vec<u8>],
        watched: Flags,
    ) -> Result<Vec<Vec<Observation>>, AnalysisError> {
        self.each(&|observer| observer.run_with_ones(records, watched), |build| builds.contains(&build))
    }

    /// Has builds run a batch, all at the same time.
    fn each(
        &mut self,
        run: &(dyn Fn(&mut Observer) -> Result<Vec<Observation>, AnalysisError> + Sync),
        is_asked: impl Fn(usize) -> bool,
    ) -> Result<Vec<Vec<Observation>>, AnalysisError> {
        let deadline = self.batch_deadline;
        let results: Vec<_> = thread::scope(|scope| {
            let asked = self.observers.iter_mut().enumerate().filter(|(build, _)| is_asked(*build));
            let running: Vec<_> = asked
                .map(|(_, observer)| {
                    scope.spawn(move || {
                        observer.set_deadline(deadline);
                        run(observer)
                    })
                })
                .collect();
            running.into_iter().map(|thread| thread.join()).collect()
        });
        let mut observations: Vec<Vec<Observation>> = Vec::with_capacity(results.len());
        for result in results {
            observations.push(result.map_err(|_| AnalysisError::Internal("a thread that drives a worker died"))??);
        }
        Ok(observations)
    }

    /// Traces one record on one build.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn trace(&mut self, build: usize, record: &[u8], watched: Flags) -> Result<Observation, AnalysisError> {
        let key = (build, watched, record.to_vec());
        if let Some(known) = self.traced.get(&key) {
            return Ok(known.clone());
        }
        let deadline = self.call_deadline();
        let observer = &mut self.observers[build];
        observer.set_deadline(deadline);
        let observation = observer.trace(record, watched)?;
        if self.traced.len() >= REMEMBERED {
            self.traced.clear();
        }
        self.traced.insert(key, observation.clone());
        Ok(observation)
    }

    /// Features for the events of this record on all builds that no trace showed before.
    ///
    /// # Errors
    ///
    /// As [`Observers::trace`].
    pub fn event_features(&mut self, record: &[u8], watched: Flags) -> Result<Vec<u64>, AnalysisError> {
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

    /// As [`Observer::confirm`], for one build.
    ///
    /// # Errors
    ///
    /// Where no process can be started.
    pub fn confirm(&mut self, build: usize, record: &[u8], watched: Flags) -> Result<Confirmation, AnalysisError> {
        let deadline = self.call_deadline();
        self.observers[build].set_deadline(deadline);
        self.observers[build].confirm(record, watched)
    }

    /// The same of several builds. Where only some run out of time these are given more: a call that is slow is none that does not
    /// return. One that does not even then is waited for once, with one filling, and never again.
    ///
    /// # Errors
    ///
    /// As [`Observers::confirm`].
    pub fn confirm_alike<const N: usize>(
        &mut self,
        builds: [usize; N],
        record: &[u8],
        watched: Flags,
    ) -> Result<[Confirmation; N], AnalysisError> {
        let mut confirmed = Vec::with_capacity(N);
        for build in builds {
            confirmed.push(match self.endless.get(&(build, watched, record.to_vec())) {
                Some(known) => known.clone(),
                None => self.confirm(build, record, watched)?,
            });
        }
        let is_late = |confirmation: &Confirmation| confirmation.observation.outcome == Outcome::Timeout;
        if !confirmed.iter().all(is_late) {
            for (confirmation, build) in confirmed.iter_mut().zip(builds).filter(|(seen, _)| is_late(seen)) {
                let key = (build, watched, record.to_vec());
                if self.endless.contains_key(&key) {
                    continue;
                }
                let deadline = self.call_deadline();
                self.observers[build].set_deadline(deadline);
                match self.observers[build].returns_patiently(record, watched)? {
                    true => *confirmation = self.observers[build].confirm_patiently(record, watched)?,
                    false => drop(self.endless.insert(key, confirmation.clone())),
                }
            }
        }
        confirmed.try_into().map_err(|_| AnalysisError::Internal("a build was not confirmed"))
    }
}

/// Starts a worker for every build.
///
/// # Errors
///
/// Where the driver loop cannot be compiled, or a worker does not start.
pub fn start(request: &Request, prepared: &Prepared) -> Result<Observers, AnalysisError> {
    let started = prepared.builds.iter().map(|made| start_build(request, prepared, made));
    Ok(Observers::new(started.collect::<Result<_, AnalysisError>>()?))
}

/// Starts a worker for a build of the function, which need not be one of the prepared.
///
/// # Errors
///
/// As [`start`].
pub fn start_build(request: &Request, prepared: &Prepared, made: &Made) -> Result<Observer, AnalysisError> {
    let way = request.run.tracing.resolved();
    let started = Observer::start(WorkerConfig {
        command: request.run.worker.clone(),
        library: made.build.library.clone(),
        signature: Signature { symbol: made.symbol.clone(), ..prepared.signature.clone() },
        address: made.address,
        init: prepared.init.clone(),
        binds_lazily: made.address.is_some(),
        driver: Driver::cached(&prepared.signature, &prepared.folder)?,
        startup: match request.startup {
            StartupChoice::AsLoaded => Startup::Loaded,
            StartupChoice::Default => Startup::Default,
            StartupChoice::Ftz => Startup::Ftz,
        },
        filling: Filling::Zeros,
        tracing: if way == TracingChoice::Step { Tracing::Step } else { Tracing::TrapThenStep },
        limits: WorkerLimits { call: request.run.call_timeout, ..WorkerLimits::default() },
    });
    let started = started.map_err(|error| error.of_library(&made.build.role, ""))?;
    let started = started.beginning(request.run.of_crate.as_ref().map(|of| of.beginning()));
    Ok(match way {
        TracingChoice::Interpreter => started.interpreting(made.analysed.clone()).guessing(),
        _ => started,
    })
}
