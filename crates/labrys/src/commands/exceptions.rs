//! `labrys exceptions`: resolves the arguments, runs the analysis, writes what it found.

use std::time::Duration;

use anyhow::Result;
use labrys_analysis::Subject;
use labrys_analysis::exceptions::{Request, exceptions};
use labrys_float::Flags;

use super::known::analyse;
use super::run_options::{Asked, RunLimits, build_request, run_options};
use crate::args::{Exception, ExceptionsArgs};

/// How long one function is analysed where the user does not say.
const FUNCTION_TIME: Duration = Duration::from_secs(120);

/// Inputs that are run for each function where the user does not say.
const MAX_WORK: u64 = 100_000;
/// A search domain of at most so many inputs is run whole.
const WHOLE_SPACE: u64 = 1 << 20;

/// Runs the command; its exit code.
pub fn run(arguments: &ExceptionsArgs) -> Result<u8> {
    run_resolved(arguments, &resolve(arguments, Asked::by_user())?)
}

/// Runs a request of these arguments; the exit code.
pub fn run_resolved(arguments: &ExceptionsArgs, request: &Request) -> Result<u8> {
    analyse(&arguments.build.run, (&arguments.build.known).into(), request.run.time, |meter| exceptions(request, meter))
}

/// Fills in every default.
pub fn resolve(arguments: &ExceptionsArgs, asked: Asked) -> Result<Request> {
    let build = build_request(&arguments.build, "exceptions")?;
    let time = arguments.time.or(matches!(build.subject, Subject::Source(_)).then_some(FUNCTION_TIME));
    let limits = RunLimits { time, max_work: arguments.max_work.unwrap_or(MAX_WORK) };
    Ok(Request {
        build,
        run: run_options(&arguments.build.run, asked, watched(&arguments.only), limits)?,
        libm_ulps: arguments.libm_ulps,
        whole_space: arguments.max_work.unwrap_or(WHOLE_SPACE).min(WHOLE_SPACE),
        split: arguments.split,
        schedule: (&arguments.build.schedule).into(),
    })
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
