//! `labrys diff`: resolves the arguments, runs the analysis, writes what it found.

use std::time::Duration;

use anyhow::{Result, bail};
use labrys_analysis::diff::{Done, Request, StartupChoice, Subject, diff};
use labrys_float::Flags;

use super::output::{deliver, probe_folders};
use super::run_options::{Asked, RunLimits, run_options};
use crate::args::{Compare, DiffArgs, Startup};
use crate::meter::Meter;

/// How long a run may take where the user says nothing of time or work.
const DEFAULT_TIME: Duration = Duration::from_secs(60);
/// How many inputs are run where the user does not say.
const DEFAULT_WORK: u64 = 200_000;

/// Runs the command; its exit code.
pub fn run(arguments: &DiffArgs) -> Result<u8> {
    let request = resolve(arguments, Asked::by_user())?;
    probe_folders(&arguments.run)?;
    let meter = Meter::new(arguments.time);
    let done = diff(&request, &meter);
    meter.finish();
    let Done { report, artifacts } = done?;
    deliver(&arguments.run, &report, &artifacts)?;
    Ok(report.exit_code())
}

/// Fills in every default.
pub fn resolve(arguments: &DiffArgs, asked: Asked) -> Result<Request> {
    let watched = if arguments.inexact { Flags::NOTABLE | Flags::INEXACT } else { Flags::NOTABLE };
    // Work alone, where that is what the user limits: such runs repeat.
    let time = arguments.time.or(arguments.max_work.is_none().then_some(DEFAULT_TIME));
    let limits = RunLimits { time, max_work: arguments.max_work.unwrap_or(DEFAULT_WORK) };
    Ok(Request {
        subject: subject(arguments)?,
        run: run_options(&arguments.run, asked, watched, limits)?,
        baseline: arguments.baseline.clone(),
        variants: arguments.variant.clone(),
        ulps: arguments.ulps,
        compare_traces: arguments.compare == Compare::Trace,
        startup: match arguments.startup {
            Startup::Loaded => StartupChoice::AsLoaded,
            Startup::Default => StartupChoice::Default,
            Startup::Ftz => StartupChoice::Ftz,
        },
        every: arguments.run.all,
        compare_random: arguments.compare_random,
    })
}

fn subject(arguments: &DiffArgs) -> Result<Subject> {
    match (&arguments.baseline_lib, arguments.files.as_slice()) {
        (Some(baseline), _) => {
            Ok(Subject::Libraries { baseline: baseline.clone(), variants: arguments.variant_lib.clone() })
        }
        (None, [source]) => Ok(Subject::Source(source.clone())),
        (None, [old, new]) => Ok(Subject::Pair(old.clone(), new.clone())),
        (None, []) => bail!("diff needs a FILE, or --baseline-lib and --variant-lib; see labrys diff --help"),
        (None, _) => bail!("diff takes one FILE or two, not {}", arguments.files.len()),
    }
}
