//! The worker of one function's build.

use std::time::Duration;

use labrys_native::{Driver, Filling, Startup, Tracing, WorkerConfig, WorkerLimits};

use crate::observation::observer::Observer;
use crate::run::clock::Clock;
use crate::run::options::RunOptions;
use crate::target::unit::Unit;
use crate::{AnalysisError, TracingChoice};

/// So many calls must fit into a function's time, though none ends before [`SHORTEST_CALL`].
const CALLS: u32 = 500;
/// Processor time that any call may take.
const SHORTEST_CALL: Duration = Duration::from_millis(20);
/// The longest that one traced call may take.
const TRACED_CALL: Duration = Duration::from_secs(2);
/// Events of one call that are traced: what a loop raises again and again teaches nothing.
const TRACED_EVENTS: usize = 256;

/// How long a call of the search may take: a small part of the function's time.
pub fn call_limit(clock: &Clock) -> Duration {
    clock.left().map_or(Duration::MAX, |time| (time / CALLS).max(SHORTEST_CALL))
}

/// Starts the function's worker.
///
/// # Errors
///
/// Where it does not start or the library cannot be loaded.
pub fn start(run: &RunOptions, unit: &Unit, driver: &Driver) -> Result<Observer, AnalysisError> {
    let way = run.tracing.resolved();
    let observer = Observer::start(WorkerConfig {
        command: run.worker.clone(),
        library: unit.library.clone(),
        signature: unit.signature.clone(),
        driver: driver.clone(),
        startup: Startup::Loaded,
        filling: Filling::Zeros,
        tracing: if way == TracingChoice::Step { Tracing::Step } else { Tracing::TrapThenStep },
        limits: WorkerLimits {
            call: run.call_timeout,
            traced_call: TRACED_CALL,
            events: TRACED_EVENTS,
            ..WorkerLimits::default()
        },
        init: unit.init.clone(),
        binds_lazily: unit.address.is_some(),
        address: unit.address,
    });
    let otherwise = match (&run.database, unit.address) {
        (Some(_), None) => format!(", --entry {} without a file takes all sources of -p", unit.name),
        _ => String::new(),
    };
    let observer = observer.map_err(|error| error.of_library("build", &otherwise))?;
    let observer = observer.beginning(run.of_crate.as_ref().map(|of| of.beginning()));
    Ok(match way {
        TracingChoice::Interpreter => observer.interpreting(unit.analysed.as_ref().ok().cloned()),
        _ => observer.looking_again(),
    })
}
