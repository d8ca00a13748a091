//! The work of a library run: tasks done several at a time, each kept as soon as it is done.
//!
//! A task is one function's analysis, or a public function asked for what was found in others ([`super::questions`]). What was
//! done once is found again under the same name, the same code and question, and the same options.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use labrys_native::Driver;
use labrys_program::{CallGraph, ChangingGlobals, FunctionId, LibraryBuild, LibraryFunction, Program};
use labrys_report::{FunctionSummary, Status, VerdictCounts};
use rustc_hash::{FxHashMap, FxHashSet};

use super::answers;
use super::function::{self, FunctionResult, Work, parameters};
use super::library::runnable;
use super::pairs::{Focus, PairKey};
use super::questions::{Question, questions};
use super::request::Request;
use super::routes::Callers;
use super::store::{Hash, Store, extended};
use super::unit::{Unit, first_call};
use crate::analysed::Analysed;
use crate::clock::{Clock, share_among};
use crate::record::from_here;
use crate::{AnalysisError, Progress, Snapshot};

/// How long one function may take where the user says nothing of time.
const DEFAULT_FUNCTION_TIME: Duration = Duration::from_secs(15);

/// Of the time that a run may take, the part for asking public functions what they let happen: one in so many.
const ASKING_PART: u32 = 10;

/// Less time than this is no use to a question: there are fewer of them then.
const SHORTEST_QUESTION: Duration = Duration::from_secs(3);

/// One function's place in the run.
pub struct Job<'l> {
    /// The function.
    pub of: &'l LibraryFunction,
    /// The code that it can reach.
    pub fingerprint: Hash,
}

/// What all jobs share.
pub struct Shop<'a> {
    /// What the user asks.
    pub request: &'a Request,
    /// The library.
    pub build: &'a LibraryBuild,
    /// Its IR.
    pub program: Arc<Program>,
    /// Functions' names by symbol.
    pub names: Arc<FxHashMap<String, String>>,
    /// The folder for compiled drivers.
    pub drivers: &'a Path,
    /// Who calls whom.
    pub graph: CallGraph,
    /// What calls leave behind.
    pub changing: ChangingGlobals,
    /// The functions that are analysed by themselves.
    pub driven: FxHashSet<FunctionId>,
    /// Where results are kept.
    pub store: Option<&'a Store>,
    /// Everything but the code that a result depends on.
    pub options: Hash,
    /// When the run ends.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// One thing to do.
struct Task<'t> {
    of: &'t LibraryFunction,
    /// Under what its result is kept.
    name: String,
    fingerprint: Hash,
    question: Option<&'t Question>,
}

/// When the tasks of one phase end, and each of them.
struct Times<'t> {
    /// When the phase ends.
    clock: Clock,
    /// How long the next task may take, of so many that are left, with so many workers.
    of_task: &'t (dyn Fn(usize, usize) -> Duration + Sync),
}

