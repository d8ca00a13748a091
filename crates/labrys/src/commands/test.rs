//! `labrys test`: findings as regression tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use labrys_analysis::regression::{TestsWanted, WrittenTests, must_be_replaceable, of_diff, of_one_build, of_programs};
use labrys_analysis::{AnalysisError, BuildRequest, RunOptions, Subject, diff};
use labrys_program::Origin;
use labrys_report::{Finding, Report, TestKind, visible, write_whole};

use super::crate_tests;
use super::made_folders;
use super::output::{report_in, tell, write_out};
use super::replay::{advised, announce, named_report};
use super::run_options::Asked;
use crate::args::{CargoCommand, Cli, Command, TestArgs};
use crate::usage_words;

/// Runs the command; its exit code is 1 where a finding has no test, of all findings one that a mend could do without.
pub fn run(arguments: &TestArgs) -> Result<u8> {
    let file = report_of(arguments)?;
    let shown = file.display().to_string();
    let report = named_report(&file, "test")?;
    let findings = chosen(arguments, &report, &shown)?;
    if findings.is_empty() {
        tell(&format!("labrys: {}: no finding in it counts for the exit code, and no test is needed", visible(&shown)));
        return Ok(0);
    }
    if let Some(folder) = &arguments.output {
        made_folders::probe(folder)?;
        // Nothing is written before all is known, and whoever ends this earlier finds no folder that was not there.
        made_folders::remove_unused();
    }
    let (folder, written) = match command_of(&report, &shown)? {
        Command::Cargo(command) if super::cargo::is_of_several(&command) => {
            of_functions(arguments, (&file, &report), &findings)?
        }
        command => {
            let stem = match findings.as_slice() {
                [finding] => format!("finding_{}", name_of(&finding.id)?),
                _ => "findings".to_owned(),
            };
            of_report(arguments, command, ((&report, findings.as_slice()), &shown), stem)?
        }
    };
    write(&folder, &written, arguments.all)
}

/// The command of a report.
fn command_of(report: &Report, shown: &str) -> Result<Command> {
    let cli = Cli::of_report(&report.command).map_err(|error| {
        let command = report.command.join(" ");
        anyhow!("{shown}: its command cannot be read: {command}: {}", usage_words(&error))
    })?;
    Ok(cli.command)
}

/// The tests of a run over functions of a crate: those of each function by the command of its own report. In C and C++ each has a folder of its
/// own, for a `CMakeLists.txt` is of one program.
fn of_functions(
    arguments: &TestArgs,
    whole: (&Path, &Report),
    findings: &[&Finding],
) -> Result<(PathBuf, WrittenTests)> {
    let (parts, missing) = crate_tests::parts(whole, findings)?;
    let mut all = WrittenTests::default();
    let mut folder = PathBuf::from(FOLDER);
    for part in parts {
        let shown = part.file.display().to_string();
        let findings: Vec<&Finding> =
            part.report.findings.iter().filter(|finding| part.wanted.contains(&finding.id)).collect();
        let command = command_of(&part.report, &shown)?;
        let of = ((&part.report, findings.as_slice()), shown.as_str());
        let (place, written) = of_report(arguments, command, of, part.stem)?;
        let has_lists = matches!(TestKind::from(arguments.emit), TestKind::Ctest | TestKind::Catch2);
        let named = |(name, contents): (String, Vec<u8>)| {
            (if has_lists { format!("{}/{name}", part.folder) } else { name }, contents)
        };
        all.files.extend(written.files.into_iter().map(named));
        all.tested.extend(written.tested);
        all.skipped.extend(written.skipped);
        all.right.extend(written.right);
        all.unchecked = all.unchecked.or(written.unchecked);
        folder = place;
    }
    let why = "the report of its function does not lie beside the report of all";
    all.skipped.extend(missing.into_iter().map(|id| (id, why.to_owned())));
    Ok((folder, all))
}

