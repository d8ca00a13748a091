//! `cargo labrys`: analyses of functions of a crate that cargo builds.
//!
//! The options are those of the analyses, and so are the requests: what a source is there, a function of a crate is here.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use labrys_analysis::{RunOptions, Subject, accuracy, diff, exceptions};
use labrys_program::{CargoOptions, CrateFunction, Language, Origin, control_spec, parse_build};
use labrys_report::Analysis;

use super::crate_run::{CrateRun, is_pattern};
use super::run_options::{Asked, is_trusted};
use crate::args::{AccuracyArgs, CargoArgs, CargoCommand, DiffArgs, ExceptionsArgs, OfCrate, RunArgs};

/// How long cargo may take for a build that it makes for the first time: it compiles all that the crate uses.
const BUILD_LIMIT: Duration = Duration::from_secs(3600);

/// The variant where the user names none: what the crate would be if it were compiled for this machine.
const DEFAULT_VARIANT: &str = "-C target-cpu=native";

/// Runs the command; its exit code.
pub fn run(command: &CargoCommand) -> Result<u8> {
    if let Some(code) = run_many(command)? {
        return Ok(code);
    }
    match command {
        CargoCommand::Exceptions(of) => {
            super::exceptions::run_resolved(&of.analysis, &resolve_exceptions(of, Asked::by_user())?)
        }
        CargoCommand::Diff(of) => super::diff::run_resolved(&of.analysis, &resolve_diff(of, Asked::by_user())?),
        CargoCommand::Accuracy(of) => {
            super::accuracy::run_resolved(&of.analysis, &resolve_accuracy(of, Asked::by_user())?)
        }
        CargoCommand::Replay(arguments) => super::replay::run(arguments),
        CargoCommand::Blame(arguments) => super::blame::run(arguments),
        CargoCommand::Test(arguments) => super::test::run(arguments),
    }
}

/// Whether the command is of several functions, each of which is run by itself.
pub fn is_of_several(command: &CargoCommand) -> bool {
    let given = match command {
        CargoCommand::Exceptions(of) => of.analysis.build.file.as_slice(),
        CargoCommand::Accuracy(of) => of.analysis.build.file.as_slice(),
        CargoCommand::Diff(of) => of.analysis.files.as_slice(),
        CargoCommand::Replay(_) | CargoCommand::Blame(_) | CargoCommand::Test(_) => return false,
    };
    given.len() <= 1 && is_pattern(given.first().map(PathBuf::as_path))
}

/// Runs the command on many functions, where it names no single one; its exit code.
fn run_many(command: &CargoCommand) -> Result<Option<u8>> {
    must_not_be_a_part(command)?;
    let (analysis, given, run, time, known, cargo, flags) = match command {
        CargoCommand::Exceptions(of) => {
            let ExceptionsArgs { build, time, .. } = &of.analysis;
            let known = &build.known.write_baseline;
            (Analysis::Exceptions, build.file.as_slice(), &build.run, *time, known, &of.cargo, &build.flags)
        }
        CargoCommand::Accuracy(of) => {
            let AccuracyArgs { build, time, .. } = &of.analysis;
            let known = &build.known.write_baseline;
            (Analysis::Accuracy, build.file.as_slice(), &build.run, *time, known, &of.cargo, &build.flags)
        }
        CargoCommand::Diff(of) => {
            let DiffArgs { files, run, time, write_known, baseline, .. } = &of.analysis;
            (Analysis::Diff, files.as_slice(), run, *time, write_known, &of.cargo, baseline)
        }
        CargoCommand::Replay(_) | CargoCommand::Blame(_) | CargoCommand::Test(_) => return Ok(None),
    };
    if !is_of_several(command) {
        return Ok(None);
    }
    must_be_of_crates(run)?;
    // By the clock on the wall a run may take four times its own limit.
    let limit = BUILD_LIMIT + 4 * time.unwrap_or(BUILD_LIMIT);
    let pattern = given.first().map(PathBuf::as_path);
    let write_known = known.as_deref();
    let mut spec = parse_build(flags.as_deref().unwrap_or_default(), Language::Rust)?;
    spec.common_flags.clone_from(&run.common_flags);
    let flags = spec.user_flags();
    CrateRun { analysis, pattern, cargo: options(cargo), flags, run, write_known, limit }.all().map(Some)
}

/// Fills in every default, and finds the function.
pub fn resolve_exceptions(of: &OfCrate<ExceptionsArgs>, asked: Asked) -> Result<exceptions::Request> {
    let mut request = super::exceptions::resolve(&of.analysis, asked)?;
    let path = path_in(of.analysis.build.file.as_slice(), &of.analysis.build.run)?;
    let flags = request.build.flags.get_or_insert_default().clone();
    let source = enter(&mut request.run, (&of.cargo, &path), &[flags])?;
    request.build.subject = Subject::Source(source);
    Ok(request)
}

