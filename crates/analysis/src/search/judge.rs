//! What an analysis makes of inputs.

use std::time::{Duration, Instant};

use labrys_fuzz::Corpus;
use labrys_native::Outcome;
use labrys_report::FoundBy;

use crate::AnalysisError;

/// What one input showed.
#[derive(Clone, Debug)]
pub struct Seen {
    /// How its call ended.
    pub outcome: Outcome,
    /// How the program behaved: inputs that behave differently have boundaries between them.
    pub behaviour: u64,
    /// Of what signs and classes its results are: between two kinds lies a root, a pole or a jump.
    pub results: u64,
    /// How much there is of what is looked for; zero where there is nothing to climb.
    pub score: f64,
}

/// What an analysis makes of inputs.
pub trait Judge {
    /// Runs inputs, keeps what they show, and offers the corpus those that showed something new. Fewer than there were inputs where
    /// the deadline left no time.
    ///
    /// # Errors
    ///
    /// Where the code under test cannot be kept running.
    fn run(
        &mut self,
        batch: &[Vec<u8>],
        found_by: FoundBy,
        corpus: &mut Corpus<u64>,
    ) -> Result<Vec<Seen>, AnalysisError>;

    /// How many distinct things were found.
    fn found(&self) -> usize;

    /// Whether nothing more is looked for.
    fn is_done(&self) -> bool;

    /// Whether an input costs little more than its call, so that hundreds of thousands can be run.
    fn is_quick(&self) -> bool {
        false
    }

    /// Sets when a batch must have ended.
    fn set_deadline(&mut self, deadline: Option<Instant>);

    /// Sets how long a call may take.
    fn set_call_limit(&mut self, limit: Duration);
}
