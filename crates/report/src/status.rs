//! How far a run came.

use serde::{Deserialize, Serialize};

/// Whether the planned work was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All of it.
    #[default]
    Complete,
    /// A limit on time, or an interrupt, cut it short.
    Limit,
    /// None of it: of a function that could not be analysed, why is its failure; of a run, a note says why nothing was compared.
    Failed,
}
