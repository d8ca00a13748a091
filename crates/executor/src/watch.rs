//! What a run tells while it goes on, and how it is ended from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Paths that have ended, however they did.
    pub paths: u64,
    /// Paths that wait.
    pub waiting: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Of what is to be covered: how much is, and how much there is.
    pub covered: Option<(u64, u64)>,
    /// How long the solver took.
    pub solving: Duration,
}

/// What whoever executes a program shares with whoever looks on.
#[derive(Debug, Default)]
pub struct Watch {
    is_stopped: AtomicBool,
    moment: Mutex<Moment>,
}

impl Watch {
    /// Has the run end as at a limit: as soon as it looks, after one question to the solver at most.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether it is to end.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// The last moment that the run told of.
    pub fn moment(&self) -> Moment {
        *self.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, moment: Moment) {
        *self.moment.lock().unwrap_or_else(PoisonError::into_inner) = moment;
    }
}
