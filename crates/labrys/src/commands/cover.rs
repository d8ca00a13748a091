//! `labrys cover`: resolves the arguments, runs the analysis, writes what it found.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use labrys_analysis::cover::{Request, Scope, cover, parse_path};
use labrys_analysis::{Done, RunOptions, TestsRequest};
use labrys_program::Origin;
use labrys_report::Criterion;

use super::made_folders;
use super::output::{Delivery, deliver};
use super::run_options::{launcher, shown_command};
use super::verify::{format_of, run_options};
use crate::args::{CoverArgs, CoverScope, Goal};
use crate::meter::Meter;

/// Runs the command; its exit code.
pub fn run(arguments: &CoverArgs) -> Result<u8> {
    let request = resolve(arguments)?;
    let tests = request.tests.iter().map(|tests| tests.folder.as_path());
    for folder in tests.chain(arguments.output.as_deref()) {
        made_folders::probe(folder)?;
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
    let command = shown_command(std::env::args().collect());
    Ok(Request {
        run: RunOptions {
            function: arguments.function.clone(),
            link: arguments.link.clone(),
            database: arguments.database.clone(),
            signature: arguments.signature.clone(),
            lengths: arguments.length.clone(),
            assumptions: arguments.assume.clone(),
            ranges: arguments.range.clone(),
            inputs: arguments.inputs.into(),
            output: arguments.output.clone(),
            ..run_options(execution, (&command, Origin::User), &arguments.flags)?
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
