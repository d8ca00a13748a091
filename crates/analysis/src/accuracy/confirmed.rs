//! From the inputs with the largest errors to what is certain of them.
//!
//! **Claim.** What stands here was observed on native code, in fresh processes with all that the code does not own filled six ways, and
//! compared with true outputs that are certified ([`crate::truth::Oracle::certified`]).

use std::collections::BTreeMap;

use labrys_float::Float;
use labrys_interp::precise::PreciseFloat;
use labrys_native::{Observation, Outcome};
use labrys_program::{Leaf, ScalarType};
use labrys_report::{FoundBy, Severity};

use super::candidates::{Candidate, Group};
use super::judge::{AccuracyJudge, base, errors};
use super::method::Method;
use crate::AnalysisError;
use crate::observation::leftovers::Leftovers;
use crate::run::clock::Clock;
use crate::truth::{Fault, tolerated};
use crate::truth::{HARMLESS_ULPS, Slopes};
use crate::truth::{Metric, OutputError};
use labrys_float::Flags;

/// An input whose error is certain.
#[derive(Clone, Debug)]
pub struct ConfirmedError {
    /// The input.
    pub record: Vec<u8>,
    /// Who found it.
    pub found_by: FoundBy,
    /// What the build did.
    pub observation: Observation,
    /// The output, by its leaf: the one of its group with the largest error.
    pub leaf: usize,
    /// What the build returned there.
    pub result: Float,
    /// What it should have.
    pub truth: PreciseFloat,
    /// Bits of the run that certified it.
    pub precision: u32,
    /// Bits of a second run that gave the same.
    pub confirmed: Option<u32>,
    /// How far it is off.
    pub error: OutputError,
    /// Whose fault that is, or why it is not known.
    pub fault: Result<Fault, String>,
    /// Against a reference: what of it is the method's; or why that is not known.
    pub method: Option<Result<Method, String>>,
    /// What that comes to.
    pub severity: Severity,
    /// Whether an input half an ulp away shows that the problem itself brings the error about, where the fault, which is of derivatives, does not.
    pub is_so_nearby: bool,
}

/// Of each group so many errors are enough.
const ENOUGH: usize = 3;

/// What confirming came to.
#[derive(Debug, Default)]
pub struct ConfirmedErrors {
    /// The errors of each group, those of the largest measure first.
    pub by_group: BTreeMap<Group, Vec<ConfirmedError>>,
    /// Inputs whose results were not the same in every process.
    pub unstable: usize,
    /// Inputs whose true value could not be certified, and why the first could not.
    pub unresolved: usize,
    /// See `unresolved`.
    pub why: Option<String>,
    /// What varied.
    pub leftovers: Leftovers,
    /// Whether the time limit left some out.
    pub is_cut_short: bool,
}

/// Confirms candidates, the most promising of each group first.
///
/// # Errors
///
/// Where no process can be started.
pub fn confirm(
    judge: &mut AccuracyJudge<'_>,
    candidates: &[(Group, Candidate)],
    metric: Metric,
    clock: &Clock,
    leaves: &[Leaf],
) -> Result<ConfirmedErrors, AnalysisError> {
    let mut confirmed = ConfirmedErrors::default();
    for (group, candidate) in candidates {
        // More were proposed, for some that are not certain.
        if confirmed.by_group.get(group).is_some_and(|errors| errors.len() >= ENOUGH) {
            continue;
        }
        if clock.is_over() {
            confirmed.is_cut_short = true;
            break;
        }
        judge.observer.set_deadline(clock.limit());
        judge.oracle.set_deadline(clock.limit());
        let run = match judge.observer.confirm(&candidate.record, Flags::NOTABLE) {
            Err(error) if error.is_time_up() => {
                confirmed.is_cut_short = true;
                break;
            }
            run => run?,
        };
        confirmed.leftovers.count(&[&run]);
        if !run.has_one_result() {
            confirmed.unstable += 1;
            continue;
        }
        let observation = run.without(run.varying());
        if observation.outcome != Outcome::Returned {
            continue;
        }
        match certain(judge, group, candidate, observation, metric, leaves) {
            Ok(Some(error)) => confirmed.by_group.entry(group.clone()).or_default().push(error),
            Ok(None) => {}
            Err(why) => {
                confirmed.unresolved += 1;
                confirmed.why.get_or_insert(why);
            }
        }
    }
    for errors in confirmed.by_group.values_mut() {
        errors.sort_by(|a, b| metric.of(&b.error, &b.truth).total_cmp(&metric.of(&a.error, &a.truth)));
    }
    Ok(confirmed)
}

