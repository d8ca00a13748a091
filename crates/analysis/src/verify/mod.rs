//! `verify`: whole programs executed symbolically; what goes wrong is confirmed natively, what cannot is proved.
//!
//! 1. Compile and link the program (`building`).
//! 2. Ask value ranges whether anything can go wrong at all (`by_ranges`); where that is open, or tests are asked for, follow its paths (`engine`).
//!    Beside them a proof by induction over loops is looked for, then what goes wrong on paths of another order (`beside`): what decides the program ends
//!    that.
//! 3. Run what they found natively, under sanitizers (`replaying`), and compare (`agreement`).
//! 4. Conclude (`conclusion`) and report (`findings`, `write_up`, `witness`, `tests`).
//!
//! **Claim.** `violated` is said only where a native run showed the same error at the same line; `holds` only where every path
//! was followed to its end and every check on it was decided, or where ranges exclude every error, or an induction does. **Argument.** `agreement` and `conclusion` are the only
//! places that say so, and each says no unless every condition for it is there: whatever is new and unknown to them ends as `unknown`.
//!
//! After D. Liew, D. Schemmel, C. Cadar, A. F. Donaldson, R. Zähl, K. Wehrle, "Floating-Point Symbolic Execution: A Case Study
//! in N-Version Programming", ASE 2017.

mod agreement;
mod beside;
mod building;
mod by_ranges;
mod calling;
mod conclusion;
mod engine;
mod findings;
mod given;
mod invariants;
mod property;
mod replaying;
mod reproduce;
mod request;
mod tested;
mod tests;
mod witness;
mod write_up;

pub use engine::{Engine, Executor};
pub use given::{GivenInput, run_given};
pub use property::{Property, PropertyError};
pub use replaying::holds;
pub use request::Request;

pub(crate) use replaying::input_of;
pub(crate) use tested::{Tested, Way};

use std::time::Duration;

use labrys_executor::{Options, Outcome, Proof};
use labrys_interp::Facts;
use labrys_report::ProgramVerdict;

use conclusion::Proved;

use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::whole::answers::kept_answers;
use crate::whole::watching::{mark_interrupted, watched};
use crate::{AnalysisError, Done, Progress};

/// How long anything may take where the user sets no limit.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The part of the time, in hundredths, that building and following paths may take; the rest is for native runs.
const EXECUTION_SHARE: u32 = 85;

/// Verifies what a request asks for.
///
/// # Errors
///
/// What keeps the program from being executed at all: see [`AnalysisError`].
pub fn verify(request: &Request, progress: &dyn Progress) -> Result<Done, AnalysisError> {
    verify_with(request, &Executor, progress)
}

/// As [`verify`], by another engine: for tests.
///
/// # Errors
///
/// As [`verify`].
pub fn verify_with(request: &Request, engine: &dyn Engine, progress: &dyn Progress) -> Result<Done, AnalysisError> {
    let clock = Clock::start(request.time);
    let folder = temporary_folder()?;
    progress.phase("building");
    let built = match building::build(request, folder.path(), &clock) {
        Err(error) if error.is_time_up() && clock.may_have_ended_it() => {
            return Ok(Done::cut_short(write_up::empty_report(request, &clock), "the program was"));
        }
        built => built?,
    };
    progress.phase("looking at value ranges");
    let (is_proved, facts) = match by_ranges::proved(request, &built, &clock) {
        Ok(()) => (true, Facts::default()),
        Err(open) => (false, open.facts),
    };
    progress.phase("following paths");
    let answers = kept_answers(request.output.as_deref())?;
    let time = clock.share(EXECUTION_SHARE);
    let mut replayer = replaying::Replayer::new(request, &built, folder.path(), &clock);
    let (outcome, proof) = match is_proved && request.tests.is_none() {
        true => (by_ranges::no_paths(&built), Err(None)),
        false => watched(progress, (&time, request.memory_mib), |watch| {
            let answers = answers.clone().map(|all| all as _);
            let options = Options { answers, facts, ..request.options(&built, &time, watch.clone()) };
            let program = &built.whole.program;
            let mut follow = || replayer.while_executing(&watch, || engine.execute(program, &options));
            // Where all paths are to be followed, or some rounds only, nothing is gained by it.
            match is_proved || request.tests.is_some() || request.loop_bound.is_some() {
                true => (follow(), Err(None)),
                false => beside::beside(program, &options, &watch, follow),
            }
        }),
    };
    let (outcome, proof) = match (is_proved, proof) {
        (true, _) => (outcome, Proved::ByRanges),
        (false, Ok(Proof { loops, paths, exclusions, assumptions, instructions })) => {
            let outcome = Outcome { paths, exclusions, assumptions, instructions, ..Outcome::default() };
            (outcome, Proved::ByInduction(loops))
        }
        (false, Err(why)) => (outcome, Proved::No(why)),
    };
    progress.phase("running what was found natively");
    let confirmed = replaying::confirm_all(request, &outcome, &mut replayer, progress);
    let conclusion = conclusion::conclude(request, &built, (&outcome, &proof), &confirmed);
    let mut done = write_up::report(request, &built, &outcome, confirmed, conclusion, &mut replayer, &clock);
    if let (Proved::No(Some(why)), Some(ProgramVerdict::Unknown)) =
        (&proof, done.report.verification.as_ref().map(|of| of.verdict))
    {
        done.report.notes.push(format!("no proof by induction over loops: {why}"));
    }
    done.report.notes.extend(answers.and_then(|answers| answers.finish()));
    Ok(mark_interrupted(done, progress))
}
