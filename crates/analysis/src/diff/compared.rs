//! What the comparison of one function comes to.

use std::time::Duration;

use labrys_report::{Contradiction, Counts, Finding, Startup, Status};
use serde::{Deserialize, Serialize};

use super::judge::Nearby;
use super::ledger::Ledger;
use super::solving::Solving;
use crate::run::clock::Stop;

/// What the comparison of a function came to: what a library run keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// Whether a limit ended it before its work was done.
    pub status: Status,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
    /// Remarks.
    pub notes: Vec<String>,
    /// What the solver over the floats proved of the IR, a sentence each; nothing where there are findings.
    #[serde(default)]
    pub proofs: Vec<String>,
    /// Proofs that somebody contradicted.
    pub contradictions: Vec<Contradiction>,
    /// What was done.
    pub counts: Counts,
    /// The control register that each build starts with.
    pub startup: Vec<Startup>,
    /// Wall-clock times. Differ from run to run.
    pub times: Times,
}

/// How long each stage took.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Times {
    /// From the start of the run until everything was built.
    pub built: Duration,
    /// Solving, which runs beside the first search.
    pub solving: Duration,
    /// Searching.
    pub searching: Duration,
    /// Shrinking and confirming.
    #[serde(default)]
    pub confirming: Duration,
}

/// What the stages came to.
pub struct Facts<'a> {
    /// Why the search ended early; running out of work is how a complete one ends.
    pub stop: Option<Stop>,
    /// What solving came to.
    pub solved: &'a Solving,
    /// What the neighbourhoods of the solver's inputs hold.
    pub nearby: Nearby,
    /// The divergences.
    pub ledger: &'a Ledger,
    /// Inputs run.
    pub inputs: u64,
    /// Of these, inputs for which the baseline did not return; panics are not among them.
    pub abnormal: u64,
    /// Inputs on which builds differ in what hangs on lanes or memory that nobody wrote.
    pub unsteady: u64,
    /// Inputs that would show something new, were it not for an access outside of the function's memory.
    pub undefined: u64,
    /// What the plain sampler found, and how many inputs it ran.
    pub random: Option<(Ledger, u64)>,
}
