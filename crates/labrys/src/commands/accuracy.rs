//! `labrys accuracy`: resolves the arguments, runs the analysis, writes what it found.

use std::time::Duration;

use anyhow::{Result, bail};
use labrys_analysis::Subject;
use labrys_analysis::accuracy::{Metric, ReferenceRequest, Request, accuracy};
use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_program::FloatType;

use super::known::analyse;
use super::run_options::{Asked, RunLimits, build_request, run_options};
use crate::args::{AccuracyArgs, Emitted, Grid, Measure};

/// How long one function is analysed where the user does not say.
const FUNCTION_TIME: Duration = Duration::from_secs(60);
/// Inputs that are run for each function where the user does not say.
const MAX_WORK: u64 = 1_000_000;

/// Runs the command; its exit code.
pub fn run(arguments: &AccuracyArgs) -> Result<u8> {
    run_resolved(arguments, &resolve(arguments, Asked::by_user())?)
}

/// Runs a request of these arguments; the exit code.
pub fn run_resolved(arguments: &AccuracyArgs, request: &Request) -> Result<u8> {
    analyse(&arguments.build.run, (&arguments.build.known).into(), request.run.time, |meter| accuracy(request, meter))
}

/// Fills in every default.
pub fn resolve(arguments: &AccuracyArgs, asked: Asked) -> Result<Request> {
    let build = build_request(&arguments.build, "accuracy")?;
    let time = arguments.time.or(matches!(build.subject, Subject::Source(_)).then_some(FUNCTION_TIME));
    let limits = RunLimits { time, max_work: arguments.max_work.unwrap_or(MAX_WORK) };
    let mut run = run_options(&arguments.build.run, asked, Flags::NOTABLE, limits)?;
    // What a function makes of infinities and NaNs has no error.
    run.inputs = InputClass::Finite;
    Ok(Request {
        build,
        run,
        metric: metric(arguments)?,
        grid: arguments.grid.map(|grid| match grid {
            Grid::Binary16 => FloatType::F16,
            Grid::Binary32 => FloatType::F32,
        }),
        references: arguments.reference.iter().map(|text| ReferenceRequest::parse(text)).collect::<Result<_, _>>()?,
        proves_bounds: arguments.bound,
        compare_random: arguments.compare_random,
        emits_fpcore: arguments.emit == Some(Emitted::Fpcore),
        libm_ulps: arguments.libm_ulps,
        schedule: (&arguments.build.schedule).into(),
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
