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
    /// About how many units of z3's `rlimit` take a second.
    ///
    /// Measured with z3 5.4 on queries over the reals: 200,000 to 300,000 on the site conditions of the examples, of which
    /// nearly all need less than 12,000 and the odometer's 40 ms on average; 40,000 to 75,000 where nlsat works on many
    /// polynomials of high degree, as in differential conditions. So half a second is 25,000 to 100,000 units, two seconds
    /// 100,000 to 400,000.
    pub const Z3_WORK_PER_SECOND: u64 = 200_000;
}
