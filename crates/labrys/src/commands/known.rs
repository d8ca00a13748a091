//! What is around every analysis: findings that are known are read before it, and marked in its report before that is delivered.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use labrys_analysis::{AnalysisError, Done, Outcome, PartDone};
use labrys_report::{Baseline, Report, Status};

use super::made_folders;
use super::output::{deliver, probe_folders, tell};
use crate::args::{BaselineArgs, RunArgs};
use crate::meter::Meter;

/// The files of known findings that a command names.
pub struct KnownFiles<'a> {
    /// The one that is read.
    pub read: Option<&'a Path>,
    /// The one that is written.
    pub write: Option<&'a Path>,
}

impl<'a> From<&'a BaselineArgs> for KnownFiles<'a> {
    fn from(arguments: &'a BaselineArgs) -> KnownFiles<'a> {
        KnownFiles { read: arguments.baseline.as_deref(), write: arguments.write_baseline.as_deref() }
    }
}

/// The exit code of a part of a run that a limit cut short.
const CUT_SHORT: u8 = 3;

/// What a part of a run came to.
fn part_words(part: &PartDone, folder: Option<&Path>) -> String {
    let PartDone { shard, tasks, done, asks_callers } = part;
    if shard.index == 0 {
        return "the library is built".to_owned();
    }
    let folder = folder.map(|folder| format!(", kept in {}", folder.display())).unwrap_or_default();
    let what = if *asks_callers { "callers asked" } else { "functions or parts of such analysed" };
    match part.is_whole() {
        true => format!("shard {shard}: {done} {what}{folder}; labrys merge makes the report"),
        false => format!("shard {shard}: {done} of {tasks} {what}{folder}; start it again and it goes on"),
    }
}

/// Of a library's run in which not a single function could be analysed, why the first could not: that nothing was found is then no news.
fn why_nothing_was_analysed(report: &Report) -> Option<String> {
    let first = report.functions.first().filter(|_| report.status == Status::Complete)?;
    let is_certain = report.functions.iter().all(|of| of.failure.is_some()) && report.findings.is_empty();
    first.failure.as_ref().filter(|_| is_certain).map(|why| format!("{}: {why}", first.function))
}

/// Runs an analysis of at most `time` and delivers its report; the exit code.
pub fn analyse(
    arguments: &RunArgs,
    known: KnownFiles<'_>,
    time: Option<Duration>,
    analysis: impl FnOnce(&Meter) -> Result<Outcome, AnalysisError>,
) -> Result<u8> {
    // What cannot be read or written is better known before hours of work.
    probe_folders(arguments)?;
    let baseline = known.read.map(Baseline::read).transpose()?;
    if let Some(file) = known.write {
        made_folders::probe(file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
    }
    let meter = Meter::new(time);
    let done = analysis(&meter);
    meter.finish();
    let Done { mut report, artifacts } = match done? {
        Outcome::Report(done) => *done,
        Outcome::Part(part) => {
            tell(&format!("labrys: {}", part_words(&part, arguments.output.as_deref())));
            return Ok(if part.is_whole() { 0 } else { CUT_SHORT });
        }
    };
    if let Some(why) = why_nothing_was_analysed(&report) {
        bail!("no function could be analysed: {why}");
    }
    if let Some(baseline) = &baseline {
        baseline.mark(&mut report);
    }
    if let Some(file) = known.write {
        Baseline::of(&report).write(file)?;
    }
    deliver(&arguments.into(), &report, &artifacts)?;
    Ok(report.exit_code())
}
