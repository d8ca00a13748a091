//! Running a finding's witness again.

use std::path::Path;

use labrys_native::Driver;
use labrys_report::{Finding, SiteKey, Value, input_record};

use super::caller_goal::Assignment;
use super::function::list_pairs;
use super::request::Request;
use super::search::{Call, ExceptionJudge};
use crate::AnalysisError;
use crate::library::rebuilt::Rebuilt;
use crate::observation::interpreted::Interpreted;
use crate::observation::start::start;
use crate::run::record::from_here;
use crate::target::unit::Unit;

/// Whether a finding of the function `of` still holds in what was built again: its witness raises the exception at its site.
///
/// # Errors
///
/// Where the function is gone or no longer takes these inputs.
pub fn holds(request: &Request, rebuilt: &Rebuilt, of: Option<&str>, finding: &Finding) -> Result<bool, AnalysisError> {
    shows(request, rebuilt, &*rebuilt.unit(of)?, finding, &finding.inputs)
}

/// For each other public function from which a finding of `function` was observed, whether it still is.
///
/// # Errors
///
/// As [`holds`].
pub fn routes(
    request: &Request,
    rebuilt: &Rebuilt,
    function: Option<&str>,
    finding: &Finding,
) -> Result<Vec<(String, bool)>, AnalysisError> {
    let Some(details) = finding.exception().filter(|_| rebuilt.is_library()) else { return Ok(Vec::new()) };
    let others = details.reachable_from.iter().filter(|route| Some(route.entry.as_str()) != function);
    others
        .map(|route| {
            let unit = rebuilt.unit(Some(&route.entry))?;
            Ok((route.entry.clone(), shows(request, rebuilt, &unit, finding, &route.inputs)?))
        })
        .collect()
}

/// Whether a call of `unit` with these inputs raises a finding's exception at its site.
fn shows(
    request: &Request,
    rebuilt: &Rebuilt,
    unit: &Unit,
    finding: &Finding,
    inputs: &[Value],
) -> Result<bool, AnalysisError> {
    let details = finding.exception().ok_or_else(|| AnalysisError::other_analysis("exceptions"))?;
    let record = input_record(&unit.signature.input_layout(), inputs)?;
    let driver = Driver::cached(&unit.signature, rebuilt.folder())?;
    let mut observer = start(&request.run, unit, &driver)?;
    let observation = observer.trace(&record, request.run.watched)?;
    let mut pairs = list_pairs(request, unit, &Assignment::default());
    let site = seen_from_here(&details.site, unit);
    pairs.add_known(site.clone(), details.exception);
    let outputs = unit.signature.output_layout();
    let startup = observer.startup();
    let interpreted = Interpreted::new(unit.analysed.as_ref().ok().cloned(), unit.signature.clone(), startup);
    let judge = ExceptionJudge::new(pairs, &mut observer, &outputs, request.run.watched);
    let mut judge = judge.of_ir(interpreted.after(unit.init.clone()));
    let mut call = Call::new(&record, &observation);
    let mut events = observation.trace.iter().flat_map(|trace| &trace.events);
    Ok(events.any(|event| {
        event.exceptions.contains(details.exception) && judge.site_of(&mut call, event, details.exception) == site
    }))
}

/// A site with its file as the current folder has it: a report has files below the folder in which it was made relative to that.
fn seen_from_here(site: &SiteKey, unit: &Unit) -> SiteKey {
    let files = unit.analysed.iter().flat_map(|analysed| &analysed.program.files);
    let mut site = site.clone();
    if let Some(file) = &site.place.file {
        let is_same = |other: &String| Path::new(other).ends_with(file) || Path::new(file).ends_with(other);
        let mut known: Vec<String> = files.cloned().map(from_here).collect();
        known.sort_by_key(|other| other != file);
        site.place.file = known.into_iter().find(is_same).or(site.place.file);
    }
    site
}
