//! A run over a library: each matching function is analysed, several at a time, and its result kept, so that a run that was
//! killed goes on where it was.
//!
//! What was analysed once is found again under the same function, the same code that it can reach and the same options;
//! so an undisturbed run and one that was killed and started again come to the same findings.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use labrys_native::Driver;
use labrys_program::{
    CallGraph, Fingerprints, FunctionFilter, FunctionId, LengthOptions, LibraryBuild, LibraryFunction, LibraryOptions,
    Program, build_library, parse_build,
};
use labrys_report::{BuildInfo, FunctionSummary, Startup, Status, VerdictCounts};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::function::{self, FunctionResult, Work, parameters};
use super::merge;
use super::request::Request;
use super::store::{Hash, Store, options_hash};
use super::unit::{ROLE, Unit};
use super::write_up::{self, Done};
use crate::analysed::Analysed;
use crate::clock::{Clock, share_among};
use crate::record::from_here;
use crate::{AnalysisError, Progress, Snapshot};

/// The longest that building may take where the user sets no limit.
const BUILD_LIMIT: Duration = Duration::from_secs(3600);

/// How long one function may take where the user says nothing of time.
const DEFAULT_FUNCTION_TIME: Duration = Duration::from_secs(15);

/// One function's place in the run.
struct Job<'l> {
    of: &'l LibraryFunction,
    fingerprint: Hash,
}

/// What all jobs share.
struct Shop<'a> {
    request: &'a Request,
    build: &'a LibraryBuild,
    program: Arc<Program>,
    names: Arc<FxHashMap<String, String>>,
    drivers: &'a Path,
    graph: CallGraph,
    /// The functions that are analysed by themselves.
    driven: FxHashSet<FunctionId>,
    store: Option<&'a Store>,
    options: Hash,
    clock: &'a Clock,
    progress: &'a dyn Progress,
}

