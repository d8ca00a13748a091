//! `labrys accuracy`: resolves the arguments, runs the analysis, writes what it found.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use labrys_analysis::accuracy::{Done, Metric, Request, Subject, accuracy};
use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_program::FloatType;
use labrys_report::{Baseline, probe_folder};

use super::output::{deliver, probe_folders};
use super::run_options::{Asked, RunLimits, run_options};
use crate::args::{AccuracyArgs, Grid, Measure};
use crate::meter::Meter;

/// How long one function is analysed where the user does not say.
const FUNCTION_TIME: Duration = Duration::from_secs(60);
/// Inputs that are run for each function where the user does not say.
const MAX_WORK: u64 = 200_000;

/// Runs the command; its exit code.
pub fn run(arguments: &AccuracyArgs) -> Result<u8> {
    let request = resolve(arguments, Asked::by_user())?;
    probe_folders(&arguments.run)?;
    let known = arguments.baseline.as_deref().map(Baseline::read).transpose()?;
    if let Some(file) = &arguments.write_baseline {
        probe_folder(file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
    }
    let meter = Meter::new(request.run.time);
    let done = accuracy(&request, &meter);
    meter.finish();
    let Done { mut report, artifacts } = done?;
    if let Some(known) = &known {
        known.mark(&mut report);
    }
    if let Some(file) = &arguments.write_baseline {
        Baseline::of(&report).write(file)?;
    }
    deliver(&arguments.run, &report, &artifacts)?;
    Ok(report.exit_code())
}

/// Fills in every default.
pub fn resolve(arguments: &AccuracyArgs, asked: Asked) -> Result<Request> {
    let subject = subject(arguments)?;
    let time = arguments.time.or(matches!(subject, Subject::Source(_)).then_some(FUNCTION_TIME));
    let limits = RunLimits { time, max_work: arguments.max_work.unwrap_or(MAX_WORK) };
    let mut run = run_options(&arguments.run, asked, Flags::NOTABLE, limits)?;
    // What a function makes of infinities and NaNs has no error.
    run.inputs = InputClass::Finite;
    Ok(Request {
        subject,
        run,
        build: arguments.build.clone(),
        init: arguments.init.clone(),
        metric: metric(arguments)?,
        grid: arguments.grid.map(|grid| match grid {
            Grid::Binary16 => FloatType::F16,
            Grid::Binary32 => FloatType::F32,
        }),
        proves_bounds: arguments.bound,
        libm_ulps: arguments.libm_ulps,
        function_time: arguments.function_time,
        jobs: usize::try_from(arguments.jobs).unwrap_or(1),
    })
}

fn metric(arguments: &AccuracyArgs) -> Result<Metric> {
    let floor = arguments.floor;
    if !(floor.is_finite() && floor >= 0.0) {
        bail!("--floor {floor}: a floor is zero or a positive number");
    }
    match arguments.metric {
        Measure::Relative => Ok(Metric::Relative { floor }),
        _ if floor > 0.0 => bail!("--floor is for --metric relative"),
        Measure::Bits => Ok(Metric::Bits),
        Measure::Absolute => Ok(Metric::Absolute),
    }
}

fn subject(arguments: &AccuracyArgs) -> Result<Subject> {
    match (&arguments.file, &arguments.run.database) {
        (Some(_), _) if !arguments.entry.is_empty() => {
            bail!("--entry names functions of a library: give -p without a FILE, or -f with one")
        }
        (Some(file), _) => Ok(Subject::Source(file.clone())),
        (None, Some(_)) if arguments.run.function.is_some() => {
            bail!("-f names the function of a FILE; for a library give --entry")
        }
        (None, Some(database)) => Ok(Subject::Library { database: database.clone(), entries: arguments.entry.clone() }),
        (None, None) => bail!("accuracy needs a FILE, or a library with -p; see labrys accuracy --help"),
    }
}
