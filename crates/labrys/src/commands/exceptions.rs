//! `labrys exceptions`: resolves the arguments, runs the analysis, writes what it found.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use labrys_analysis::exceptions::{Done, Request, Subject, exceptions};
use labrys_float::Flags;
use labrys_report::{Baseline, probe_folder};

use super::output::{deliver, probe_folders};
use super::run_options::{Asked, RunLimits, run_options};
use crate::args::{Exception, ExceptionsArgs};
use crate::meter::Meter;

/// How long one function is analysed where the user does not say.
const FUNCTION_TIME: Duration = Duration::from_secs(120);

/// Inputs that are run for each function where the user does not say.
const MAX_WORK: u64 = 100_000;
/// A search domain of at most so many inputs is run whole.
const WHOLE_SPACE: u64 = 1 << 20;

/// Runs the command; its exit code.
pub fn run(arguments: &ExceptionsArgs) -> Result<u8> {
    let request = resolve(arguments, Asked::by_user())?;
    probe_folders(&arguments.run)?;
    let known = arguments.baseline.as_deref().map(Baseline::read).transpose()?;
    if let Some(file) = &arguments.write_baseline {
        probe_folder(file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
    }
    let meter = Meter::new(request.run.time);
    let done = exceptions(&request, &meter);
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
pub fn resolve(arguments: &ExceptionsArgs, asked: Asked) -> Result<Request> {
    let subject = subject(arguments)?;
    let time = arguments.time.or(matches!(subject, Subject::Source(_)).then_some(FUNCTION_TIME));
    let limits = RunLimits { time, max_work: arguments.max_work.unwrap_or(MAX_WORK) };
    Ok(Request {
        subject,
        run: run_options(&arguments.run, asked, watched(&arguments.only), limits)?,
        build: arguments.build.clone(),
        init: arguments.init.clone(),
        libm_ulps: arguments.libm_ulps,
        function_time: arguments.function_time,
        whole_space: arguments.max_work.unwrap_or(WHOLE_SPACE).min(WHOLE_SPACE),
        jobs: usize::try_from(arguments.jobs).unwrap_or(1),
    })
}

fn subject(arguments: &ExceptionsArgs) -> Result<Subject> {
    match (&arguments.file, &arguments.run.database) {
        (Some(_), _) if !arguments.entry.is_empty() => {
            bail!("--entry names functions of a library: give -p without a FILE, or -f with one")
        }
        (Some(file), _) => Ok(Subject::Source(file.clone())),
        (None, Some(_)) if arguments.run.function.is_some() => {
            bail!("-f names the function of a FILE; for a library give --entry")
        }
        (None, Some(database)) => Ok(Subject::Library { database: database.clone(), entries: arguments.entry.clone() }),
        (None, None) => bail!("exceptions needs a FILE, or a library with -p; see labrys exceptions --help"),
    }
}

fn watched(only: &[Exception]) -> Flags {
    if only.is_empty() {
        return Flags::NOTABLE;
    }
    only.iter().fold(Flags::empty(), |flags, exception| {
        flags
            | match exception {
                Exception::Divbyzero => Flags::DIVBYZERO,
                Exception::Invalid => Flags::INVALID,
                Exception::Overflow => Flags::OVERFLOW,
                Exception::Underflow => Flags::UNDERFLOW,
                Exception::Inexact => Flags::INEXACT,
            }
    })
}
