//! Proofs without paths: what value ranges say of the whole program.

use std::time::Duration;

use labrys_executor::{Outcome, reliance, verifier_call};
use labrys_ranges::{Checked, Open, prove};
use tracing::debug;

use super::building::BuiltProgram;
use super::property::Property;
use super::request::Request;
use crate::run::LOG;
use crate::run::clock::Clock;

/// What ranges may take before paths are followed: a part of the time in hundredths, and never more than some seconds.
const SHARE: u32 = 10;
const LONGEST: Duration = Duration::from_secs(5);

/// Shows by value ranges that no run of the program violates what is asked about.
///
/// # Errors
///
/// What is known of the program otherwise.
pub(super) fn proved(request: &Request, built: &BuiltProgram, clock: &Clock) -> Result<(), Open> {
    // Where an index leaves its row ranges do not see.
    if request.properties.contains(&Property::Bounds) {
        return Err(Open::default());
    }
    let checked = Checked { signed_overflow: request.properties.contains(&Property::SignedOverflow) };
    let deadline = clock.share(SHARE).deadline(LONGEST);
    let found = prove(&built.whole.program, built.whole.entry, &verifier_call, checked, Some(deadline));
    match &found {
        Ok(()) => debug!(target: LOG, "value ranges prove the program"),
        Err(Open { why, facts }) => {
            let (unreached, safe) = (facts.unreached.len(), facts.safe.len());
            debug!(target: LOG, unreached, safe, "value ranges do not prove the program: {why}");
        }
    }
    found
}

/// What following paths comes to where none had to be followed.
pub(super) fn no_paths(built: &BuiltProgram) -> Outcome {
    Outcome { assumptions: reliance(&built.whole.program, built.whole.entry), ..Outcome::default() }
}
