//! Traces compared, where a user asks for it (`--compare trace`): the same flags and results, other events.
//!
//! An event is its place in the source, its operator and what it raised; addresses differ between any two builds and
//! count nowhere. Two lists differ if they differ anywhere, in order too. An incomplete trace differs from nothing.

use labrys_float::Flags;
use labrys_native::{Outcome, SourceFrame};
use labrys_program::{InputLayout, OutputLayout};

use super::compare::{Difference, Policy, SeverityRank, is_clean};
use super::ledger::SiteKey;
use super::observers::Observers;
use crate::error::AnalysisError;

/// Compares the events of two builds on one input. `None`: they do not differ, or nobody asked.
///
/// # Errors
///
/// As [`Observers::trace`].
pub fn compare_events(
    policy: &Policy,
    inputs: &InputLayout,
    outputs: &OutputLayout,
    observers: &mut Observers,
    variant: usize,
    record: &[u8],
) -> Result<Option<Difference>, AnalysisError> {
    if !policy.traces {
        return Ok(None);
    }
    let Some((ours, theirs)) = both(observers, variant, record, policy.watched)? else { return Ok(None) };
    if ours == theirs {
        return Ok(None);
    }
    let baseline = observers.trace(0, record, policy.watched)?;
    Ok(Some(kind(policy, is_clean(inputs, outputs, record, &baseline), baseline.flags)))
}

/// The coarse kind of all differences in trace on inputs that raise `flags`.
pub fn kind(policy: &Policy, baseline_clean: bool, flags: Flags) -> Difference {
    let flags = flags & policy.watched;
    Difference {
        severity: SeverityRank::Trace,
        baseline_clean,
        baseline_flags: flags,
        variant_flags: flags,
        outcomes: None,
        classes: Vec::new(),
        distant: Vec::new(),
    }
}

/// The sites at which the baseline and the variant raise the exceptions that only one of them raises.
///
/// # Errors
///
/// As [`Observers::trace`].
pub fn sites(
    observers: &mut Observers,
    variant: usize,
    record: &[u8],
    difference: &Difference,
    watched: Flags,
) -> Result<(Vec<SiteKey>, Vec<SiteKey>), AnalysisError> {
    if difference.severity == SeverityRank::Trace {
        return unmatched(observers, variant, record, watched);
    }
    let wanted = difference.baseline_flags ^ difference.variant_flags;
    if wanted.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let ours = sites_of(observers, 0, record, wanted, watched)?;
    Ok((ours, sites_of(observers, variant, record, wanted, watched)?))
}

fn sites_of(
    observers: &mut Observers,
    build: usize,
    record: &[u8],
    wanted: Flags,
    watched: Flags,
) -> Result<Vec<SiteKey>, AnalysisError> {
    let observation = observers.trace(build, record, watched)?;
    let mut sites = Vec::new();
    for event in observation.trace.iter().flat_map(|trace| &trace.events) {
        let exceptions = event.exceptions & wanted;
        if !exceptions.is_empty() {
            let site = site_name(&observers.build(build).frame(event));
            sites.push(SiteKey { site, exceptions });
        }
    }
    sites.sort();
    sites.dedup();
    Ok(sites)
}

/// A site's name as a key: its place, or its address in the library.
fn site_name(frame: &SourceFrame) -> String {
    match &frame.file {
        Some(file) => format!("{file}:{}:{} {} {}", frame.line, frame.column, frame.function, frame.operator),
        None => format!("{:#x} {} {}", frame.address, frame.function, frame.operator),
    }
}

/// The events on each side that the other side lacks, or has less often; both empty where only the order differs.
///
/// # Errors
///
/// As [`Observers::trace`].
pub fn unmatched(
    observers: &mut Observers,
    variant: usize,
    record: &[u8],
    watched: Flags,
) -> Result<(Vec<SiteKey>, Vec<SiteKey>), AnalysisError> {
    let Some((ours, theirs)) = both(observers, variant, record, watched)? else { return Ok((Vec::new(), Vec::new())) };
    Ok((without(&ours, &theirs), without(&theirs, &ours)))
}

/// `list` without one event for each equal one in `other`; sorted, each once.
fn without(list: &[SiteKey], other: &[SiteKey]) -> Vec<SiteKey> {
    let mut left = other.to_vec();
    let mut lacking: Vec<SiteKey> = Vec::new();
    for event in list {
        match left.iter().position(|candidate| candidate == event) {
            Some(index) => {
                left.swap_remove(index);
            }
            None => lacking.push(event.clone()),
        }
    }
    lacking.sort();
    lacking.dedup();
    lacking
}

type EventLists = (Vec<SiteKey>, Vec<SiteKey>);

/// The events of the baseline and the variant, in order; `None` where a trace is incomplete or a call did not return.
fn both(
    observers: &mut Observers,
    variant: usize,
    record: &[u8],
    watched: Flags,
) -> Result<Option<EventLists>, AnalysisError> {
    let ours = events_of(observers, 0, record, watched)?;
    let theirs = events_of(observers, variant, record, watched)?;
    Ok(ours.zip(theirs))
}

fn events_of(
    observers: &mut Observers,
    build: usize,
    record: &[u8],
    watched: Flags,
) -> Result<Option<Vec<SiteKey>>, AnalysisError> {
    let observation = observers.trace(build, record, watched)?;
    let Some(trace) = observation.trace.filter(|trace| trace.complete && observation.outcome == Outcome::Returned)
    else {
        return Ok(None);
    };
    let named = trace.events.iter().map(|event| {
        let exceptions = event.exceptions & watched;
        SiteKey { site: place(&observers.build(build).frame(event)), exceptions }
    });
    Ok(Some(named.filter(|event| !event.exceptions.is_empty()).collect()))
}

/// A site's place in the source, or, without debug information, what can be compared between builds.
fn place(frame: &SourceFrame) -> String {
    match &frame.file {
        Some(file) => format!("{file}:{}:{} {} {}", frame.line, frame.column, frame.function, frame.operator),
        None => format!("{} {}", frame.function, frame.operator),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_matched_one_to_one() {
        let event = |site: &str| SiteKey { site: site.to_owned(), exceptions: Flags::OVERFLOW };
        let list = |sites: &str| -> Vec<SiteKey> { sites.split_whitespace().map(event).collect() };
        assert_eq!(without(&list("a a b"), &list("b a")), list("a"));
        assert_eq!(without(&list("b a"), &list("a b")), []);
        assert_eq!(without(&list("b a b"), &[]), list("a b"));
    }
}
