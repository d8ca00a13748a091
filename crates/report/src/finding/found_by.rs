//! Who found a finding.

use serde::{Deserialize, Serialize};

/// Who found the first input of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// A solver's model, rounded to the floats.
    Solver,
    /// A model of the condition that a sum loses bits and a later one cancels.
    Cancellation,
    /// A model of the condition that an operation amplifies what was rounded.
    Amplification,
    /// A neighbour of a solver's model.
    Neighbourhood,
    /// Mutation under feedback, or a special value.
    Guided,
    /// A plain sampler.
    Random,
    /// All inputs were run.
    Enumeration,
    /// The user gave it.
    Given,
}

impl FoundBy {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FoundBy::Solver => "solver",
            FoundBy::Cancellation => "cancellation",
            FoundBy::Amplification => "amplification",
            FoundBy::Neighbourhood => "neighbourhood",
            FoundBy::Guided => "guided",
            FoundBy::Random => "random",
            FoundBy::Enumeration => "enumeration",
            FoundBy::Given => "given",
        }
    }
}
