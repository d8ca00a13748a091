//! Blame for one finding of a report: everything is built again as its command says, and then otherwise.

use labrys_report::Finding;

use super::library::Workplace;
use super::units::Shelf;
use super::{Answer, Answered, Blaming, OfSource, asked, is_promise, library};
use crate::AnalysisError;
use crate::diff::builds;
use crate::diff::compare::Policy;
use crate::diff::library::Versions;
use crate::diff::observers;
use crate::diff::request::{Request, Subject};
use crate::library::build::folder_of_replay;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::run::progress::Progress;

/// Which flags, pass and sources a finding of `function` takes, by trials that are made for as long as the request allows; or why that is not known.
/// What was compared is built again first, however long that takes. What differs first is looked for again, and entered: lines of the source may have moved.
///
/// # Errors
///
/// Where the builds cannot be made, or the function no longer takes these inputs; where nothing is compiled (shared objects), or two files are.
pub fn blame(
    request: &Request,
    function: Option<&str>,
    finding: &mut Finding,
    progress: &dyn Progress,
) -> Result<Answer, AnalysisError> {
    let folder = temporary_folder()?;
    let unlimited = Clock::start(None);
    let answers = match &request.subject {
        Subject::Project { database, entries } => {
            let products = folder_of_replay(&request.run, folder.path());
            let versions = Versions::build(request, (database, entries), &products, &unlimited)?;
            let gone = || AnalysisError::Usage("the report does not say which function the finding is of".to_owned());
            let of = versions.all[0].library.function(function.ok_or_else(gone)?)?;
            let shelf = Shelf::new(folder.path().join("shelf"));
            let clock = Clock::start(request.run.time);
            let trials = folder.path().join("trials");
            let work = Workplace { drivers: folder.path(), trials, shelf: &shelf, locates: true };
            library::of_function(request, &versions, of, &[finding], work, &clock, progress)?
        }
        Subject::Source(_) => {
            let (glued, prepared) = builds::prepare_drivable(request, folder.path(), &unlimited)?;
            let request = &glued;
            let clock = Clock::start(request.run.time);
            let no_maker = || AnalysisError::Usage("a shared object is not made again".to_owned());
            let maker = OfSource::new(request, &clock).ok_or_else(no_maker)?;
            let (inputs, outputs) = (prepared.signature.input_layout(), prepared.signature.output_layout());
            let asked = asked(&prepared, &inputs, &[finding])?;
            let mut observers = observers::start(request, &prepared)?;
            observers.set_clocks(&clock, &clock);
            let blaming = Blaming {
                request,
                prepared: &prepared,
                policy: Policy {
                    watched: request.run.watched,
                    ulps: request.ulps,
                    traces: request.compare_traces,
                    results: true,
                },
                inputs: &inputs,
                outputs: &outputs,
                maker: &maker,
                folder: folder.path(),
                locates: true,
                clock: &clock,
                progress,
            };
            blaming.answers(&asked, &mut observers)?
        }
        Subject::Pair(..) => {
            let why = "two files are compared: what differs is in them, not in flags";
            return Err(AnalysisError::Usage(why.to_owned()));
        }
        Subject::Libraries { .. } => {
            return Err(AnalysisError::Usage("shared objects are not made again".to_owned()));
        }
    };
    let Answered { cause, answer } =
        answers.into_iter().next().ok_or(AnalysisError::Internal("a finding has no answer"))?;
    if let Some(details) = finding.difference_mut() {
        if is_promise(details.cause.as_ref()) {
            details.set_cause(cause);
        } else {
            // Lines may have moved since.
            details.cause = cause;
        }
    }
    Ok(answer)
}
