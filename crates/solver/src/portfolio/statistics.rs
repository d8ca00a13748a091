//! What deciding a query took.

use std::time::{Duration, Instant};

/// Phases and counters of one query.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The engine that answered; `None` where preparation or propagation did, or nobody.
    pub decided_by: Option<&'static str>,
    /// Wall-clock time of each phase, in order.
    pub phases: Vec<(&'static str, Duration)>,
    /// Counters of the engines: engine, name, count.
    pub counters: Vec<(&'static str, &'static str, u64)>,
}

impl Statistics {
    /// Runs a phase and remembers how long it took.
    pub(super) fn phase<T>(&mut self, name: &'static str, run: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = run();
        self.phases.push((name, begun.elapsed()));
        result
    }
}
