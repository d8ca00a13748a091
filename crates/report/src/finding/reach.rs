//! From where a finding can happen: what is said of the public functions that lead to its function.

use serde::{Deserialize, Serialize};

use crate::{Value, Verdict};

/// A public function from which a finding still occurs, with its own checks in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// The function, by its name in the report's list of functions.
    pub entry: String,
    /// The calls from it to the finding's function, both included.
    pub chain: Vec<String>,
    /// The witness for that function.
    pub inputs: Vec<Value>,
}

/// A public function that leads to a finding's function, by some chain of calls, and was not seen to show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotSeen {
    /// The function.
    pub entry: String,
    /// The calls from it to the finding's function, both included.
    pub chain: Vec<String>,
    /// What is known: a proof that it does not occur, or why nothing is.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What is known of the callers of a function that only others of its library can call. Of exceptions it stands in their own members.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// Public functions that show the same cause. Empty: none is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reachable_from: Vec<Route>,
    /// Public functions that were not seen to: those that come to it through no other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_seen_from: Vec<NotSeen>,
    /// The proof that no function which others can call passes such arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_direct: Option<Verdict>,
}
