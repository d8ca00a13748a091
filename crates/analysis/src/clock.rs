//! The limits of a run.

use std::time::{Duration, Instant};

use crate::Progress;

/// Why a run ended before the work it planned was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The work limit: this is how a complete run ends.
    Work,
    /// The time limit.
    Time,
    /// The user.
    Interrupted,
}

/// When a run began and when it must end.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    begun: Instant,
    deadline: Option<Instant>,
}

impl Clock {
    /// A clock that starts now.
    pub fn start(limit: Option<Duration>) -> Clock {
        let begun = Instant::now();
        Clock { begun, deadline: limit.and_then(|limit| begun.checked_add(limit)) }
    }

    /// The same clock with only a part of the time, in hundredths: what comes later needs the rest.
    pub fn share(&self, hundredths: u32) -> Clock {
        let part = |deadline: Instant| self.begun + deadline.saturating_duration_since(self.begun) * hundredths / 100;
        Clock { begun: self.begun, deadline: self.deadline.map(part) }
    }

    /// When everything must have ended, if there is a limit.
    pub fn limit(&self) -> Option<Instant> {
        self.deadline
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// When everything must have ended, or `longest` from now, whichever is sooner.
    pub fn deadline(&self, longest: Duration) -> Instant {
        let backstop = Instant::now() + longest;
        self.deadline.map_or(backstop, |deadline| deadline.min(backstop))
    }

    /// Whether the user's limit has passed.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether to stop now.
    pub fn stop(&self, progress: &dyn Progress) -> Option<Stop> {
        if progress.interrupted() {
            return Some(Stop::Interrupted);
        }
        self.is_over().then_some(Stop::Time)
    }
}
