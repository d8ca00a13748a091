//! A run over a library: each matching function is analysed, several at a time, and its result kept, so that a run that was
//! killed goes on where it was.
//!
//! What was analysed once is found again under the same function, the same code that it can reach and the same options;
//! so an undisturbed run and one that was killed and started again come to the same findings.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use labrys_program::{
    CallGraph, ChangingGlobals, Fingerprints, FunctionFilter, FunctionId, LengthOptions, LibraryBuild, LibraryError,
    LibraryFunction, LibraryOptions, Program, build_library, map_parameters, parse_build, with_directions,
};
use labrys_report::{BuildInfo, Startup};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::errand::Errand;
use super::merge;
use super::pairs::Focus;
use super::request::Request;
use super::shop::{Job, Shop};
use super::store::{Store, options_hash};
use super::unit::{ROLE, Unit, must_take_nothing};
use super::write_up::{self, Done};
use crate::clock::Clock;
use crate::lengths::{self, LengthTrials, make_room};
use crate::{AnalysisError, Progress};

/// The longest that building may take where the user sets no limit.
const BUILD_LIMIT: Duration = Duration::from_secs(3600);

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
    let init = init_function(request, &program)?;
    let chosen = build.functions.iter_mut().filter(|function| filter.matches(function));
    settle_lengths(request, &program, init, chosen);
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
        changing: ChangingGlobals::new(&program),
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
    let fingerprints = Fingerprints::new(&program);
    let jobs: Vec<Job<'_>> = chosen
        .iter()
        .map(|of| {
            let roots: Vec<FunctionId> = std::iter::once(of.function).chain(init).collect();
            Job { of, fingerprint: fingerprints.of(&roots) }
        })
        .collect();
    let results = shop.run(&jobs)?;
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
    options.origin = request.run.origin;
    build_library(database, &options, folder).map_err(|error| match error {
        LibraryError::Build(error) => error.into(),
        error => AnalysisError::Usage(error.to_string()),
    })
}

/// Gives pointers whose lengths were guessed those that trial runs show, and all of them room for what is asked for.
fn settle_lengths<'f>(
    request: &Request,
    program: &Program,
    init: Option<FunctionId>,
    functions: impl Iterator<Item = &'f mut LibraryFunction>,
) {
    let mut trials = None;
    for of in functions {
        let Ok(signature) = &mut of.signature else { continue };
        let before = signature.clone();
        if !of.guessed.is_empty()
            && let Some(trials) = trials.get_or_insert_with(|| LengthTrials::new(program, init))
        {
            trials.settle(of.function, signature, &of.guessed, &lengths::room(signature, &request.run));
        }
        make_room(signature, &request.run);
        if *signature == before {
            continue;
        }
        *signature = with_directions(signature.clone(), program, of.function);
        of.binding = map_parameters(signature, program, of.function).ok();
    }
}

/// The function that runs first.
fn init_function(request: &Request, program: &Program) -> Result<Option<FunctionId>, AnalysisError> {
    let Some(name) = &request.init else { return Ok(None) };
    match program.function(name) {
        Some(function) => must_take_nothing(program, name).map(|()| Some(function)),
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
    add("whole space", request.whole_space.to_string());
    add("ranges", format!("{:?}", request.run.ranges));
    add("second opinion", format!("{:?}", request.run.second_opinion));
    add("seed", request.run.seed.to_string());
    add("tracing", format!("{:?}", request.run.tracing));
    options
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
        analysed: Err("its parameters in the IR are not understood".to_owned()),
        library: build.library.clone(),
        address: Some(of.address),
        names,
        init: request.init.clone(),
        focus: Focus::All,
        errand: Errand::default(),
        assumptions: lengths::assumptions(&signature, &of.guessed),
        remarks: lengths::remarks(&signature, &of.guessed),
        signature,
    })
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
