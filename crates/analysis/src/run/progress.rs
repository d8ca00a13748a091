//! What a run tells while it works. Nothing here reaches the report.

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