/// Fills in every default, and finds the function.
pub fn resolve_accuracy(of: &OfCrate<AccuracyArgs>, asked: Asked) -> Result<accuracy::Request> {
    let mut request = super::accuracy::resolve(&of.analysis, asked)?;
    let path = path_in(of.analysis.build.file.as_slice(), &of.analysis.build.run)?;
    let flags = request.build.flags.get_or_insert_default().clone();
    let source = enter(&mut request.run, (&of.cargo, &path), &[flags])?;
    request.build.subject = Subject::Source(source);
    Ok(request)
}

/// Fills in every default, and finds the function.
pub fn resolve_diff(of: &OfCrate<DiffArgs>, asked: Asked) -> Result<diff::Request> {
    let mut request = super::diff::resolve(&of.analysis, asked)?;
    let path = path_in(&of.analysis.files, &of.analysis.run)?;
    let mut texts = vec![request.baseline.get_or_insert_default().clone()];
    if request.variants.is_empty() {
        request.variants.push(DEFAULT_VARIANT.to_owned());
    }
    texts.extend(request.variants.iter().cloned());
    let source = enter(&mut request.run, (&of.cargo, &path), &texts)?;
    request.subject = diff::Subject::Source(source);
    Ok(request)
}

/// A run over a library has parts, one over a crate has functions.
fn must_not_be_a_part(command: &CargoCommand) -> Result<()> {
    let schedule = match command {
        CargoCommand::Exceptions(of) => &of.analysis.build.schedule,
        CargoCommand::Accuracy(of) => &of.analysis.build.schedule,
        CargoCommand::Diff(of) => &of.analysis.schedule,
        CargoCommand::Replay(_) | CargoCommand::Blame(_) | CargoCommand::Test(_) => return Ok(()),
    };
    if schedule.shard.is_some() {
        bail!(
            "--shard is for libraries of a compilation database; parts of a crate are patterns of paths, such as 'my_crate::stats::*'"
        );
    }
    Ok(())
}

/// Nothing is said that a crate says itself.
fn must_be_of_crates(run: &RunArgs) -> Result<()> {
    let RunArgs { database, function, link, signature, .. } = run;
    let given = [
        ("--build-dir", database.is_some()),
        ("--function", function.is_some()),
        ("--link", !link.is_empty()),
        ("--signature", signature.is_some()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        bail!("{option} is for sources, not for functions of crates; see cargo labrys --help");
    }
    Ok(())
}

/// The path of the function, where nothing is said that a crate says itself.
fn path_in(files: &[PathBuf], run: &RunArgs) -> Result<String> {
    must_be_of_crates(run)?;
    match files {
        [path] if is_pattern(Some(path)) => several(),
        [] => several(),
        [path] => Ok(path.display().to_string()),
        _ => bail!("the path of one function is needed, such as my_crate::stats::variance"),
    }
}

/// The command is of many functions, and is read from a report: their own reports are replayed.
fn several() -> Result<String> {
    bail!("the report is of several functions of a crate: each finding says by which command it is replayed")
}

/// Finds the function, builds the crate in each of these ways, and has the run analyse it. Where the crate's first source is.
fn enter(run: &mut RunOptions, (cargo, path): (&CargoArgs, &str), texts: &[String]) -> Result<PathBuf> {
    if !is_trusted(run.origin) {
        bail!(
            "the report asks for a crate to be built by cargo, which runs the build scripts and macros of all that it uses; if you trust it, \
             give --trust"
        );
    }
    if let Origin::Report { announce, .. } = run.origin {
        announce(&format!(
            "cargo rustc --lib for {path}, with the build scripts and macros of all that the crate uses"
        ));
    }
    let deadline = Instant::now() + BUILD_LIMIT;
    let mut flags = Vec::new();
    for text in texts {
        let mut spec = parse_build(text, Language::Rust)?;
        if spec.compiler != Language::Rust.default_compiler() {
            bail!("\"{text}\": cargo chooses the compiler; give flags alone");
        }
        spec.common_flags.clone_from(&run.common_flags);
        flags.push(spec.user_flags());
        flags.push(control_spec(&spec, Language::Rust).user_flags());
    }
    let function = CrateFunction::find(path, options(cargo), &flags[0], &run.lengths, deadline)?;
    if texts.len() > 1 {
        flags.sort();
        flags.dedup();
        for flags in &flags {
            function.build_ahead(flags, deadline)?;
        }
        function.tries_builds();
    }
    let source = function.crate_source();
    run.lengths.extend(function.lengths().iter().cloned());
    run.function = Some(function.symbol().to_owned());
    run.of_crate = Some(Arc::new(function));
    Ok(source)
}

fn options(arguments: &CargoArgs) -> CargoOptions {
    let lock = [("--locked", arguments.locked), ("--offline", arguments.offline), ("--frozen", arguments.frozen)];
    CargoOptions {
        package: arguments.package.clone(),
        features: arguments.features.clone(),
        all_features: arguments.all_features,
        no_default_features: arguments.no_default_features,
        profile: arguments.profile.clone(),
        manifest: arguments.manifest_path.clone(),
        target: arguments.target_dir.clone(),
        lock: lock.iter().filter(|(_, given)| *given).map(|(word, _)| (*word).to_owned()).collect(),
    }
}
