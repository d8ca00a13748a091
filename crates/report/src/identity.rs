//! Ids that are the same for the same divergence in every run, whatever witness showed it.
//!
//! A divergence is: between which builds, its severity, whether the baseline was clean, how each build ended, the exceptions
//! each raised, and at which sites those that only one of them raised. Where exceptions do not tell the two builds apart, their results' classes belong to it
//! too. Witnesses, counts and who found it do not.
//!
//! Where a finding stands for all divergences of a cause it is: the builds, the cause, and how the first output that differs does.
//!
//! An exception's finding is: the function, the site, the exception and its effect.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use crate::{Details, DifferenceDetails, ExceptionDetails, Finding};
use labrys_float::Flags;

/// Hexadecimal digits of an id: 48 bits, so that among a thousand findings two collide once in 500 million reports.
const DIGITS: usize = 12;

/// The id of a finding in a function.
pub fn stable_id(function: &str, finding: &Finding) -> String {
    match &finding.details {
        Details::Difference(details) => id_of_difference(function, finding, details),
        Details::Exception(details) => id_of_exception(function, finding, details),
        Details::Violation(details) => {
            let line = details.place.line.map(|line| line.to_string()).unwrap_or_default();
            let file = details.place.file.as_deref().unwrap_or_default();
            hashed(&[function, "verify", details.kind.name(), file, &line])
        }
        // Which input is the worst hangs on the search.
        Details::Accuracy(details) => {
            let output = details.output.split('[').next().unwrap_or_default();
            let mut parts = vec![function, "accuracy", finding.severity.name(), output];
            parts.extend(details.reference.as_ref().map(|reference| reference.name.as_str()));
            hashed(&parts)
        }
    }
}

fn id_of_exception(function: &str, finding: &Finding, details: &ExceptionDetails) -> String {
    let site = &details.site;
    let number = |of: Option<u32>| of.map(|of| of.to_string()).unwrap_or_default();
    hashed(&[
        function,
        finding.severity.name(),
        details.exception.names().first().copied().unwrap_or_default(),
        site.place.file.as_deref().unwrap_or_default(),
        &number(site.place.line),
        &number(site.place.column),
        &site.function,
        &site.operator,
    ])
}

fn id_of_difference(function: &str, finding: &Finding, details: &DifferenceDetails) -> String {
    if let DifferenceDetails { cause: Some(cause), change, is_grouped: true, .. } = details {
        // Which of a cause's divergences speaks for it hangs on the search.
        return hashed(&[
            function,
            &details.between.join(" "),
            &cause.in_common().words(),
            &format!("{:?}", change.in_common()),
        ]);
    }
    let between = finding.compared();
    // Exceptions that some of the builds raise and others do not.
    let only_one = between.windows(2).fold(Flags::empty(), |flags, pair| flags | (pair[0].flags ^ pair[1].flags));
    let told_apart = !only_one.is_empty();
    let mut parts = vec![
        function.to_owned(),
        finding.severity.name().to_owned(),
        details.between.join(" "),
        details.baseline_clean.to_string(),
    ];
    for observation in between {
        parts.push(observation.role.clone());
        parts.push(observation.outcome_words().unwrap_or_default());
        parts.push(observation.flags.names().join(" "));
        if !told_apart {
            let outputs = observation.result.iter().chain(&observation.outputs);
            parts.extend(outputs.map(|value| value.class()));
        }
        let sites: BTreeSet<String> = observation
            .trace
            .iter()
            .filter(|event| event.exceptions.intersects(only_one))
            .map(|event| format!("{} {}", event.site(), (event.exceptions & only_one).names().join(" ")))
            .collect();
        parts.extend(sites);
    }
    hashed(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The first digits of a hash of texts.
fn hashed(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths keep ("ab", "c") apart from ("a", "bc").
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..DIGITS].to_owned()
}

/// Gives every finding its id. Where two would get the same one, later ones get a suffix: ids are file names.
pub fn assign_ids<'f>(function: &str, findings: impl IntoIterator<Item = &'f mut Finding>) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for finding in findings {
        let id = stable_id(function, finding);
        let uses = seen.entry(id.clone()).or_insert(0);
        *uses += 1;
        finding.id = if *uses == 1 { id } else { format!("{id}-{uses}") };
    }
}
