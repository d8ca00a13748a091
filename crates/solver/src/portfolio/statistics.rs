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
    /// Names and values, in a fixed order: who decided, seconds of each phase, counters.
    pub fn lines(&self) -> Vec<(String, String)> {
        let decided = self.decided_by.unwrap_or("preparation");
        let mut lines = vec![("decided by".to_owned(), decided.to_owned())];
        let seconds = |took: &Duration| format!("{:.3}", took.as_secs_f64());
        lines.extend(self.phases.iter().map(|(name, took)| (format!("{name} seconds"), seconds(took))));
        let counters = self.counters.iter();
        lines.extend(counters.map(|(engine, name, count)| {
            let own = name.strip_prefix(engine).map_or(*name, |name| name.trim_start_matches('-'));
            (format!("{engine} {own}"), count.to_string())
        }));
        lines
    }

    /// Runs a phase and remembers how long it took.
    pub(super) fn phase<T>(&mut self, name: &'static str, run: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = run();
        self.phases.push((name, begun.elapsed()));
        result
    }
}
