//! `cover`: tests for a function or a program that cover its lines, branches, decisions or paths; what no test covers is proved to be
//! infeasible, or unknown.
//!
//! 1. Build the program, a function with a `main` that asks for its arguments (`subject`, `harness`).
//! 2. Run random inputs in the executor, then follow paths to what they left uncovered (`labrys_executor::cover`).
//! 3. Choose few of the inputs that were found (`selection`), run them natively, and have llvm-cov say what they cover (`runs`, `measured`).
//!    Comparisons of floats get inputs at their boundaries, where that is asked for (`boundaries`).
//!    Where one path is asked for, their conditions' outcomes are told apart first, and then it is followed (`path`).
//! 4. Say of what they leave whether any input covers it (`goals`, `points`), and report (`write_up`).
//!
//! **Claim.** `covered` is said only of what llvm-cov counted in native runs (and execution saw, where its counts may be wrong: `leaving`), and `infeasible` only where execution followed or refuted
//! every way there: see `goals`.
//!
//! After A. Gotlieb, B. Botella, M. Rueher, C. Michel, "Symbolic execution of floating-point computations", STVR 2006 (path-oriented
//! tests), and Z. Fu, Z. Su, "Achieving high coverage for floating-point code via unconstrained programming", PLDI 2017 (the benchmark).

mod boundaries;
mod calls;
mod counted;
mod goals;
mod leaving;
mod measured;
mod path;
mod points;
mod request;
mod runs;
mod selection;
mod subject;
mod write_up;

pub use path::parse_path;
pub use request::{Request, Scope};

use labrys_executor::{Checks, CoverOptions, FeatureSet, Features, Options};
use labrys_interp::Facts;
use labrys_report::Criterion;

use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::run::record::place_of_location;
use crate::whole::answers::kept_answers;
use crate::whole::watching::{mark_interrupted, watched};
use crate::{AnalysisError, Done, Progress};
use path::Conditions;
use subject::SubjectProgram;

/// The part of the time, in hundredths, that building and following paths may take; the rest is for native runs.
const EXECUTION_SHARE: u32 = 85;
/// The part of the time, in hundredths, at which boundaries of comparisons are no longer looked for.
const BOUNDARY_SHARE: u32 = 92;
/// The same of looking for runs that tell the outcomes of a path's conditions apart.
const LEARNING_SHARE: u32 = 30;

