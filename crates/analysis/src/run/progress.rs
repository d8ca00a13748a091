//! What a run tells while it works. Nothing here reaches the report.

use std::time::Duration;

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Conditions decided so far.
    pub conditions_decided: usize,
    /// Conditions in all.
    pub conditions: usize,
    /// Of a run over a library: functions done so far, those of earlier runs left out.
    pub functions_done: usize,
    /// Of a run over a library: functions to be done.
    pub functions: usize,
    /// Inputs run on all builds.
    pub inputs: u64,
    /// Inputs that will be run.
    pub planned_inputs: u64,
    /// Distinct divergences so far.
    pub divergences: usize,
    /// Of the execution of a program: paths that have ended.
    pub paths: u64,
    /// Paths that wait.
    pub paths_waiting: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Branches and the like that tests cover so far.
    pub covered: u64,
    /// How many of these there are.
    pub features: u64,
    /// How long the solver took.
    pub solving: Duration,
}

/// A listener. Calls are frequent: it must be quick.
pub trait Progress: Sync {
    /// A new phase begins.
    fn phase(&self, name: &str);
    /// This thread has no phase any more, though the run goes on.
    fn phase_ends(&self) {}
    /// Something moved.
    fn update(&self, snapshot: &Snapshot);
    /// Whether somebody wants to be told of findings before the report: what is told was confirmed, and may be told better later.
    fn listens(&self) -> bool {
        false
    }
    /// A finding was confirmed: how bad it is, and a sentence.
    fn found(&self, _severity: &str, _summary: &str) {}
    /// Whether the user asked to stop.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn phase(&self, _name: &str) {}
    fn update(&self, _snapshot: &Snapshot) {}
}