/// The tests of findings of a report, in files that are called `stem`; and the folder where they are to be.
fn of_report(
    arguments: &TestArgs,
    command: Command,
    (of, shown): (Wanted<'_>, &str),
    stem: String,
) -> Result<(PathBuf, WrittenTests)> {
    let wanted = TestsWanted { kind: arguments.emit.into(), ulps: arguments.ulps, stem };
    let asked = Asked { command: of.0.command.clone(), origin: Origin::Report { trusted: arguments.trust, announce } };
    let mut folder = PathBuf::from(FOLDER);
    let written = match command {
        Command::Diff(command) => diff_tests(arguments, super::diff::resolve(&command, asked)?, of, &wanted),
        Command::Cargo(CargoCommand::Diff(command)) => {
            let request = super::cargo::resolve_diff(&command, asked)?;
            folder = tests_of_crate(&request.run, &wanted).unwrap_or(folder);
            diff_tests(arguments, request, of, &wanted)
        }
        Command::Exceptions(command) => {
            let request = super::exceptions::resolve(&command, asked)?;
            one_build_tests(arguments, (request.run, &request.build, request.schedule.jobs), of, &wanted)
        }
        Command::Cargo(CargoCommand::Exceptions(command)) => {
            let request = super::cargo::resolve_exceptions(&command, asked)?;
            folder = tests_of_crate(&request.run, &wanted).unwrap_or(folder);
            one_build_tests(arguments, (request.run, &request.build, request.schedule.jobs), of, &wanted)
        }
        Command::Accuracy(command) => {
            let request = super::accuracy::resolve(&command, asked)?;
            one_build_tests(arguments, (request.run, &request.build, request.schedule.jobs), of, &wanted)
        }
        Command::Cargo(CargoCommand::Accuracy(command)) => {
            let request = super::cargo::resolve_accuracy(&command, asked)?;
            folder = tests_of_crate(&request.run, &wanted).unwrap_or(folder);
            one_build_tests(arguments, (request.run, &request.build, request.schedule.jobs), of, &wanted)
        }
        Command::Verify(command) => of_programs(&super::verify::resolve(&command, asked)?, of, &wanted),
        Command::Cover(_) => {
            bail!("{shown}: it is of tests, not of findings: cover --tests DIR --emit KIND writes them")
        }
        _ => bail!("{shown}: it is of no analysis of compiled code"),
    };
    let folder = arguments.output.clone().unwrap_or(folder);
    Ok((folder, written.map_err(|error| advised(error, shown))?))
}

/// Where a crate's tests are, for tests in Rust of its functions.
fn tests_of_crate(run: &RunOptions, wanted: &TestsWanted) -> Option<PathBuf> {
    let of = run.of_crate.as_ref().filter(|_| wanted.kind == TestKind::Rust)?;
    Some(of.package_folder().join("tests"))
}

/// Where tests are written, where nothing else is said.
const FOLDER: &str = "labrys_tests";

/// A report and the findings of it that get tests.
type Wanted<'a> = (&'a Report, &'a [&'a Finding]);

fn diff_tests(
    arguments: &TestArgs,
    mut request: diff::Request,
    of: Wanted<'_>,
    wanted: &TestsWanted,
) -> Result<WrittenTests, AnalysisError> {
    forget_folder(arguments, &mut request.run.output);
    if matches!(request.subject, diff::Subject::Source(_)) {
        keep_callers(arguments, &mut request.run.output);
    }
    of_diff(&request, of, wanted)
}

fn one_build_tests(
    arguments: &TestArgs,
    (mut run, build, jobs): (RunOptions, &BuildRequest, usize),
    of: Wanted<'_>,
    wanted: &TestsWanted,
) -> Result<WrittenTests, AnalysisError> {
    forget_folder(arguments, &mut run.output);
    if matches!(build.subject, Subject::Source(_)) {
        keep_callers(arguments, &mut run.output);
    }
    of_one_build(&run, (build, jobs), of, wanted)
}

/// The report's file.
fn report_of(arguments: &TestArgs) -> Result<PathBuf> {
    let named = &arguments.finding;
    match (named.is_dir(), arguments.all) {
        (true, true) => {
            let file = report_in(named);
            if !file.exists() {
                let shown = named.display();
                bail!(
                    "{shown}: there is no report in it (report.json): name the folder that a run's -o wrote, or a file"
                );
            }
            Ok(file)
        }
        (true, false) => bail!("{}: it is a folder: name a finding in it, or give --all", named.display()),
        (false, _) => Ok(named.clone()),
    }
}

/// The findings that get tests.
fn chosen<'r>(arguments: &TestArgs, report: &'r Report, shown: &str) -> Result<Vec<&'r Finding>> {
    let counting: Vec<&Finding> =
        report.findings.iter().filter(|finding| !arguments.all || report.counts_for_exit_code(finding)).collect();
    let findings: Vec<&Finding> =
        counting.iter().copied().filter(|finding| !arguments.all || finding.severity.matters()).collect();
    match counting.len() - findings.len() {
        0 => {}
        1 => tell("labrys: 1 finding that is honest, harmless or ill-conditioned has no test: name its file for one"),
        left => tell(&format!(
            "labrys: {left} findings that are honest, harmless or ill-conditioned have no tests: name the file of one for its test"
        )),
    }
    match findings.as_slice() {
        [] if !arguments.all => bail!("{shown}: there is no finding in it"),
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

/// What is made to call a function lies beside its tests.
fn keep_callers(arguments: &TestArgs, output: &mut Option<PathBuf>) {
    output.get_or_insert_with(|| arguments.output.clone().unwrap_or_else(|| PathBuf::from(FOLDER)));
}

fn write(folder: &Path, written: &WrittenTests, are_all: bool) -> Result<u8> {
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
    if let Some(why) = &written.unchecked {
        tell(&format!("labrys: whether the tests fail on the present code was not looked at: {}", visible(why)));
    }
    tell_right(&written.right);
    write_out(&lines)?;
    if written.files.is_empty() {
        tell("labrys: no test is written");
    }
    // Of all findings those are meant that a mend can do without.
    Ok(u8::from(!written.skipped.is_empty() || (!are_all && !written.right.is_empty())))
}

/// Says of which findings there is no test because nothing is to be mended, by reason.
fn tell_right(right: &[(String, String)]) {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, why) in right {
        by_reason.entry(why).or_default().push(id);
    }
    for (why, ids) in by_reason {
        let who = match ids.as_slice() {
            [id] => format!("{id} has no test"),
            ids => format!("{} findings have no test", ids.len()),
        };
        let listed = if ids.len() > 1 { format!(" ({})", ids.join(", ")) } else { String::new() };
        tell(&format!("labrys: {}: {}{}", visible(&who), visible(why), visible(&listed)));
    }
}