/// The largest error of a group's outputs on one input; none where there is none after all.
fn certain(
    judge: &mut AccuracyJudge<'_>,
    group: &Group,
    candidate: &Candidate,
    observation: Observation,
    metric: Metric,
    leaves: &[Leaf],
) -> Result<Option<ConfirmedError>, String> {
    let truth = judge.oracle.certified(&candidate.record)?;
    let output = observation.output.clone();
    let of_group = errors(leaves, &output, &truth).filter(|(leaf, (error, ..))| {
        base(&leaves[*leaf]) == group.output && error.is_other_class == group.is_other_class
    });
    let worst = of_group.max_by(|(_, (a, _, t)), (_, (b, _, u))| metric.of(a, t).total_cmp(&metric.of(b, u)));
    let Some((leaf, (error, result, true_value))) = worst else { return Ok(None) };
    let ScalarType::Float(float) = leaves[leaf].scalar else { return Ok(None) };
    // Where they are not known nothing is said of the fault.
    let slopes = judge.oracle.derivatives(&candidate.record, Slopes::fine(truth.precision));
    let known = slopes.and_then(|slopes| {
        let of_leaf = slopes.into_iter().filter_map(|(_, of_outputs)| of_outputs.into_iter().nth(leaf));
        Fault::of(&error, true_value, float.format(), of_leaf).map_err(str::to_owned)
    });
    let fault = known.as_ref().ok().copied();
    let has_reference = judge.oracle.has_reference();
    if !has_reference && judge.oracle.works_by_rounding(&candidate.record, leaf, true_value) {
        return Err("it is zero without rounding, whatever the inputs are: it computes rounding errors".to_owned());
    }
    // With a reference the program has a run without rounding of its own.
    let without_rounding = has_reference.then(|| judge.oracle.without_rounding(&candidate.record));
    let method = without_rounding.as_ref().map(|run| {
        let formulas = run.as_ref().map_err(String::clone)?.floats.get(leaf).and_then(Option::as_ref);
        let formulas = formulas.ok_or_else(|| "no precision settles what the program's formulas give".to_owned())?;
        Ok(Method::of(&result, formulas, true_value))
    });
    let control = match without_rounding {
        None => Some(truth.control),
        Some(run) => run.ok().map(|run| run.control),
    };
    let own = judge.oracle.as_program(&candidate.record).ok().map(|own| own.control);
    let other_way = own.filter(|own| control.is_some_and(|control| *own != control));
    let way = match other_way {
        None => Way::Same,
        Some(own) if judge.oracle.goes_nearby(&candidate.record, own) => Way::Nearby,
        Some(_) => Way::Other,
    };
    let is_method = method.as_ref().is_some_and(|method| method.as_ref().is_ok_and(Method::is_to_blame));
    // What is executed is counted only where it matters.
    let tolerated = match fault {
        Some(fault) if fault.excess > tolerated(0) => {
            tolerated(judge.oracle.executions(&candidate.record).iter().map(|executed| executed.count).sum())
        }
        _ => tolerated(0),
    };
    let is_large = fault.is_some_and(|fault| fault.excess > tolerated);
    let way = match way {
        // A reference's neighbours are not asked: its derivatives are what there is.
        Way::Same
            if is_large
                && !has_reference
                && judge.oracle.moves_nearby(&candidate.record, leaf, true_value, error.absolute / tolerated) =>
        {
            Way::Nearby
        }
        way => way,
    };
    let severity = severity(&error, fault, tolerated, way, is_method);
    let is_so_nearby = severity == Severity::IllConditioned && is_large && way == Way::Nearby;
    Ok(Some(ConfirmedError {
        record: candidate.record.clone(),
        found_by: candidate.found_by,
        observation,
        leaf,
        result,
        truth: true_value.clone(),
        precision: truth.precision,
        confirmed: truth.confirmed,
        error,
        fault: known,
        method,
        severity,
        is_so_nearby,
    }))
}

/// How the program's decisions compare with those of the true run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// They are the same.
    Same,
    /// They are those of the true run on an input half an ulp away; or the same, and half an ulp away is a true result as far off as the
    /// program's.
    Nearby,
    /// They are others.
    Other,
}

/// What an error comes to, an excess of `tolerated` being no fault; `is_method` where the greater part of it is there without rounding.
fn severity(error: &OutputError, fault: Option<Fault>, tolerated: f64, way: Way, is_method: bool) -> Severity {
    if !error.ulps.is_finite() {
        return Severity::Lost;
    }
    if error.ulps <= HARMLESS_ULPS {
        return Severity::Benign;
    }
    match fault {
        None => Severity::Unclassified,
        // Some roundings of a problem that loses nothing.
        Some(fault) if fault.excess <= tolerated && fault.condition <= 2.0 => Severity::Benign,
        Some(fault) if fault.excess <= tolerated => Severity::IllConditioned,
        Some(_) if is_method => Severity::WrongAlgorithm,
        Some(_) => match way {
            Way::Same => Severity::Unstable,
            Way::Nearby => Severity::IllConditioned,
            Way::Other => Severity::Branch,
        },
    }
}
