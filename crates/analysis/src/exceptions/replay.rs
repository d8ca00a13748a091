//! Running a finding's witness again.

use std::sync::Arc;

use labrys_native::{Driver, SourceFrame};
use labrys_report::{Finding, Value, input_record};
use labrys_symex::static_sites;

use super::pairs::Pairs;
use super::request::Request;
use crate::AnalysisError;
use crate::library::rebuilt::Rebuilt;
use crate::observation::start::start;
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
    let mut pairs = Pairs::of_observations(Arc::clone(&unit.names), request.run.watched);
    pairs.add_known(details.site.clone(), details.exception);
    // Where the compiler moved the operation, the IR says whose it is.
    let mut of_ir = unit.analysed.as_ref().ok().map(|of| {
        let sites = static_sites(&of.program, of.function);
        Pairs::new(&of.program, &sites, Arc::clone(&unit.names), request.run.watched)
    });
    let mut is_there = |frame: &SourceFrame| {
        let is = |pairs: &mut Pairs| pairs.site_of(frame, details.exception) == details.site;
        is(&mut pairs) || of_ir.as_mut().is_some_and(is)
    };
    let mut shows = false;
    for event in observation.trace.iter().flat_map(|trace| &trace.events) {
        let frame = observer.frame(event);
        shows |= event.exceptions.contains(details.exception) && is_there(&frame);
    }
    Ok(shows)
}