impl Shop<'_> {
    /// Analyses all functions, and asks the public ones for what was found in others; results in the order of jobs.
    ///
    /// # Errors
    ///
    /// Where results cannot be kept.
    pub fn run(&self, jobs: &[Job<'_>]) -> Result<Vec<FunctionResult>, AnalysisError> {
        self.progress.phase("analysing");
        let functions: Vec<&LibraryFunction> = jobs.iter().map(|job| job.of).collect();
        let mut tasks: Vec<Task<'_>> = jobs
            .iter()
            .map(|job| Task { of: job.of, name: job.of.name.clone(), fingerprint: job.fingerprint, question: None })
            .collect();
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        if self.shares_time() {
            // What small functions leave of their shares goes to the large ones.
            order.sort_by_cached_key(|index| self.size(tasks[*index].of));
        }
        let clock = if self.may_ask(&functions) { self.clock.share(100 - 100 / ASKING_PART) } else { *self.clock };
        let of_task = |left: usize, workers: usize| self.time_of_function(&clock, left, workers);
        let mut results = self.work(&tasks, &order, &Times { clock, of_task: &of_task })?;
        // Those whose turn did not come have the time before any question: others took longer than their shares.
        let left: Vec<usize> = order.into_iter().filter(|index| results[*index].is_none()).collect();
        if !left.is_empty() {
            let of_task = |left: usize, workers: usize| self.time_of_function(self.clock, left, workers);
            let more = self.work(&tasks, &left, &Times { clock: *self.clock, of_task: &of_task })?;
            for (result, more) in results.iter_mut().zip(more) {
                *result = result.take().or(more);
            }
        }
        let mut results: Vec<FunctionResult> =
            functions.iter().zip(results).map(|(of, result)| result.unwrap_or_else(|| unanalysed(of))).collect();

        let callers = Callers::new(&self.program, &self.graph);
        let mut questions = questions(&self.graph, &callers, &functions, &results);
        let (number, of_question) = self.time_of_questions(jobs.len(), questions.len());
        questions.truncate(number);
        if questions.is_empty() {
            return Ok(results);
        }
        self.progress.phase("asking callers");
        tasks = questions
            .iter()
            .map(|question| {
                let Job { of, fingerprint } = &jobs[question.job];
                let name = format!("{}, asked for others' findings", of.name);
                Task { of, name, fingerprint: extended(fingerprint, &question.words()), question: Some(question) }
            })
            .collect();
        let order: Vec<usize> = (0..tasks.len()).collect();
        let of_task = |_: usize, _: usize| of_question;
        let answers = self.work(&tasks, &order, &Times { clock: *self.clock, of_task: &of_task })?;
        for (question, answer) in questions.iter().zip(answers) {
            if let Some(answer) = answer.filter(|answer| answer.summary.failure.is_none()) {
                answers::enter(&mut results[question.job], question, answer);
            }
        }
        Ok(results)
    }

    /// Whether some function may be asked for what is found in others: otherwise no time need be kept back.
    fn may_ask(&self, functions: &[&LibraryFunction]) -> bool {
        let calls_others = |of: &&&LibraryFunction| {
            let is_other = |id: &FunctionId| *id != of.function && self.driven.contains(id);
            self.graph.reachable(of.function).iter().any(is_other)
        };
        functions.iter().filter(|of| of.is_public && of.binding.is_some()).any(|of| calls_others(&of))
    }

    /// Does the tasks of `order`, in this order; results in their own. Those that the time limit left are missing.
    fn work(
        &self,
        tasks: &[Task<'_>],
        order: &[usize],
        times: &Times<'_>,
    ) -> Result<Vec<Option<FunctionResult>>, AnalysisError> {
        let mut results: Vec<Option<FunctionResult>> = tasks.iter().map(|_| None).collect();
        for &index in order {
            results[index] = self.kept(&tasks[index])?;
        }
        let open: Vec<usize> = order.iter().copied().filter(|index| results[*index].is_none()).collect();
        let workers = self.request.jobs.clamp(1, open.len().max(1));
        let done = AtomicUsize::new(0);
        let next = AtomicUsize::new(0);
        let slots: Mutex<&mut Vec<Option<FunctionResult>>> = Mutex::new(&mut results);
        let failure: Mutex<Option<AnalysisError>> = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let turn = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&index) = open.get(turn) else { return };
                        if times.clock.stop(self.progress).is_some() {
                            return;
                        }
                        let time = (times.of_task)(open.len() - turn, workers);
                        let result = self.result(&tasks[index], time, &times.clock);
                        let kept = match &result {
                            Some(result) => self.keep(&tasks[index], result),
                            None => Ok(()),
                        };
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

    /// The result of an earlier run.
    fn kept(&self, task: &Task<'_>) -> Result<Option<FunctionResult>, AnalysisError> {
        let Some(store) = self.store else { return Ok(None) };
        store.get(&task.name, &task.fingerprint, &self.options).map_err(|error| AnalysisError::Usage(error.to_string()))
    }

    fn keep(&self, task: &Task<'_>, result: &FunctionResult) -> Result<(), AnalysisError> {
        let Some(store) = self.store else { return Ok(()) };
        store
            .put(&task.name, &task.fingerprint, &self.options, result)
            .map_err(|error| AnalysisError::Usage(error.to_string()))
    }

    /// Whether functions share the whole run's time.
    fn shares_time(&self) -> bool {
        self.request.function_time.is_none() && self.clock.limit().is_some()
    }

    /// How many instructions a function can reach.
    fn size(&self, of: &LibraryFunction) -> usize {
        let instructions = |id: FunctionId| {
            let function = self.program.functions.get(id.index());
            function.map_or(0, |function| function.blocks.iter().map(|block| block.instructions.len()).sum())
        };
        self.graph.reachable(of.function).into_iter().map(instructions).sum()
    }

    /// How long the next function may take, of so many that are left, with so many workers.
    fn time_of_function(&self, clock: &Clock, functions: usize, workers: usize) -> Duration {
        let left = clock.limit().map(|limit| limit.saturating_duration_since(Instant::now()));
        match (self.request.function_time, left) {
            (Some(time), None) => time,
            (Some(time), Some(left)) => time.min(left),
            (None, None) => DEFAULT_FUNCTION_TIME,
            (None, Some(left)) => share_among(left, functions, workers),
        }
    }

    /// Of so many questions how many may be asked, and how long each may take: all together a part of what `functions` may take.
    fn time_of_questions(&self, functions: usize, questions: usize) -> (usize, Duration) {
        let workers = self.request.jobs.max(1);
        let left = self.clock.limit().map(|limit| limit.saturating_duration_since(Instant::now()));
        let longest = self.request.function_time.unwrap_or(DEFAULT_FUNCTION_TIME);
        let all = match left {
            // The run's own limit ends everything: a little is kept back for the report.
            Some(left) if self.shares_time() => left.mul_f64(0.95 * workers as f64),
            _ => longest.mul_f64(functions as f64 / f64::from(ASKING_PART)),
        };
        share_of_each(all, longest, questions)
    }

    /// One task's result; `None` where the phase's time was over before it was done.
    fn result(&self, task: &Task<'_>, time: Duration, phase: &Clock) -> Option<FunctionResult> {
        let unit = match self.unit(task) {
            Ok(unit) => unit,
            Err(why) => return Some(failed(task.of, why)),
        };
        let clock = Clock::start(Some(time));
        let analysis = || -> Result<FunctionResult, AnalysisError> {
            let driver = Driver::cached(&unit.signature, self.drivers)?;
            function::analyse(self.request, &unit, &driver, &clock, &Quiet(self.progress))
        };
        let result = match std::panic::catch_unwind(AssertUnwindSafe(analysis)) {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => failed(task.of, error.to_string()),
            Err(_) => failed(task.of, "internal error, please report it: the analysis panicked".to_owned()),
        };
        // A result that the run's own limit or the user cut short is not what an undisturbed run would keep.
        (phase.stop(self.progress).is_none()).then_some(result)
    }

    fn unit(&self, task: &Task<'_>) -> Result<Unit, String> {
        let of = task.of;
        let mut unit = runnable(self.request, self.build, of, Arc::clone(&self.names))?;
        unit.assumptions.extend(first_call(&self.program, &self.changing, &self.graph.reachable(of.function)));
        if let Some(binding) = &of.binding {
            unit.analysed = Ok(Arc::new(Analysed {
                program: Arc::clone(&self.program),
                function: of.function,
                binding: binding.clone(),
            }));
        }
        match task.question {
            None => unit.focus = Focus::Functions(self.focus(of)),
            Some(question) => {
                let set = |pairs: &[PairKey]| pairs.iter().cloned().collect();
                unit.focus = Focus::Errand { sought: set(&question.sought), noticed: set(&question.noticed) };
                unit.errand = question.errand.clone();
            }
        }
        Ok(unit)
    }

    /// The function itself, and those that it calls and that have no analysis of their own in this run.
    fn focus(&self, of: &LibraryFunction) -> FxHashSet<String> {
        let own = std::iter::once(of.source_name.clone());
        let called = self.graph.reachable(of.function).into_iter();
        let name = |id: FunctionId| {
            let ir = self.program.functions.get(id.index())?;
            self.names.get(&ir.name).cloned()
        };
        own.chain(called.filter(|id| !self.driven.contains(id)).filter_map(name)).collect()
    }
}

/// How many of so many questions share a time, and how long each takes at most.
fn share_of_each(all: Duration, longest: Duration, questions: usize) -> (usize, Duration) {
    let shortest = SHORTEST_QUESTION.min(longest);
    let each = all.div_f64(questions.max(1) as f64).clamp(shortest, longest);
    let number = (all.as_secs_f64() / each.as_secs_f64().max(1e-9)).round() as usize;
    (number.clamp(1, questions.max(1)).min(questions), each)
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

fn summary(of: &LibraryFunction) -> FunctionSummary {
    FunctionSummary {
        function: of.name.clone(),
        file: Some(from_here(of.file.clone())),
        line: of.line,
        is_public: of.is_public,
        parameters: of.signature.as_ref().map(parameters).unwrap_or_default(),
        status: Status::Complete,
        all_paths: false,
        failure: None,
        sites: VerdictCounts::default(),
        findings: Vec::new(),
    }
}

/// A function that cannot be analysed.
fn failed(of: &LibraryFunction, why: String) -> FunctionResult {
    let summary = FunctionSummary { failure: Some(why), ..summary(of) };
    let (sites, findings) = (Vec::new(), Vec::new());
    FunctionResult { summary, sites, findings, notes: Vec::new(), contradictions: Vec::new(), work: Work::default() }
}

/// A function that the time limit left.
fn unanalysed(of: &LibraryFunction) -> FunctionResult {
    let mut result = failed(of, "the time limit of the run".to_owned());
    result.summary.status = Status::Limit;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_share_their_time_and_are_fewer_where_there_is_little() {
        let share = |all: u64, longest: u64, questions: usize| {
            let (number, each) = share_of_each(Duration::from_secs(all), Duration::from_secs(longest), questions);
            (number, each.as_secs())
        };
        assert_eq!(share(100, 15, 0), (0, 15));
        assert_eq!(share(100, 15, 20), (20, 5));
        assert_eq!(share(100, 15, 2), (2, 15));
        assert_eq!(share(30, 15, 200), (10, 3));
        assert_eq!(share(30, 2, 200), (15, 2));
        // One is always asked.
        assert_eq!(share(1, 15, 200), (1, 3));
    }
}
