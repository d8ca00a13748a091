//! What a finding of `exceptions` says.

use labrys_float::Flags;
use serde::{Deserialize, Serialize};

use super::reach::{NotSeen, Route};
use crate::{SiteKey, Verdict, exceptions};

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
    /// For overflow whether its true value is finite, for underflow whether it is a normal number (after Barr, Vo, Le, Su, POPL 2013, section 6.4).
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
