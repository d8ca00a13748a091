//! Proofs without paths: what value ranges say of the whole program.

use std::time::Duration;

use labrys_executor::{Outcome, reliance, verifier_call};
use labrys_ranges::{Checked, prove};
use tracing::debug;

use super::building::BuiltProgram;
use super::property::Property;
use super::request::Request;
use crate::run::LOG;
use crate::run::clock::Clock;

/// What ranges may take before paths are followed: a part of the time in hundredths, and never more than some seconds.
const SHARE: u32 = 10;
const LONGEST: Duration = Duration::from_secs(5);

/// Whether value ranges show that no run of the program violates what is asked about.
pub(super) fn is_proved(request: &Request, built: &BuiltProgram, clock: &Clock) -> bool {
    // Where an index leaves its row ranges do not see.
    if request.properties.contains(&Property::Bounds) {
        return false;
    }
    let checked = Checked { signed_overflow: request.properties.contains(&Property::SignedOverflow) };
    let deadline = clock.share(SHARE).deadline(LONGEST);
    let found = prove(&built.whole.program, built.whole.entry, &verifier_call, checked, Some(deadline));
    match &found {
        Ok(()) => debug!(target: LOG, "value ranges prove the program"),
        Err(why) => debug!(target: LOG, "value ranges do not prove the program: {why}"),
    }
    found.is_ok()
}

/// What following paths comes to where none had to be followed.
pub(super) fn no_paths(built: &BuiltProgram) -> Outcome {
    Outcome { assumptions: reliance(&built.whole.program, built.whole.entry), ..Outcome::default() }
}