/// Analyses the functions of a library.
///
/// # Errors
///
/// Where the library cannot be built, no function matches, or the output folder cannot be used.
pub fn run(
    request: &Request,
    database: &Path,
    entries: &[String],
    folder: &Path,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<Done, AnalysisError> {
    let store = match &request.run.output {
        Some(output) => Some(Store::open(output).map_err(|error| AnalysisError::Usage(error.to_string()))?),
        None => None,
    };
    progress.phase("building");
    let products = request.run.output.as_deref().unwrap_or(folder).join("build");
    let mut build = build(request, database, &products, clock)?;
    let filter = FunctionFilter::new(entries).map_err(|why| AnalysisError::Usage(format!("--entry: {why}")))?;
    let program = Arc::new(std::mem::take(&mut build.program));
    let chosen: Vec<&LibraryFunction> = build.functions.iter().filter(|function| filter.matches(function)).collect();
    if chosen.is_empty() {
        return Err(AnalysisError::Usage(format!(
            "no function of {} matches {}",
            database.display(),
            entries.join(", ")
        )));
    }
    let shop = Shop {
        request,
        program: Arc::clone(&program),
        names: Arc::new(names(&program, &build.functions)),
        build: &build,
        drivers: folder,
        graph: CallGraph::new(&program),
        driven: chosen
            .iter()
            .filter(|function| function.signature.is_ok() && function.binding.is_some())
            .map(|function| function.function)
            .collect(),
        store: store.as_ref(),
        options: options_hash(&options(request)).map_err(|error| AnalysisError::Usage(error.to_string()))?,
        clock,
        progress,
    };
    let init = init_function(request, &program)?;
    let fingerprints = Fingerprints::new(&program);
    let jobs: Vec<Job<'_>> = chosen
        .iter()
        .map(|of| {
            let roots: Vec<FunctionId> = std::iter::once(of.function).chain(init).collect();
            Job { of, fingerprint: fingerprints.of(&roots) }
        })
        .collect();
    let results = shop.work(&jobs)?;
    let merged = merge::merge(&program, &build.functions, results);
    Ok(write_up::of_library(request, database, &build, build_info(request, database, &build), merged, clock))
}

/// Builds the library in `folder`.
///
/// # Errors
///
/// Where the database cannot be read or nothing compiles.
pub fn build(request: &Request, database: &Path, folder: &Path, clock: &Clock) -> Result<LibraryBuild, AnalysisError> {
    let mut options = LibraryOptions::new(clock.deadline(BUILD_LIMIT));
    if let Some(text) = &request.build {
        let spec = parse_build(text, labrys_program::Language::C)?;
        options.compiler = text.split_whitespace().next().filter(|word| !word.starts_with('-')).map(|_| spec.compiler);
        options.flags = spec.flags;
    }
    options.flags.extend(request.run.common_flags.iter().cloned());
    options.link.clone_from(&request.run.link);
    options.lengths = LengthOptions::parse(&request.run.lengths)?;
    options.jobs = request.jobs;
    build_library(database, &options, folder).map_err(|error| AnalysisError::Usage(error.to_string()))
}

/// The function that runs first.
fn init_function(request: &Request, program: &Program) -> Result<Option<FunctionId>, AnalysisError> {
    let Some(name) = &request.init else { return Ok(None) };
    match program.function(name) {
        Some(function) => Ok(Some(function)),
        None => Err(AnalysisError::Usage(format!("--init {name}: the library has no such function"))),
    }
}

/// Functions' names in the source by their names in the IR.
pub fn names(program: &Program, functions: &[LibraryFunction]) -> FxHashMap<String, String> {
    let name = |function: &LibraryFunction| {
        let ir = program.functions.get(function.function.index())?;
        Some((ir.name.clone(), function.source_name.clone()))
    };
    functions.iter().filter_map(name).collect()
}

/// Everything but the code that a result depends on.
fn options(request: &Request) -> impl Serialize + use<> {
    let mut options = BTreeMap::new();
    let mut add = |name: &str, value: String| options.insert(name.to_owned(), value);
    add("assume", format!("{:?}", request.run.assumptions));
    add("build", format!("{:?} {:?}", request.build, request.run.common_flags));
    add("call timeout", format!("{:?}", request.run.call_timeout));
    add("entries", format!("{:?}", request.subject));
    add("exceptions", request.run.watched.names().join(" "));
    // Results name sources from here.
    add("folder", format!("{:?}", std::env::current_dir().ok()));
    let shared = request.function_time.is_none().then_some(request.run.time).flatten();
    add("function time", format!("{:?} {shared:?}", request.function_time));
    add("given inputs", format!("{:?}", request.run.given));
    add("init", format!("{:?}", request.init));
    add("inputs", format!("{:?}", request.run.inputs));
    add("lengths", format!("{:?}", request.run.lengths));
    add("libm ulps", request.libm_ulps.to_string());
    add("link", format!("{:?}", request.run.link));
    add("loop bound", request.run.loop_bound.to_string());
    add("max paths", request.run.max_paths.to_string());
    add("max work", request.run.max_work.to_string());
    add("ranges", format!("{:?}", request.run.ranges));
    add("seed", request.run.seed.to_string());
    add("tracing", format!("{:?}", request.run.tracing));
    options
}

impl Shop<'_> {
    /// Does all jobs; results in their order. Those that the time limit left are missing.
    fn work(&self, jobs: &[Job<'_>]) -> Result<Vec<FunctionResult>, AnalysisError> {
        self.progress.phase("analysing");
        let mut results: Vec<Option<FunctionResult>> = Vec::with_capacity(jobs.len());
        for job in jobs {
            results.push(self.kept(job)?);
        }
        let mut open: Vec<usize> = (0..jobs.len()).filter(|index| results[*index].is_none()).collect();
        if self.shares_time() {
            // What small functions leave of their shares goes to the large ones.
            open.sort_by_cached_key(|index| self.size(jobs[*index].of));
        }
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
                        if self.clock.stop(self.progress).is_some() {
                            return;
                        }
                        let result = self.job(&jobs[index], self.function_time(open.len() - turn, workers));
                        let kept = match &result {
                            Some(result) => self.keep(&jobs[index], result),
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
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        Ok(jobs.iter().zip(results).map(|(job, result)| result.unwrap_or_else(|| unanalysed(job.of))).collect())
    }

    /// The result of an earlier run.
    fn kept(&self, job: &Job<'_>) -> Result<Option<FunctionResult>, AnalysisError> {
        let Some(store) = self.store else { return Ok(None) };
        store
            .get(&job.of.name, &job.fingerprint, &self.options)
            .map_err(|error| AnalysisError::Usage(error.to_string()))
    }

    fn keep(&self, job: &Job<'_>, result: &FunctionResult) -> Result<(), AnalysisError> {
        let Some(store) = self.store else { return Ok(()) };
        store
            .put(&job.of.name, &job.fingerprint, &self.options, result)
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
    fn function_time(&self, functions: usize, workers: usize) -> Duration {
        let left = self.clock.limit().map(|limit| limit.saturating_duration_since(Instant::now()));
        match (self.request.function_time, left) {
            (Some(time), None) => time,
            (Some(time), Some(left)) => time.min(left),
            (None, None) => DEFAULT_FUNCTION_TIME,
            (None, Some(left)) => share_among(left, functions, workers),
        }
    }

    /// One function's result; `None` where the whole run's time was over before it was done.
    fn job(&self, job: &Job<'_>, time: Duration) -> Option<FunctionResult> {
        let unit = match self.unit(job.of) {
            Ok(unit) => unit,
            Err(why) => return Some(failed(job.of, why)),
        };
        let clock = Clock::start(Some(time));
        let analysis = || -> Result<FunctionResult, AnalysisError> {
            let driver = Driver::cached(&unit.signature, self.drivers)?;
            function::analyse(self.request, &unit, &driver, &clock, &Quiet(self.progress))
        };
        let result = match std::panic::catch_unwind(AssertUnwindSafe(analysis)) {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => failed(job.of, error.to_string()),
            Err(_) => failed(job.of, "internal error, please report it: the analysis panicked".to_owned()),
        };
        // A result that the run's own limit or the user cut short is not what an undisturbed run would keep.
        (self.clock.stop(self.progress).is_none()).then_some(result)
    }

    fn unit(&self, of: &LibraryFunction) -> Result<Unit, String> {
        let mut unit = runnable(self.request, self.build, of, Arc::clone(&self.names))?;
        if let Some(binding) = &of.binding {
            unit.analysed = Ok(Arc::new(Analysed {
                program: Arc::clone(&self.program),
                function: of.function,
                binding: binding.clone(),
            }));
        }
        unit.focus = Some(self.focus(of));
        Ok(unit)
    }
}

/// A function of a library, ready to run; or why it cannot be driven.
pub fn runnable(
    request: &Request,
    build: &LibraryBuild,
    of: &LibraryFunction,
    names: Arc<FxHashMap<String, String>>,
) -> Result<Unit, String> {
    let mut signature = of.signature.clone()?;
    signature.name.clone_from(&of.source_name);
    signature.symbol.clone_from(&of.symbol);
    Ok(Unit {
        name: of.name.clone(),
        file: Some(of.file.clone()),
        line: of.line,
        is_public: of.is_public,
        signature,
        analysed: Err("its parameters in the IR are not understood".to_owned()),
        library: build.library.clone(),
        address: Some(of.address),
        names,
        init: request.init.clone(),
        focus: None,
        assumptions: of.assumptions.clone(),
    })
}

impl Shop<'_> {
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
    FunctionResult { summary, sites: Vec::new(), findings: Vec::new(), notes: Vec::new(), work: Work::default() }
}

/// A function that the time limit left.
fn unanalysed(of: &LibraryFunction) -> FunctionResult {
    let mut result = failed(of, "the time limit of the run".to_owned());
    result.summary.status = Status::Limit;
    result
}

fn build_info(request: &Request, database: &Path, build: &LibraryBuild) -> BuildInfo {
    BuildInfo {
        role: ROLE.to_owned(),
        source: database.display().to_string(),
        compiler: build.compilers.join(", "),
        flags: request.build.clone().into_iter().chain(request.run.common_flags.iter().cloned()).collect(),
        startup: Startup::Default,
        executable: None,
        link: request.run.link.iter().map(|file| file.display().to_string()).collect(),
    }
}
