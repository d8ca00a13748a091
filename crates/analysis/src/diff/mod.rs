//! `diff`: inputs on which two builds of a function behave differently.
//!
//! 1. Build the shared objects that run and the IR that is analysed (`builds`).
//! 2. Run inputs on all builds, explore and solve beside it, group, shrink and confirm what differs (`function` has the stages).
//! 3. For a library, do so for each function, resumably (`library`).
//! 4. Report (`write_up`).
//!
//! After the method of E. T. Barr, T. Vo, V. Le, Z. Su, "Automatic Detection of Floating-Point Exceptions", POPL 2013,
//! section 3, applied to two programs at once.

mod asked;
mod blame;
mod branches;
mod builds;
mod candidates;
mod cause;
mod classes;
mod compare;
mod compared;
mod conditions;
mod confirmed;
mod counterparts;
mod distill;
mod event_order;
mod exact;
mod findings;
mod float_queries;
mod flow;
mod function;
mod judge;
mod ledger;
mod library;
mod observers;
mod parts;
mod replay;
mod reproduce;
mod request;
mod safe_flags;
mod shared;
mod signatures;
mod simplest;
mod solving;
mod split;
mod summary;
mod tested;
mod truths;
mod write_up;

pub use blame::{Answer, blame, enter};
pub use replay::holds;
pub use request::{Request, StartupChoice, Subject};

pub(crate) use tested::{TestedBuilds, tested};

use crate::library::campaign::Outcome;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::{AnalysisError, Done, Progress};

/// Of the time of a run that looks for parts of the flags, the hundredths that the variant has itself.
const FIRST_SHARE: u32 = 25;

/// Compares the builds of a request.
///
/// # Errors
///
/// What keeps the comparison from being made at all: see [`AnalysisError`].
pub fn diff(request: &Request, progress: &dyn Progress) -> Result<Outcome, AnalysisError> {
    let clock = Clock::start(request.run.time);
    let folder = temporary_folder()?;
    if request.safe_flags.is_some() {
        safe_flags::check(request)?;
    }
    if let Subject::Project { database, entries } = &request.subject {
        return library::run(request, (database, entries), folder.path(), &clock, progress);
    }
    progress.phase("building");
    let (glued, prepared) = match builds::prepare_drivable(request, folder.path(), &clock) {
        Err(error) if error.is_time_up() && clock.may_have_ended_it() => {
            return Ok(Done::cut_short(write_up::empty_report(request, &clock), "the builds were").into());
        }
        prepared => prepared?,
    };
    let request = &glued;
    let Some(severity) = request.safe_flags else {
        let compared = function::compare_builds(request, &prepared, &clock, progress)?;
        return Ok(write_up::report(request, &prepared, compared, &clock).into());
    };
    let compared = function::compare_builds(request, &prepared, &clock.share(FIRST_SHARE), progress)?;
    progress.phase("trying parts of the flags");
    let (safe_flags, speeds) = safe_flags::safe_flags(request, (&prepared, &compared), severity, &clock, progress)?;
    let mut done = write_up::report(request, &prepared, compared, &clock);
    done.report.safe_flags = Some(safe_flags);
    done.report.timing.more.extend(speeds);
    Ok(done.into())
}
