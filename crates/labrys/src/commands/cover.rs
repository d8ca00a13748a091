//! `labrys cover`: resolves the arguments, runs the analysis, writes what it found.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use labrys_analysis::cover::{Request, Scope, cover, parse_path};
use labrys_analysis::{Done, OpinionChoice, RunOptions, TestsRequest, TracingChoice};
use labrys_float::Flags;
use labrys_program::Origin;
use labrys_report::{Criterion, probe_folder};

use super::output::{Delivery, deliver};
use super::run_options::{launcher, shown_command, worker_command};
use super::verify::format_of;
use crate::args::{CoverArgs, CoverScope, Goal};
use crate::meter::Meter;

/// Runs the command; its exit code.
pub fn run(arguments: &CoverArgs) -> Result<u8> {
    let request = resolve(arguments)?;
    let tests = request.tests.iter().map(|tests| tests.folder.as_path());
    for folder in tests.chain(arguments.output.as_deref()) {
        probe_folder(folder)?;
    }
    let meter = Meter::new(Some(arguments.execution.time));
    let done = cover(&request, &meter);
    meter.finish();
    let Done { report, artifacts } = done?;
    let delivery =
        Delivery { format: arguments.format, output: arguments.output.as_deref(), all: arguments.all, compress: None };
    deliver(&delivery, &report, &artifacts)?;
    Ok(report.exit_code())
}

/// Fills in every default.
fn resolve(arguments: &CoverArgs) -> Result<Request> {
    if let Some(argument) = arguments.argument.iter().find(|argument| argument.contains('\0')) {
        bail!("the argument {argument:?} has a character that no argument can have");
    }
    let path = arguments.path.as_deref().map(parse_path).transpose().map_err(|why| anyhow!("--path: {why}"))?;
    let folder = arguments.tests.clone().or_else(|| arguments.output.as_ref().map(|folder| folder.join("tests")));
    let execution = &arguments.execution;
    Ok(Request {
        run: RunOptions {
            input: None,
            command: shown_command(std::env::args().collect()),
            origin: Origin::User,
            function: arguments.function.clone(),
            of_crate: None,
            common_flags: arguments.flags.clone(),
            link: arguments.link.clone(),
            database: arguments.database.clone(),
            signature: arguments.signature.clone(),
            lengths: arguments.length.clone(),
            assumptions: arguments.assume.clone(),
            ranges: arguments.range.clone(),
            given: Vec::new(),
            inputs: arguments.inputs.into(),
            watched: Flags::empty(),
            tracing: TracingChoice::Automatic,
            time: Some(execution.time),
            max_work: 0,
            seed: execution.seed,
            output: arguments.output.clone(),
            dump_queries: None,
            loop_bound: execution.loop_bound.unwrap_or(u32::MAX),
            max_paths: u32::MAX,
            second_opinion: OpinionChoice::default(),
            plants_wrong_proofs: false,
            call_timeout: execution.run_timeout,
            worker: worker_command(Origin::User)?,
        },
        file: arguments.file.clone(),
        arguments: arguments.argument.iter().map(|argument| argument.clone().into_bytes()).collect(),
        any_arguments: execution.any_arguments()?,
        standard_input: execution.stdin.unwrap_or(0),
        criterion: match arguments.goal {
            _ if path.is_some() => Criterion::Paths,
            Goal::Lines => Criterion::Lines,
            Goal::Branches => Criterion::Branches,
            Goal::Mcdc => Criterion::Mcdc,
            Goal::Paths => Criterion::Paths,
            Goal::Boundaries => Criterion::Boundaries,
        },
        scope: match arguments.scope {
            CoverScope::Function => Scope::Function,
            CoverScope::File => Scope::File,
        },
        boundaries: arguments.boundaries || arguments.goal == Goal::Boundaries,
        path,
        loop_bound: execution.loop_bound,
        max_paths: execution.max_paths(),
        memory_mib: execution.memory,
        run_time: execution.run_timeout,
        ulps: arguments.ulps,
        tests: folder.map(|folder: PathBuf| TestsRequest { folder, format: format_of(arguments.test_format) }),
        launcher: launcher(Origin::User)?,
    })
}