/// Covers what a request asks for.
///
/// # Errors
///
/// What keeps the program from being executed at all: see [`AnalysisError`].
pub fn cover(request: &Request, progress: &dyn Progress) -> Result<Done, AnalysisError> {
    let clock = Clock::start(request.run.time);
    let folder = temporary_folder()?;
    progress.phase("building");
    let subject = match subject::build(request, folder.path(), &clock) {
        Err(error) if error.is_time_up() && clock.may_have_ended_it() => {
            return Ok(Done::cut_short(write_up::empty_report(request, &clock), "the program was"));
        }
        built => built?,
    };
    progress.phase("following paths");
    let program = &subject.whole.program;
    let features = Features::of(program);
    let wanted = wanted(&subject, &features);
    let mut path = match &request.path {
        Some(steps) => Some(Conditions::of(request, &subject, &features, steps)?),
        None => None,
    };
    let answers = kept_answers(request.run.output.as_deref())?;
    let share = if path.is_some() { LEARNING_SHARE } else { EXECUTION_SHARE };
    let options = Options {
        entry: program.functions[subject.whole.entry.index()].name.clone(),
        arguments: request.arguments.clone(),
        any_arguments: request.any_arguments,
        standard_input: request.standard_input,
        checks: Checks::default(),
        loop_bound: request.loop_bound,
        deadline: clock.share(share).limit(),
        slowdown: clock.slowdown(),
        memory_mib: request.memory_mib,
        max_paths: request.max_paths,
        seed: request.run.seed,
        merges: false,
        is_direct: true,
        facts: Facts::default(),
        watch: None,
        ranges: Default::default(),
        answers: answers.clone().map(|all| all as _),
    };
    let asked = CoverOptions {
        wanted: wanted.clone(),
        seeds: subject.seeds(request.run.seed),
        all_paths: request.criterion == Criterion::Paths && path.is_none(),
        path: None,
    };
    let execute = |options: &Options, asked: CoverOptions, time: &Clock| {
        watched(progress, (time, request.memory_mib), |watch| {
            labrys_executor::cover(program, &Options { watch: Some(watch), ..options.clone() }, asked)
        })
    };
    let (build, mut outcome) = std::thread::scope(|scope| {
        let build = scope.spawn(|| runs::build(request, &subject, folder.path(), &clock));
        let outcome = execute(&options, asked, &clock.share(share));
        (build.join(), outcome)
    });
    let build = build.map_err(|_| AnalysisError::Internal("a build ended by a panic"))??;
    if let Some(conditions) = &mut path {
        progress.phase("telling outcomes apart");
        conditions.learn((request, &subject, &build), (&options, &outcome), folder.path(), (&clock, progress))?;
        progress.phase("following the path");
        let options = Options { deadline: clock.share(EXECUTION_SHARE).limit(), ..options.clone() };
        let goal =
            CoverOptions { wanted: conditions.wanted(), path: Some(conditions.goal()), ..CoverOptions::default() };
        outcome = execute(&options, goal, &clock.share(EXECUTION_SHARE));
    }
    let chosen = selection::few(&outcome, &features, request.criterion, &wanted);
    let mut inputs: Vec<_> = chosen.iter().map(|index| outcome.tests[*index].input.clone()).collect();
    let boundaries = request.boundaries.then(|| {
        progress.phase("looking for boundaries of comparisons");
        let all: Vec<_> = outcome.tests.iter().map(|test| test.input.clone()).collect();
        let clock = clock.share(BOUNDARY_SHARE);
        boundaries::find(&subject, &options, (&all, request.run.seed), (&clock, progress))
    });
    for input in boundaries.iter().flat_map(|found| &found.inputs) {
        if !inputs.contains(input) {
            inputs.push(input.clone());
        }
    }
    progress.phase("running tests natively");
    let runs = runs::run(request, (&subject, &build), &inputs, folder.path(), (&clock, progress))?;
    if runs.tests.is_empty() && outcome.outcome.paths.excluded > 0 {
        let time = clock.share(EXECUTION_SHARE);
        let options = Options { merges: true, deadline: time.limit(), ..options.clone() };
        refuse_contradiction(&subject, &options, (&time, progress))?;
    }
    let path = path.map(|conditions| {
        let input = runs.tests.first().map(|ran| &ran.input);
        let status = conditions.status(&subject, &options, &outcome, (input, &runs.measured));
        conditions.report(request, &subject, status)
    });
    let mut done = write_up::report(request, &subject, (&features, &outcome), (runs, path, boundaries), &clock);
    done.report.notes.extend(answers.and_then(|answers| answers.finish()));
    Ok(mark_interrupted(done, progress))
}

/// Says so where no input satisfies what is assumed: then everything is infeasible for that alone, and nobody meant to ask for it.
fn refuse_contradiction(
    subject: &SubjectProgram,
    options: &Options,
    (time, progress): (&Clock, &dyn Progress),
) -> Result<(), AnalysisError> {
    let program = &subject.whole.program;
    let outcome = watched(progress, (time, options.memory_mib), |watch| {
        labrys_executor::execute(program, &Options { watch: Some(watch), ..options.clone() })
    });
    let paths = outcome.paths;
    let is_proved = paths.are_all_excluded() && paths.excluded > 0 && paths.given_up == 0;
    if !is_proved || !outcome.unexplored.is_empty() {
        return Ok(());
    }
    let words = match subject.driven {
        Some(_) => {
            "no input satisfies all of --assume, --range and --inputs together: there is nothing to cover".to_owned()
        }
        None => {
            let sites = outcome.exclusions.iter();
            let places: Vec<_> = sites.filter_map(|site| place_of_location(program, site.location).words()).collect();
            format!("no input satisfies the program's assumption at {}: nothing comes to its end", places.join(", "))
        }
    };
    Err(AnalysisError::Usage(words))
}

/// Everything that can happen in the code that is to be covered.
fn wanted(subject: &SubjectProgram, features: &Features) -> FeatureSet {
    let is_in_scope = |function: &labrys_program::FunctionId| subject.scope.binary_search(function).is_ok();
    features.iter().filter(|(_, feature)| is_in_scope(&feature.function)).map(|(number, _)| number).collect()
}
