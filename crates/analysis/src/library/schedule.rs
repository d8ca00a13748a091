//! The work of a library run: tasks done several at a time, each kept as soon as it is done.
//!
//! What was done once is found again under the same name, the same code and the same options. What a task is, and what it comes to, is
//! the analysis' matter.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::store::{Hash, Store, StoreError, options_hash};
use crate::run::clock::{Clock, share_among};
use crate::run::options::RunOptions;
use crate::{AnalysisError, Progress, Snapshot};

/// How long one function may take where the user says nothing of time.
pub const DEFAULT_FUNCTION_TIME: Duration = Duration::from_secs(15);

/// How a user wants a library's functions to be worked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// A bound on each function; `None`: a share of what is left of the run's time, or [`DEFAULT_FUNCTION_TIME`].
    pub function_time: Option<Duration>,
    /// How many are worked on at a time.
    pub jobs: usize,
}

/// One thing to do.
#[derive(Clone, Debug)]
pub struct Task {
    /// Under what its result is kept.
    pub name: String,
    /// The code that it is about, and what else its result depends on.
    pub fingerprint: Hash,
}

/// How a library's functions are worked through.
pub struct Schedule<'a> {
    /// Where results are kept.
    pub store: Option<Store>,
    /// Everything but the code that a result depends on.
    pub options: Hash,
    /// How many are worked on at a time.
    pub jobs: usize,
    /// What each function may take; `None`: a share of what is left of the run.
    pub function_time: Option<Duration>,
    /// When the run ends.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// What a task comes to: it is told its number and its clock, and who may interrupt it.
pub type Worker<'w, R> = dyn Fn(usize, &Clock, &dyn Progress) -> Result<R, String> + Sync + 'w;

/// What becomes of a task that could not be done: its number and why.
pub type Failed<'w, R> = dyn Fn(usize, String) -> R + Sync + 'w;

