//! The work of a library run: tasks done several at a time, each kept as soon as it is done.
//!
//! What was done once is found again under the same name, the same code and the same options. What a task is, and what it comes to, is
//! the analysis' matter.

use std::collections::{BTreeMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use labrys_report::Analysis;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::build::folder_of;
use super::campaign::{CampaignOptions, Missing, PartDone, Shard};
use super::shard_record::{ShardRecord, hexadecimal};
use super::shares::{lengths, shares};
use super::store::{Hash, Store, StoreError, options_hash};
use crate::run::clock::{Clock, share_among};
use crate::run::options::RunOptions;
use crate::{AnalysisError, Progress, Snapshot};

/// How long one function may take where the user says nothing of time.
pub const DEFAULT_FUNCTION_TIME: Duration = Duration::from_secs(15);

/// How a user wants a library's functions to be worked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// A bound on each function; `None`: a share of what is left of the run's time, or [`DEFAULT_FUNCTION_TIME`].
    pub function_time: Option<Duration>,
    /// How many are worked on at a time.
    pub jobs: usize,
    /// Whether this is a part of something larger.
    pub campaign: CampaignOptions,
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
    /// Where others kept theirs, and which are theirs: a folder may have been used before.
    gathered: Vec<(Store, HashSet<String>)>,
    /// What is said of it where this is a part of a run.
    record: Option<ShardRecord>,
    /// Everything but the code that a result depends on.
    pub options: Hash,
    /// Whether this is a part of something larger.
    pub campaign: &'a CampaignOptions,
    /// The folder of results.
    output: Option<&'a Path>,
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
    /// The schedule of a run of an analysis whose results hang on these options, and are kept where it has an output folder.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be used, one of others cannot be read, or a part of a run is asked for that no other part could fit.
    pub fn open(
        run: &'a RunOptions,
        (analysis, options): (Analysis, &BTreeMap<&'static str, String>),
        pace: &'a ScheduleOptions,
        clock: &'a Clock,
        progress: &'a dyn Progress,
    ) -> Result<Schedule<'a>, AnalysisError> {
        let ScheduleOptions { function_time, jobs, campaign } = pace;
        let output = run.output.as_deref();
        let is_built_only = campaign.shard.is_some_and(|shard| shard.index == 0);
        if campaign.shard.is_some() {
            must_be_a_part(run, analysis, pace)?;
            output.map_or(Ok(()), |folder| must_not_hold_another(folder, campaign))?;
        }
        let store = output.filter(|_| !is_built_only).map(Store::open).transpose().map_err(refused)?;
        let part = |folder: &PathBuf| -> Result<_, AnalysisError> {
            let store = Store::open_to_read(folder).map_err(refused)?;
            Ok((store, ShardRecord::read(folder)?.tasks.into_iter().collect()))
        };
        let gathered = campaign.gathered.iter().map(part).collect::<Result<_, _>>()?;
        let hash = options_hash(options).map_err(refused)?;
        let record = campaign.shard.map(|shard| {
            let mut record = ShardRecord::begun(analysis, run.command.clone(), shard, campaign.asks_callers());
            record.options = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            record.options_hash = hexadecimal(&hash);
            record.products =
                std::path::absolute(folder_of(run, campaign, output.unwrap_or(Path::new(".")))).unwrap_or_default();
            record
        });
        Ok(Schedule {
            store,
            gathered,
            record,
            options: hash,
            campaign,
            output,
            jobs: *jobs,
            function_time: *function_time,
            clock,
            progress,
        })
    }

    /// The part that is done here, where it asks callers (`asks_callers`) or analyses functions.
    pub fn shard(&self, asks_callers: bool) -> Option<Shard> {
        self.campaign.shard.filter(|_| self.campaign.asks_callers() == asks_callers)
    }

    /// Which of these tasks, of these sizes, are this part's: the same in every process that is told the same.
    ///
    /// # Errors
    ///
    /// Where the folder of an earlier run cannot be read.
    pub fn own(&self, tasks: &[Task], sizes: &[usize], shard: Shard) -> Result<Vec<usize>, AnalysisError> {
        if shard.index == 0 {
            return Ok(Vec::new());
        }
        let earlier = self.campaign.balance.as_deref().map(Store::open_to_read).transpose().map_err(refused)?;
        let seconds = earlier.map(|store| store.seconds()).transpose().map_err(refused)?.unwrap_or_default();
        let times: Vec<Option<f64>> = tasks.iter().map(|task| seconds.get(&task.name).copied()).collect();
        let of_task = shares(&lengths(&times, sizes), shard.count as usize);
        let own = shard.index as usize - 1;
        Ok((0..tasks.len()).filter(|task| of_task[*task] == own).collect())
    }

    /// Writes down which tasks are this part's; and, where `done` of them are done, whether that is all.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be written.
    pub fn note_part(
        &self,
        tasks: &[Task],
        own: &[usize],
        done: Option<usize>,
    ) -> Result<Option<PartDone>, AnalysisError> {
        let (Some(record), Some(output), Some(shard)) = (&self.record, self.output, self.campaign.shard) else {
            return Ok(None);
        };
        let part =
            PartDone { shard, tasks: own.len(), done: done.unwrap_or(0), asks_callers: self.campaign.asks_callers() };
        if shard.index == 0 {
            return Ok(Some(part));
        }
        let mut record = record.clone();
        record.tasks = own.iter().map(|task| tasks[*task].name.clone()).collect();
        record.finished = done.is_some() && part.is_whole();
        record.write(output)?;
        Ok(Some(part))
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
        let mut results = self.all_kept(tasks, order)?;
        let open: Vec<usize> = order.iter().copied().filter(|index| results[*index].is_none()).collect();
        let workers = self.jobs.clamp(1, open.len().max(1));
        let done = AtomicUsize::new(0);
        let next = AtomicUsize::new(0);
        let slots: Mutex<&mut Vec<Option<R>>> = Mutex::new(&mut results);
        let failure: Mutex<Option<AnalysisError>> = Mutex::new(None);
        let one = |index: usize, time: Duration| -> Option<(R, Duration)> {
            let clock = Clock::start(Some(time));
            let quiet = Quiet(self.progress);
            let result = match std::panic::catch_unwind(AssertUnwindSafe(|| work(index, &clock, &quiet))) {
                Ok(Ok(result)) => result,
                Ok(Err(why)) => failed(index, why),
                Err(_) => failed(index, "internal error, please report it: the analysis panicked".to_owned()),
            };
            // A result that the run's own limit or the user cut short is not what an undisturbed run would keep.
            // What it had for itself: how busy the machine was says nothing about the function.
            (phase.stop(self.progress).is_none()).then(|| (result, clock.elapsed().saturating_sub(clock.lost())))
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
                        let kept =
                            result.as_ref().map_or(Ok(()), |(result, took)| self.keep(&tasks[index], result, *took));
                        if let Err(error) = kept {
                            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                            next.store(open.len(), Ordering::Relaxed);
                            return;
                        }
                        slots.lock().unwrap_or_else(PoisonError::into_inner)[index] = result.map(|(result, _)| result);
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

    /// As [`Schedule::run`] for the tasks `of` functions, small ones first where they share the run's time: what they leave of their
    /// shares goes to the large ones. Those whose turn did not come until `phase` was over have the rest of the run.
    ///
    /// # Errors
    ///
    /// As [`Schedule::run`].
    pub fn run_functions<R: Serialize + DeserializeOwned + Send>(
        &self,
        (tasks, of): (&[Task], &[usize]),
        size: &dyn Fn(usize) -> usize,
        phase: &Clock,
        work: &Worker<'_, R>,
        failed: &Failed<'_, R>,
    ) -> Result<Vec<Option<R>>, AnalysisError> {
        if self.only_gathers(self.campaign.missing) {
            return self.all_kept(tasks, of);
        }
        let mut order: Vec<usize> = of.to_vec();
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

    /// The result of an earlier run, or of another part of this one. Functions that two other parts analysed are an error: each
    /// would be right, and who gives a folder twice has likely forgotten one.
    fn kept<R: DeserializeOwned>(&self, task: &Task) -> Result<Option<R>, AnalysisError> {
        let get = |store: &Store| store.get(&task.name, &task.fingerprint, &self.options).map_err(refused);
        if let Some(own) = self.store.as_ref().map(get).transpose()?.flatten() {
            return Ok(Some(own));
        }
        let mut found: Option<(&Store, R)> = None;
        for (store, _) in self.gathered.iter().filter(|(_, tasks)| tasks.contains(&task.name)) {
            let Some(result) = get(store)? else { continue };
            if let Some((first, _)) = &found {
                let (first, second) = (first.path().display(), store.path().display());
                let why = format!("{} was analysed twice: its result is in {first} and in {second}", task.name);
                return Err(AnalysisError::Usage(why));
            }
            found = Some((store, result));
        }
        Ok(found.map(|(_, result)| result))
    }

    fn keep<R: Serialize>(&self, task: &Task, result: &R, took: Duration) -> Result<(), AnalysisError> {
        let Some(store) = &self.store else { return Ok(()) };
        store.put_timed(&task.name, &task.fingerprint, &self.options, result, Some(took)).map_err(refused)
    }

    /// The results of `order` that are there, each in its place among the tasks.
    ///
    /// # Errors
    ///
    /// Where they cannot be read, or one is there twice.
    pub fn all_kept<R: DeserializeOwned>(
        &self,
        tasks: &[Task],
        order: &[usize],
    ) -> Result<Vec<Option<R>>, AnalysisError> {
        let mut results: Vec<Option<R>> = tasks.iter().map(|_| None).collect();
        for &index in order {
            results[index] = self.kept(&tasks[index])?;
        }
        Ok(results)
    }

    /// Whether nothing is to be worked out that others did not, where this is done about what is missing.
    pub fn only_gathers(&self, missing: Missing) -> bool {
        !self.gathered.is_empty() && missing != Missing::Run
    }

    /// Refuses a run that takes others' results and lacks these tasks', if it is not to do without.
    ///
    /// # Errors
    ///
    /// One line that names some of them.
    pub fn must_have(&self, lacking: &[&str], missing: Missing) -> Result<(), AnalysisError> {
        let Some(first) = lacking.first().filter(|_| self.only_gathers(missing) && missing == Missing::Refuse) else {
            return Ok(());
        };
        let others = match lacking.len() - 1 {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        Err(AnalysisError::Usage(format!(
            "the folders lack the result of {first}{others}: a shard is missing, or the code has changed since it ran"
        )))
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

/// Refuses parts of runs whose results hang on what else runs, or have no place.
fn must_be_a_part(run: &RunOptions, analysis: Analysis, pace: &ScheduleOptions) -> Result<(), AnalysisError> {
    let why = match (&run.output, run.time, pace.function_time) {
        _ if pace.campaign.asks_callers() && analysis != Analysis::Exceptions => {
            "--gather is for shards that ask callers, which no analysis but exceptions does"
        }
        (None, ..) => "--shard keeps results in a folder, which -o names",
        (_, Some(_), None) => {
            "--shard with --time needs --function-time: a function's share of the run's time hangs on which others the shard has"
        }
        _ => return Ok(()),
    };
    Err(AnalysisError::Usage(why.to_owned()))
}

/// Of a folder that has another part of a run of as many, that this one would take its place.
fn must_not_hold_another(folder: &Path, campaign: &CampaignOptions) -> Result<(), AnalysisError> {
    let (Some(own), Ok(there)) = (campaign.shard, ShardRecord::read(folder)) else { return Ok(()) };
    let asks_callers = campaign.asks_callers();
    if there.count != own.count || (there.index, there.asks_callers) == (own.index, asks_callers) {
        return Ok(());
    }
    let (folder, there) = (folder.display(), there.words());
    Err(AnalysisError::Usage(format!("{folder} holds {there}: every shard needs a folder of its own (-o)")))
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
