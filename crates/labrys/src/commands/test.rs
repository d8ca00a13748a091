//! `labrys test`: findings as regression tests.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use labrys_analysis::regression::{TestsWanted, WrittenTests, must_be_replaceable, of_diff, of_one_build, of_programs};
use labrys_program::Origin;
use labrys_report::{Finding, Report, ReportError, probe_folder, read_report_file, visible, write_whole};

use super::output::{report_in, tell, write_out};
use super::replay::{advised, announce};
use super::run_options::Asked;
use crate::args::{Cli, Command, TestArgs};
use crate::usage_words;

/// Runs the command; its exit code is 1 where a finding has no test.
pub fn run(arguments: &TestArgs) -> Result<u8> {
    let file = report_of(arguments)?;
    let shown = file.display().to_string();
    let report = read_report_file(&file).map_err(|error| match error {
        ReportError::Read { .. } => anyhow!(error),
        other => anyhow!("{shown}: {other}"),
    })?;
    let findings = chosen(arguments, &report, &shown)?;
    let cli = Cli::try_parse_from(&report.command).map_err(|error| {
        let command = report.command.join(" ");
        anyhow!("{shown}: its command cannot be read: {command}: {}", usage_words(&error))
    })?;
    probe_folder(&arguments.output)?;
    let stem = match findings.as_slice() {
        [finding] => format!("finding_{}", name_of(&finding.id)?),
        _ => "findings".to_owned(),
    };
    let wanted = TestsWanted { kind: arguments.emit.into(), ulps: arguments.ulps, stem };
    let asked =
        Asked { command: report.command.clone(), origin: Origin::Report { trusted: arguments.trust, announce } };
    let of = (&report, findings.as_slice());
    let written = match cli.command {
        Command::Diff(command) => {
            let mut request = super::diff::resolve(&command, asked)?;
            forget_folder(arguments, &mut request.run.output);
            of_diff(&request, of, &wanted)
        }
        Command::Exceptions(command) => {
            let mut request = super::exceptions::resolve(&command, asked)?;
            forget_folder(arguments, &mut request.run.output);
            of_one_build(&request.run, (&request.build, request.schedule.jobs), of, &wanted)
        }
        Command::Accuracy(command) => {
            let mut request = super::accuracy::resolve(&command, asked)?;
            forget_folder(arguments, &mut request.run.output);
            of_one_build(&request.run, (&request.build, request.schedule.jobs), of, &wanted)
        }
        Command::Verify(command) => of_programs(&super::verify::resolve(&command, asked)?, of, &wanted),
        Command::Cover(_) => {
            bail!("{shown}: it is of tests, not of findings: cover --tests DIR --emit KIND writes them")
        }
        _ => bail!("{shown}: it is of no analysis of compiled code"),
    };
    write(arguments, &written.map_err(|error| advised(error, &shown))?)
}

/// The report's file.
fn report_of(arguments: &TestArgs) -> Result<PathBuf> {
    let named = &arguments.finding;
    match (named.is_dir(), arguments.all) {
        (true, true) => Ok(report_in(named)),
        (true, false) => bail!("{}: it is a folder: name a finding in it, or give --all", named.display()),
        (false, _) => Ok(named.clone()),
    }
}

/// The findings that get tests.
fn chosen<'r>(arguments: &TestArgs, report: &'r Report, shown: &str) -> Result<Vec<&'r Finding>> {
    let findings: Vec<&Finding> =
        report.findings.iter().filter(|finding| !arguments.all || report.counts_for_exit_code(finding)).collect();
    match findings.as_slice() {
        [] if arguments.all => bail!("{shown}: there is no finding in it that counts for the exit code"),
        [] => bail!("{shown}: there is no finding in it"),
        [_, _, ..] if !arguments.all => {
            bail!("{shown}: it has {} findings: name the file of one, or give --all", findings.len())
        }
        _ => {}
    }
    for finding in &findings {
        name_of(&finding.id)?;
    }
    Ok(findings)
}

/// An id as a part of names: what a report says is not taken for a path.
fn name_of(id: &str) -> Result<&str> {
    let is_name = !id.is_empty() && id.len() <= 40 && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name { Ok(id) } else { bail!("the finding's id {} is none of labrys'", visible(id)) }
}

/// What lies in a command's folder is the report's author's as much as the report.
fn forget_folder(arguments: &TestArgs, output: &mut Option<PathBuf>) {
    if !arguments.trust {
        *output = None;
    }
}

fn write(arguments: &TestArgs, written: &WrittenTests) -> Result<u8> {
    let folder = &arguments.output;
    for (name, _) in &written.files {
        must_be_replaceable(&folder.join(name)).map_err(|why| anyhow!(why))?;
    }
    let mut lines = String::new();
    for (name, contents) in &written.files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        write_whole(&path, contents)?;
        lines.push_str(&format!("wrote {}\n", visible(&path.display().to_string())));
    }
    for (id, why) in &written.skipped {
        tell(&format!("labrys: {}: {}", visible(id), visible(why)));
    }
    write_out(&lines)?;
    if written.files.is_empty() {
        bail!("no test is written");
    }
    Ok(u8::from(!written.skipped.is_empty()))
}
