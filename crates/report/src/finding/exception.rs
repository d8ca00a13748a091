//! What a finding of `exceptions` says.

use labrys_float::Flags;
use serde::{Deserialize, Serialize};

use crate::{SiteKey, Value, Verdict, exceptions};

/// A public function from which an exception still occurs, with its own checks in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// The function.
    pub entry: String,
    /// The calls from it to the site's function, both included.
    pub chain: Vec<String>,
    /// The witness for that function.
    pub inputs: Vec<Value>,
}

/// A public function that leads to a site, by some chain of calls, and was not seen to raise the exception there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotSeen {
    /// The function.
    pub entry: String,
    /// The calls from it to the site's function, both included.
    pub chain: Vec<String>,
    /// What is known: a proof that it does not occur, or why nothing is.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What a finding of the exceptions analysis says beyond its witness and observation; its effect is the finding's severity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExceptionDetails {
    /// Where it occurs.
    pub site: SiteKey,
    /// What occurs: exactly one exception.
    #[serde(with = "exceptions::one")]
    pub exception: Flags,
    /// The output that its effect is told of, where the function has others: `r.val`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// How far that output is from the true one in ulps, where both are finite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_ulps: Option<f64>,
    /// Its true value, as decimals: the same operations in arbitrary precision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_result: Option<String>,
    /// For overflow and underflow, whether its true value is a normal number (Barr, Vo, Le, Su, POPL 2013, section 6.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avoidable: Option<bool>,
    /// Public functions from which it occurs. Empty: none is known.
    pub reachable_from: Vec<Route>,
    /// For a static function, public functions from which it was not observed: those with the shortest chains of calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_seen_from: Vec<NotSeen>,
    /// The proof that it occurs only where the static function is called directly, not through any function that others can call:
    /// [`Verdict::Unreachable`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_direct: Option<Verdict>,
}
