//! What one query may cost.

use std::time::Duration;

/// Bounds on one query. Work comes first, because it is deterministic; the wall limit is a backstop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work in the engine's own unit (z3: `rlimit`; [`Limits::Z3_WORK_PER_SECOND`] of them take about a second here);
    /// 0 is no limit.
    pub work: u64,
    /// Wall-clock time, printing and reading included. A process that has not answered soon after is killed.
    pub wall: Duration,
    /// Memory in mebibytes; 0 is no limit.
    pub memory_mib: u64,
}

impl Default for Limits {
    /// About half a second of work, backed by ten seconds of wall clock and 2 GiB.
    fn default() -> Limits {
        Limits { work: Limits::Z3_WORK_PER_SECOND / 2, wall: Duration::from_secs(10), memory_mib: 2048 }
    }
}

impl Limits {
    /// z3's `rlimit` units per second.
    pub const Z3_WORK_PER_SECOND: u64 = 200_000;
}
