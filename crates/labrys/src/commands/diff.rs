//! `labrys diff`: resolves the arguments, runs the analysis, writes what it found.

use std::time::Duration;

use anyhow::{Result, bail};
use labrys_analysis::diff::{Request, StartupChoice, Subject, diff};
use labrys_float::Flags;

use super::known::{KnownFiles, analyse};
use super::run_options::{Asked, RunLimits, run_options};
use labrys_report::Severity;

use crate::args::{Compare, DiffArgs, Divergence, Startup};

/// How long a run may take where the user says nothing of time or work.
const DEFAULT_TIME: Duration = Duration::from_secs(60);
/// The same of a run that tries parts of the flags, each of which is searched.
const SAFE_FLAGS_TIME: Duration = Duration::from_secs(300);
/// How many inputs are run where the user does not say.
const DEFAULT_WORK: u64 = 200_000;

/// Runs the command; its exit code.
pub fn run(arguments: &DiffArgs) -> Result<u8> {
    run_resolved(arguments, &resolve(arguments, Asked::by_user())?)
}

/// Runs a request of these arguments; the exit code.
pub fn run_resolved(arguments: &DiffArgs, request: &Request) -> Result<u8> {
    if arguments.schedule.shard.is_some() && !matches!(request.subject, Subject::Project { .. }) {
        bail!("--shard is for a run over a library: -p without a FILE");
    }
    let known = KnownFiles { read: arguments.known.as_deref(), write: arguments.write_known.as_deref() };
    analyse(&arguments.run, known, request.run.time, |meter| diff(request, meter))
}

/// Fills in every default.
pub fn resolve(arguments: &DiffArgs, asked: Asked) -> Result<Request> {
    let watched = if arguments.inexact { Flags::NOTABLE | Flags::INEXACT } else { Flags::NOTABLE };
    // Work alone, where that is what the user limits: such runs repeat.
    let subject = subject(arguments)?;
    let is_limited = arguments.max_work.is_some() || matches!(subject, Subject::Project { .. });
    let default = if arguments.safe_flags.is_some() { SAFE_FLAGS_TIME } else { DEFAULT_TIME };
    let time = arguments.time.or((!is_limited).then_some(default));
    let limits = RunLimits { time, max_work: arguments.max_work.unwrap_or(DEFAULT_WORK) };
    Ok(Request {
        subject,
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
        init: arguments.init.clone(),
        schedule: (&arguments.schedule).into(),
        blames: !arguments.no_blame,
        safe_flags: arguments.safe_flags.map(|severity| match severity {
            Divergence::Introduced => Severity::Introduced,
            Divergence::Masked => Severity::Masked,
            Divergence::Underflow => Severity::Underflow,
            Divergence::Ulps => Severity::Ulps,
        }),
        compare_random: arguments.compare_random,
    })
}

fn subject(arguments: &DiffArgs) -> Result<Subject> {
    match (&arguments.baseline_lib, arguments.files.as_slice()) {
        (Some(baseline), _) => {
            Ok(Subject::Libraries { baseline: baseline.clone(), variants: arguments.variant_lib.clone() })
        }
        (_, files) if !arguments.entry.is_empty() && (!files.is_empty() || arguments.run.database.is_none()) => {
            bail!("--entry names functions of a library: give -p without a FILE, or -f with one")
        }
        (None, []) if arguments.run.database.is_some() && arguments.run.function.is_some() => {
            bail!("-f names the function of a FILE; for a library give --entry")
        }
        (None, [source]) => Ok(Subject::Source(source.clone())),
        (None, [old, new]) => Ok(Subject::Pair(old.clone(), new.clone())),
        (None, []) => match &arguments.run.database {
            Some(database) => Ok(Subject::Project { database: database.clone(), entries: arguments.entry.clone() }),
            None => bail!(
                "diff needs a FILE, a library with -p, or --baseline-lib and --variant-lib; see labrys diff --help"
            ),
        },
        (None, _) => bail!("diff takes one FILE or two, not {}", arguments.files.len()),
    }
}
