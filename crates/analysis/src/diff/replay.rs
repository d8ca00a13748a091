//! Running a finding's witness again.

use labrys_report::{Finding, input_record};

use super::builds;
use super::compare::{Policy, compare};
use super::event_order::compare_events;
use super::library;
use super::observers;
use super::request::{Request, Subject};
use crate::error::AnalysisError;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;

/// Whether a finding still holds: builds everything again as `request` says, of a library for one `function`, and runs the finding's witness
/// on the two builds it is between.
///
/// # Errors
///
/// Where the builds cannot be made, or the function no longer takes these inputs.
pub fn holds(request: &Request, function: Option<&str>, finding: &Finding) -> Result<bool, AnalysisError> {
    let clock = Clock::start(request.run.time);
    let folder = temporary_folder()?;
    let prepared = match &request.subject {
        Subject::Project { database, entries } => {
            library::prepared_for(request, (database, entries), folder.path(), function, &clock)?.1
        }
        _ => builds::prepare_drivable(request, folder.path(), &clock)?.1,
    };
    let (inputs, outputs) = (prepared.signature.input_layout(), prepared.signature.output_layout());
    let record = input_record(&inputs, &finding.inputs)?;
    let details = finding.difference().ok_or_else(|| AnalysisError::other_analysis("diff"))?;
    let variant = details
        .between
        .last()
        .and_then(|role| prepared.builds.iter().position(|made| made.build.role == *role))
        .ok_or_else(|| AnalysisError::Usage("the finding names a build that its command does not make".to_owned()))?;
    let mut observers = observers::start(request, &prepared)?;
    let (watched, results) = (request.run.watched & details.compared, details.compares_results());
    let policy = Policy { watched, ulps: request.ulps, traces: request.compare_traces, results };
    let baseline = observers.trace(0, &record, request.run.watched)?;
    let other = observers.trace(variant, &record, request.run.watched)?;
    let differs = compare(&policy, &inputs, &outputs, &record, &baseline, &other).is_some()
        || compare_events(&policy, &inputs, &outputs, &mut observers, variant, &record)?.is_some();
    Ok(differs)
}
