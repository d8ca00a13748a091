//! What differs, in words.

use labrys_float::Flags;
use labrys_native::Confirmation;
use labrys_report::{DifferenceDetails, ObservationRecord, Severity, Value};

use super::parts::Part;

/// What is said of a build whose exceptions hang on leftovers.
pub fn not_compared(role: &str, confirmation: &Confirmation) -> Option<String> {
    let varying = confirmation.varying();
    (!varying.is_empty()).then(|| {
        format!(
            "Whether {role} raises {} depends on what its caller leaves in unused vector lanes, or on memory that nobody wrote: not compared.",
            words(varying)
        )
    })
}

/// What is said of exceptions that are another divergence, because the strict control differs in them, too: of those in which the builds differ.
pub fn left_to_control(part: Part, differing: Flags) -> Option<String> {
    let left = part.without & differing;
    (part.results && !left.is_empty()).then(|| {
        format!("The builds differ in {}, too, as the strict control does: a divergence of its own.", words(left))
    })
}

/// One sentence on what differs; of outputs on the one that is told.
pub fn summary(
    severity: Severity,
    details: &DifferenceDetails,
    told: Option<usize>,
    observations: &[ObservationRecord],
) -> String {
    let [baseline, variant, ..] = observations else { return String::new() };
    let [first, second, ..] = &details.between[..] else { return String::new() };
    // What a call would have raised that did not return is not known.
    let both_returned = variant.outcome_words().is_none() && baseline.outcome_words().is_none();
    let only_in = |one: Flags, other: Flags| if both_returned { one - other } else { Flags::empty() };
    let only_variant = only_in(variant.flags, baseline.flags);
    let only_baseline = only_in(baseline.flags, variant.flags);
    let mut parts = Vec::new();
    if let (Some(outcome), _) | (None, Some(outcome)) = (variant.outcome_words(), baseline.outcome_words()) {
        let who = if variant.outcome_words().is_some() { second } else { first };
        parts.push(format!("{who} ends by {outcome}"));
    }
    if !only_variant.is_empty() {
        let clean = if details.baseline_clean { " is clean" } else { " does not" };
        parts.push(format!("{second} raises {} where {first}{clean}", words(only_variant)));
    }
    if !only_baseline.is_empty() {
        parts.push(format!("{first} raises {}, {second} does not", words(only_baseline)));
    }
    // Another result beside it may be another divergence.
    let changed = details.compares_results().then(|| changed_value(told, baseline, variant)).flatten();
    if let Some((name, old, new)) = changed {
        parts.push(format!("{name} is {new} instead of {old}"));
    }
    if let Some(ulps) = details.ulps
        && severity == Severity::Ulps
    {
        parts.push(format!("{} {} apart", grouped(ulps), if ulps == 1.0 { "ulp" } else { "ulps" }));
    }
    if parts.is_empty() { "the traces differ".to_owned() } else { parts.join("; ") }
}

/// A number of ulps: whole, or its magnitude where it is large.
fn grouped(ulps: f64) -> String {
    if ulps < 1e7 { format!("{ulps:.0}") } else { format!("{ulps:.1e}") }
}

fn words(flags: Flags) -> String {
    flags.names().join(" and ")
}

/// The output that is told, or else the first that differs: its name and both values.
fn changed_value(
    told: Option<usize>,
    baseline: &ObservationRecord,
    variant: &ObservationRecord,
) -> Option<(String, String, String)> {
    let scalars = |observation: &ObservationRecord| -> Vec<(String, String)> {
        let all = observation.result.iter().chain(&observation.outputs);
        all.flat_map(Value::scalars)
            .map(|value| {
                let name = value.name.clone().unwrap_or_else(|| "the result".to_owned());
                (name, value.decimal.clone().unwrap_or_default())
            })
            .collect()
    };
    let pairs = scalars(baseline).into_iter().zip(scalars(variant)).enumerate();
    let differing = pairs.filter(|(_, ((_, old), (_, new)))| old != new);
    let first = differing.min_by_key(|(index, _)| (Some(*index) != told, *index));
    first.map(|(_, ((name, old), (_, new)))| (name, old, new))
}
