//! `labrys verify`: resolves the arguments, runs the analysis, writes what it found.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use labrys_analysis::verify::{GivenInput, Property, Request, run_given, verify};
use labrys_analysis::{Done, RunOptions, TestFormat, TestsRequest};
use labrys_float::Flags;
use labrys_program::Origin;
use labrys_report::TestKind;
use labrys_testcase::write_headers;

use super::made_folders;
use super::output::{Delivery, deliver, write_out};
use super::run_options::{Asked, launcher, shown_command, worker_command};
use crate::args::{self, ExecutionArgs, VerifyArgs};
use crate::meter::Meter;

/// Runs the command; its exit code.
pub fn run(arguments: &VerifyArgs) -> Result<u8> {
    if arguments.print_include_dir {
        write_out(&format!("{}\n", include_folder()?.display()))?;
        return Ok(0);
    }
    let request = resolve(arguments, Asked::by_user())?;
    let tests = arguments.tests.iter().map(PathBuf::as_path);
    let parent = |file: &PathBuf| file.parent().filter(|folder| !folder.as_os_str().is_empty()).map(PathBuf::from);
    let witness = arguments.witness.as_ref().map(|file| parent(file).unwrap_or_else(|| PathBuf::from(".")));
    for folder in tests.chain(arguments.output.as_deref()).chain(witness.as_deref()) {
        made_folders::probe(folder)?;
    }
    let meter = Meter::new(Some(arguments.execution.time));
    let given = arguments.replay.as_deref().map(GivenInput::File);
    let done = match given.or(arguments.input.as_deref().map(GivenInput::Words)) {
        Some(given) => run_given(&request, given, &meter),
        None => verify(&request, &meter),
    };
    meter.finish();
    let Done { report, artifacts } = done?;
    let delivery =
        Delivery { format: arguments.format, output: arguments.output.as_deref(), all: true, compress: None };
    deliver(&delivery, &report, &artifacts)?;
    Ok(report.exit_code())
}

/// Fills in every default.
pub fn resolve(arguments: &VerifyArgs, asked: Asked) -> Result<Request> {
    let mut properties: Vec<Property> = Vec::new();
    for name in &arguments.property {
        let named = Property::named(name)?;
        properties.extend(named.iter().filter(|property| !properties.contains(property)).copied().collect::<Vec<_>>());
    }
    if properties.is_empty() {
        properties.extend(Property::DEFAULT);
    }
    if let Some(argument) = arguments.argument.iter().find(|argument| argument.contains('\0')) {
        bail!("the argument {argument:?} has a character that no argument can have");
    }
    let execution = &arguments.execution;
    let command = shown_command(asked.command);
    Ok(Request {
        calling: calling(arguments, (&command, asked.origin))?,
        command,
        origin: asked.origin,
        sources: arguments.sources.clone(),
        compiler: arguments.compiler.clone(),
        flags: arguments.flags.clone(),
        entry: arguments.entry.clone(),
        arguments: arguments.argument.iter().map(|argument| argument.clone().into_bytes()).collect(),
        any_arguments: execution.any_arguments()?,
        standard_input: execution.stdin.unwrap_or(0),
        properties,
        loop_bound: execution.loop_bound,
        time: Some(execution.time),
        memory_mib: execution.memory,
        max_paths: execution.max_paths(),
        seed: execution.seed,
        run_time: execution.run_timeout,
        output: arguments.output.clone(),
        tests: arguments.tests.clone().map(|folder| TestsRequest { folder, format: format_of(arguments.test_format) }),
        witness: arguments.witness.clone(),
        launcher: launcher(asked.origin)?,
    })
}

/// How the entry is called, where it is no main and takes more than numbers.
fn calling(arguments: &VerifyArgs, (command, origin): (&[String], Origin)) -> Result<Option<RunOptions>> {
    if arguments.entry == "main" {
        if !arguments.length.is_empty() || !arguments.assume.is_empty() {
            bail!("--length and --assume are for a function that --entry names; a main asks for its inputs itself");
        }
        return Ok(None);
    }
    let execution = &arguments.execution;
    if !arguments.argument.is_empty() || execution.sym_args.is_some() {
        bail!(
            "--argument and --sym-args are for a program that is entered at main; {} takes its parameters",
            arguments.entry
        );
    }
    let run = run_options(execution, (command, origin), &arguments.flags)?;
    Ok(Some(RunOptions {
        function: Some(arguments.entry.clone()),
        lengths: arguments.length.clone(),
        assumptions: arguments.assume.clone(),
        ..run
    }))
}

/// How a function is called that whole programs call: within the limits of their execution, and with any inputs.
pub(super) fn run_options(
    execution: &ExecutionArgs,
    (command, origin): (&[String], Origin),
    flags: &[String],
) -> Result<RunOptions> {
    Ok(RunOptions {
        command: command.to_vec(),
        origin,
        common_flags: flags.to_vec(),
        watched: Flags::empty(),
        time: Some(execution.time),
        seed: execution.seed,
        loop_bound: execution.loop_bound.unwrap_or(u32::MAX),
        max_paths: u32::MAX,
        call_timeout: execution.run_timeout,
        worker: worker_command(origin)?,
        ..RunOptions::default()
    })
}

pub(super) fn format_of(format: args::TestFormat) -> TestFormat {
    match format {
        args::TestFormat::Ktest => TestFormat::Ktest,
        args::TestFormat::TestComp => TestFormat::TestComp,
        args::TestFormat::C => TestFormat::C,
        args::TestFormat::Ctest => TestFormat::Kind(TestKind::Ctest),
        args::TestFormat::Catch2 => TestFormat::Kind(TestKind::Catch2),
        args::TestFormat::Rust => TestFormat::Kind(TestKind::Rust),
        args::TestFormat::Pytest => TestFormat::Kind(TestKind::Pytest),
        args::TestFormat::Fortran => TestFormat::Kind(TestKind::Fortran),
    }
}

/// The folder of headers in the user's cache, made anew.
fn include_folder() -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    let cache = cache.context("neither XDG_CACHE_HOME nor HOME names a folder for the headers")?;
    let folder = cache.join("labrys").join(format!("include-{}", env!("CARGO_PKG_VERSION")));
    write_headers(&folder).with_context(|| format!("cannot write the headers into {}", folder.display()))?;
    Ok(folder)
}
