//! What the log is told of queries: how large they were, who was asked, what was answered and what that took.
//!
//! Costs a look at a flag for each query where nobody reads it.

use std::fmt;
use std::time::Instant;

use labrys_term::{Store, TermId};
use tracing::debug;

use crate::Limits;
use crate::portfolio::Statistics;

/// The name of this crate in the log.
pub(crate) const LOG: &str = "solver";

/// Tells of a query that a process answered.
pub(crate) fn by_process(
    solver: &dyn fmt::Display,
    (store, terms): (&Store, &[TermId]),
    limits: &Limits,
    begun: Instant,
    answer: &dyn fmt::Display,
) {
    debug!(
        target: LOG,
        %solver,
        assertions = terms.len(),
        terms = store.reachable(terms).len(),
        work = limits.work,
        seconds = begun.elapsed().as_secs_f64(),
        "{answer}"
    );
}

/// Tells of a query that the portfolio answered. Preparation and propagation are among its phases.
pub(crate) fn by_portfolio(
    (store, terms): (&Store, &[TermId]),
    limits: &Limits,
    begun: Instant,
    (answer, statistics): (&dyn fmt::Display, &Statistics),
) {
    debug!(
        target: LOG,
        solver = "portfolio",
        assertions = terms.len(),
        terms = store.reachable(terms).len(),
        work = limits.work,
        seconds = begun.elapsed().as_secs_f64(),
        by = statistics.decided_by.unwrap_or("no engine"),
        phases = %Phases(statistics),
        "{answer}"
    );
}

/// Phases with their seconds: `prepare 0.001, propagate 0.000, local 0.012`.
struct Phases<'a>(&'a Statistics);

impl fmt::Display for Phases<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, took)) in self.0.phases.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name} {:.3}", took.as_secs_f64())?;
        }
        Ok(())
    }
}
