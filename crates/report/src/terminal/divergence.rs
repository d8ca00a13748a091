//! What one divergence is: its cause, whether it is to be expected, and how far the builds are apart.

use super::build::build_words;
use super::observed::{SCALARS_SHOWN, observed};
use super::summary::{grouped, plural};
use super::table::Row;
use crate::control::control_remark;
use crate::exceptions::listed;
use crate::{Blame, DifferenceDetails, Finding, Report, Value};

/// Exceptions, results and traces of the builds that differ, side by side.
pub(super) fn rows(report: &Report, finding: &Finding) -> Vec<Row> {
    let observations = finding.compared();
    let heads = observations.iter().map(|seen| match report.target.build(&seen.role) {
        Some(build) => format!("{}: {}", seen.role, build_words(build)),
        None => seen.role.clone(),
    });
    let mut rows = vec![Row { cells: heads.collect(), ..Row::default() }];
    rows.extend(observed(&observations));
    rows
}

/// Remarks on a divergence: why it is, and whether it is to be expected.
pub(super) fn remarks(report: &Report, finding: &Finding, details: &DifferenceDetails) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.extend(because(details));
    if let Some(why) = &details.unblamed {
        remarks.push(format!("which flags make it is not known: {why}"));
    }
    if !details.baseline_clean {
        // Rust has no such contract.
        let what = if report.target.is_rust() { "not an ordinary case" } else { "outside fast-math's contract" };
        remarks.push(format!("{what}: {}", why_unclean(finding, details)));
    }
    remarks.extend(control_remark(report, finding, details, build_words));
    remarks
}

/// What makes a divergence, and what differs first: `because: -fassociative-math at -O3, in instcombine on f, at f.c:3:18: fadd gives another result`.
pub fn because(details: &DifferenceDetails) -> Option<String> {
    let words = match (&details.blame, &details.cause) {
        (Some(blame), Some(cause)) if blame.place.as_ref() == Some(&cause.place) => {
            format!("{}: {}", blame.words(), cause.words_without_place())
        }
        (Some(blame), Some(cause)) => format!("{}: {}", blame.words(), cause.words()),
        (Some(blame), None) => blame.words(),
        (None, cause) => cause.as_ref()?.words(),
    };
    Some(format!("because: {words}"))
}

/// Remarks on how much a divergence stands for, and how far results get apart.
pub(super) fn extent(details: &DifferenceDetails) -> Vec<String> {
    let mut remarks = Vec::new();
    if let (Some(truth), [baseline, variant]) = (details.truths.first(), &details.between[..]) {
        remarks.push(truth.words([baseline, variant]));
    }
    if let Some(Blame { also, .. }) = &details.blame
        && !also.is_empty()
    {
        let sets: Vec<String> = also.iter().map(|flags| flags.join(" ")).collect();
        remarks.push(format!("without the flags above, {} makes it, too", sets.join(" or ")));
    }
    if details.divergences > 1 {
        let others = plural(details.divergences - 1, "other divergence has", "other divergences have");
        remarks.push(format!("{others} this cause; --all tells each"));
    }
    if !details.also_in.is_empty() {
        let others = plural(details.also_in.len() as u64, "other function", "other functions");
        remarks.push(format!("the same cause shows in {others}: {}", details.also_in.join(", ")));
    }
    if let Some(worst) = &details.worst {
        let inputs = worst.inputs.iter().flat_map(Value::scalars).take(SCALARS_SHOWN);
        let named =
            |value: &Value| Some(format!("{} = {}", value.name.as_deref()?, value.decimal.as_deref().unwrap_or("?")));
        let inputs: Vec<String> = inputs.filter_map(named).collect();
        let unit = if worst.ulps == 1.0 { "ulp" } else { "ulps" };
        remarks.push(format!("furthest apart, {} {unit}, at {}", ulps(worst.ulps), inputs.join(", ")));
    }
    remarks
}

/// A number of ulps: whole, or its magnitude where it is large.
fn ulps(ulps: f64) -> String {
    if ulps < 1e7 { grouped(ulps as u64) } else { format!("{ulps:.1e}") }
}

/// What takes an input out of the contract.
fn why_unclean(finding: &Finding, details: &DifferenceDetails) -> String {
    let is_finite = |value: &&Value| !matches!(value.class().as_str(), "nan" | "inf" | "-inf");
    let names: Vec<&str> = finding
        .inputs
        .iter()
        .flat_map(Value::scalars)
        .filter(|value| !is_finite(value))
        .filter_map(|value| value.name.as_deref())
        .collect();
    if !names.is_empty() {
        return format!(
            "{} not finite",
            if names.len() == 1 { format!("{} is", names[0]) } else { format!("{} are", names.join(", ")) }
        );
    }
    let Some(baseline) = details.between.first().and_then(|role| finding.observation(role)) else {
        return "the baseline is not clean".to_owned();
    };
    let severe = baseline.flags & labrys_float::Flags::SEVERE;
    if let Some(outcome) = baseline.outcome_words() {
        format!("the baseline ends with {outcome}")
    } else if severe.is_empty() {
        "the baseline's result is not finite".to_owned()
    } else {
        format!("the baseline raises {}", listed(severe))
    }
}
