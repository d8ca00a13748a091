//! What is around every analysis: findings that are known are read before it, and marked in its report before that is delivered.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use labrys_analysis::{AnalysisError, Done};
use labrys_report::{Baseline, probe_folder};

use super::output::{deliver, probe_folders};
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

/// Runs an analysis of at most `time` and delivers its report; the exit code.
pub fn analyse(
    arguments: &RunArgs,
    known: KnownFiles<'_>,
    time: Option<Duration>,
    analysis: impl FnOnce(&Meter) -> Result<Done, AnalysisError>,
) -> Result<u8> {
    // What cannot be read or written is better known before hours of work.
    probe_folders(arguments)?;
    let baseline = known.read.map(Baseline::read).transpose()?;
    if let Some(file) = known.write {
        probe_folder(file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
    }
    let meter = Meter::new(time);
    let done = analysis(&meter);
    meter.finish();
    let Done { mut report, artifacts } = done?;
    if let Some(baseline) = &baseline {
        baseline.mark(&mut report);
    }
    if let Some(file) = known.write {
        Baseline::of(&report).write(file)?;
    }
    deliver(&arguments.into(), &report, &artifacts)?;
    Ok(report.exit_code())
}
