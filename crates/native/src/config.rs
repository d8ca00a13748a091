//! What a worker runs and how, and what that may cost.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use labrys_program::Signature;

use crate::shared::MAX_EVENTS;
use crate::{Driver, Filling, Startup};

/// Wall-clock time per unit of processor time that a call may take: waiting for a busy processor is not hanging.
pub const PATIENCE: u64 = 4;

/// How traces are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracing {
    /// By traps, and by single steps where traps do not tell the whole story.
    #[default]
    TrapThenStep,
    /// By single steps only.
    Step,
}

/// What the code under test may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerLimits {
    /// Wall-clock time of one call.
    pub call: Duration,
    /// Wall-clock time of one traced call.
    pub traced_call: Duration,
    /// Wall-clock time of loading the build, its start-up code included.
    pub load: Duration,
    /// Events of one call that are traced at most, up to 10,000; what the call raises after them is not looked at. Each costs
    /// some ten microseconds, and a loop that computes with NaN has thousands.
    pub events: usize,
    /// Memory beyond what the loaded process maps, in mebibytes.
    pub memory_mib: u64,
    /// When all calls must have ended, whatever their number; none by default.
    pub deadline: Option<Instant>,
}

impl Default for WorkerLimits {
    /// One second a call, twenty traced with as many events as there is room for, thirty for loading, 1 GiB.
    fn default() -> WorkerLimits {
        WorkerLimits {
            call: Duration::from_secs(1),
            traced_call: Duration::from_secs(20),
            events: MAX_EVENTS,
            load: Duration::from_secs(30),
            memory_mib: 1024,
            deadline: None,
        }
    }
}

/// What a worker runs and how.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// The program that runs [`crate::worker_main`], with the arguments that lead there.
    pub command: Vec<OsString>,
    /// The build's shared object.
    pub library: PathBuf,
    /// The function's signature; its symbol is what is called, unless there is an address.
    pub signature: Signature,
    /// The function's address in the library, for one whose symbol others share, as static functions may.
    pub address: Option<u64>,
    /// The symbol of a function without parameters that is called once when the library has been loaded, before anything
    /// else: it may set what the function under test depends on. Its result is ignored, which must not be a struct.
    pub init: Option<String>,
    /// Whether a library with symbols that nobody defines is loaded all the same: a call of one ends the process that makes
    /// it, which is an observation. Otherwise it is not loaded, and the error names the symbol.
    pub binds_lazily: bool,
    /// The driver loop compiled for the signature.
    pub driver: Driver,
    /// The control registers to start with.
    pub startup: Startup,
    /// What stands where nobody wrote: in vector lanes that no argument occupies, in the stack, in new heap memory.
    pub filling: Filling,
    /// How traces are made.
    pub tracing: Tracing,
    /// Limits.
    pub limits: WorkerLimits,
}
