//! The report as SARIF 2.1.0 (Static Analysis Results Interchange Format, OASIS), for editors and code-scanning services.
//!
//! Rules are the severities of divergences, or the exceptions, whose effects are the results' levels. Each finding is a
//! result with its sites as locations, a code flow with a thread flow for each build's trace, and a fingerprint that other lines do not change;
//! where there is a baseline, with whether that has it. Of a library what results have in common stands once. Timing is left out, so that equal runs give equal bytes.

mod location;
mod log;
mod result;
mod rules;
mod shared;

pub use log::sarif;
pub(crate) use rules::{level, rule_of};