impl<'a> Schedule<'a> {
    /// The schedule of a run whose results hang on these options, and are kept where it has an output folder.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be used.
    pub fn open(
        run: &RunOptions,
        options: &impl Serialize,
        &ScheduleOptions { function_time, jobs }: &ScheduleOptions,
        clock: &'a Clock,
        progress: &'a dyn Progress,
    ) -> Result<Schedule<'a>, AnalysisError> {
        let store = run.output.as_deref().map(Store::open).transpose().map_err(refused)?;
        let options = options_hash(options).map_err(refused)?;
        Ok(Schedule { store, options, jobs, function_time, clock, progress })
    }

    /// Does the tasks of `order`, in this order, until `phase` is over; results in their own. Those that its time left are missing.
    /// `time` says how long the next one may take, of so many that are left, with so many workers.
    ///
    /// # Errors
    ///
    /// Where results cannot be kept.
    pub fn run<R: Serialize + DeserializeOwned + Send>(
        &self,
        tasks: &[Task],
        order: &[usize],
        (phase, time): (&Clock, &(dyn Fn(usize, usize) -> Duration + Sync)),
        work: &Worker<'_, R>,
        failed: &Failed<'_, R>,
    ) -> Result<Vec<Option<R>>, AnalysisError> {
        let mut results: Vec<Option<R>> = tasks.iter().map(|_| None).collect();
        for &index in order {
            results[index] = self.kept(&tasks[index])?;
        }
        let open: Vec<usize> = order.iter().copied().filter(|index| results[*index].is_none()).collect();
        let workers = self.jobs.clamp(1, open.len().max(1));
        let done = AtomicUsize::new(0);
        let next = AtomicUsize::new(0);
        let slots: Mutex<&mut Vec<Option<R>>> = Mutex::new(&mut results);
        let failure: Mutex<Option<AnalysisError>> = Mutex::new(None);
        let one = |index: usize, time: Duration| -> Option<R> {
            let clock = Clock::start(Some(time));
            let quiet = Quiet(self.progress);
            let result = match std::panic::catch_unwind(AssertUnwindSafe(|| work(index, &clock, &quiet))) {
                Ok(Ok(result)) => result,
                Ok(Err(why)) => failed(index, why),
                Err(_) => failed(index, "internal error, please report it: the analysis panicked".to_owned()),
            };
            // A result that the run's own limit or the user cut short is not what an undisturbed run would keep.
            (phase.stop(self.progress).is_none()).then_some(result)
        };
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let turn = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&index) = open.get(turn) else { return };
                        if phase.stop(self.progress).is_some() {
                            return;
                        }
                        let result = one(index, time(open.len() - turn, workers));
                        let kept = result.as_ref().map_or(Ok(()), |result| self.keep(&tasks[index], result));
                        if let Err(error) = kept {
                            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                            next.store(open.len(), Ordering::Relaxed);
                            return;
                        }
                        slots.lock().unwrap_or_else(PoisonError::into_inner)[index] = result;
                        let functions_done = done.fetch_add(1, Ordering::Relaxed) + 1;
                        let snapshot = Snapshot { functions: open.len(), functions_done, ..Snapshot::default() };
                        self.progress.update(&snapshot);
                    }
                });
            }
        });
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(results),
        }
    }

    /// As [`Schedule::run`] for one task for each function, small ones first where they share the run's time: what they leave of their
    /// shares goes to the large ones. Those whose turn did not come until `phase` was over have the rest of the run.
    ///
    /// # Errors
    ///
    /// As [`Schedule::run`].
    pub fn run_functions<R: Serialize + DeserializeOwned + Send>(
        &self,
        tasks: &[Task],
        size: &dyn Fn(usize) -> usize,
        phase: &Clock,
        work: &Worker<'_, R>,
        failed: &Failed<'_, R>,
    ) -> Result<Vec<Option<R>>, AnalysisError> {
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        if self.shares_time() {
            order.sort_by_cached_key(|index| size(*index));
        }
        let time = |left: usize, workers: usize| self.time_of_function(phase, left, workers);
        let mut results = self.run(tasks, &order, (phase, &time), work, failed)?;
        let left: Vec<usize> = order.into_iter().filter(|index| results[*index].is_none()).collect();
        if !left.is_empty() {
            let time = |left: usize, workers: usize| self.time_of_function(self.clock, left, workers);
            let more = self.run(tasks, &left, (self.clock, &time), work, failed)?;
            for (result, more) in results.iter_mut().zip(more) {
                *result = result.take().or(more);
            }
        }
        Ok(results)
    }

    /// The result of an earlier run.
    fn kept<R: DeserializeOwned>(&self, task: &Task) -> Result<Option<R>, AnalysisError> {
        let Some(store) = &self.store else { return Ok(None) };
        store.get(&task.name, &task.fingerprint, &self.options).map_err(refused)
    }

    fn keep<R: Serialize>(&self, task: &Task, result: &R) -> Result<(), AnalysisError> {
        let Some(store) = &self.store else { return Ok(()) };
        store.put(&task.name, &task.fingerprint, &self.options, result).map_err(refused)
    }

    /// Whether functions share the whole run's time.
    pub fn shares_time(&self) -> bool {
        self.function_time.is_none() && self.clock.is_limited()
    }

    /// How long the next function may take, of so many that are left, with so many workers.
    fn time_of_function(&self, clock: &Clock, functions: usize, workers: usize) -> Duration {
        match (self.function_time, clock.left()) {
            (Some(time), None) => time,
            (Some(time), Some(left)) => time.min(left),
            (None, None) => DEFAULT_FUNCTION_TIME,
            (None, Some(left)) => share_among(left, functions, workers),
        }
    }
}

/// An error of the store, for the user.
fn refused(error: StoreError) -> AnalysisError {
    AnalysisError::Usage(error.to_string())
}

/// A function's own phases are not the run's; interrupts are.
struct Quiet<'a>(&'a dyn Progress);

impl Progress for Quiet<'_> {
    fn phase(&self, _name: &str) {}
    fn update(&self, _snapshot: &Snapshot) {}
    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }
}
