//! The simplest witness of a divergence.

use labrys_fuzz::shrink_within;
use labrys_native::Observation;
use labrys_report::FoundBy;

use super::compare::{Difference, Policy, SeverityRank, compare, distance};
use super::distill::Distiller;
use super::event_order::{compare_events, sites};
use super::ledger::{Group, GroupKey};
use super::observers::Observers;
use crate::error::AnalysisError;

/// How many inputs shrinking one witness may run.
const SHRINK_INPUTS: usize = 4000;

impl Distiller<'_> {
    /// The simplest input that is in the same group; one that was given stays as it is.
    pub(super) fn simplest(
        &self,
        key: &GroupKey,
        group: &Group,
        observers: &mut Observers,
    ) -> Result<Vec<u8>, AnalysisError> {
        if group.found_by == FoundBy::Given {
            return Ok(group.start().clone());
        }
        let mut failure = None;
        let watched = self.scene.policy.watched;
        let policy = &group.part.policy(&self.scene.policy);
        observers.set_batch_deadline(self.shrinking.limit());
        let mut oracle = |records: &[Vec<u8>]| -> Vec<bool> {
            if failure.is_some() {
                return vec![false; records.len()];
            }
            let mut judge = || -> Result<Vec<bool>, AnalysisError> {
                let observations = observers.run(records, watched)?;
                let count = observations.first().map_or(0, Vec::len);
                // What the deadline left out has not shown the difference.
                let mut verdicts = Vec::with_capacity(records.len());
                for (i, record) in records[..count].iter().enumerate() {
                    let pair = (&observations[0][i], &observations[key.variant][i]);
                    let difference = match self.compare(policy, record, pair.0, pair.1) {
                        None if key.severity == SeverityRank::Trace => {
                            self.events(policy, key.variant, record, observers)?
                        }
                        difference => difference,
                    };
                    verdicts.push(match difference {
                        Some(difference)
                            if alike(&difference, &group.difference)
                                && self.is_as_far(key, group, pair)
                                && !self.scene.defined.excludes(record) =>
                        {
                            let sites = sites(observers, key.variant, record, &difference, watched)?;
                            let own = GroupKey { cause: key.cause, ..GroupKey::new(key.variant, &difference, sites) };
                            own == *key && self.has_cause(group, key.variant, record, [pair.0, pair.1], observers)?
                        }
                        _ => false,
                    });
                }
                verdicts.resize(records.len(), false);
                Ok(verdicts)
            };
            judge().unwrap_or_else(|error| {
                failure = Some(error);
                vec![false; records.len()]
            })
        };
        let simplest = shrink_within(self.scene.space, group.start(), SHRINK_INPUTS, &mut oracle);
        match failure {
            Some(error) => Err(error),
            None => Ok(simplest),
        }
    }

    /// Whether an input's divergence has the cause of its group, where others of the group had another one.
    fn has_cause(
        &self,
        group: &Group,
        variant: usize,
        record: &[u8],
        pair: [&Observation; 2],
        observers: &mut Observers,
    ) -> Result<bool, AnalysisError> {
        let Some(cause) = &group.cause else { return Ok(true) };
        let found = self.cause(variant, (&group.difference, group.part), record, pair, observers)?;
        Ok(found.is_some_and(|(found, _)| found == *cause))
    }

    /// Of results that differ by ulps the distance is what counts: a simpler witness keeps at least half of the most that was seen.
    fn is_as_far(&self, key: &GroupKey, group: &Group, (baseline, variant): (&Observation, &Observation)) -> bool {
        key.severity != SeverityRank::Ulps || 2.0 * distance(self.scene.outputs, baseline, variant) >= group.worst.0
    }

    /// How an input's observations differ but for the order of events.
    pub(super) fn compare(
        &self,
        policy: &Policy,
        record: &[u8],
        baseline: &Observation,
        variant: &Observation,
    ) -> Option<Difference> {
        compare(policy, self.scene.inputs, self.scene.outputs, record, baseline, variant)
    }

    /// How they do in the order of events.
    pub(super) fn events(
        &self,
        policy: &Policy,
        variant: usize,
        record: &[u8],
        observers: &mut Observers,
    ) -> Result<Option<Difference>, AnalysisError> {
        compare_events(policy, self.scene.inputs, self.scene.outputs, observers, variant, record)
    }
}

/// Whether two differences are of one kind: same severity, exceptions, outcomes and changes of class.
pub(super) fn alike(a: &Difference, b: &Difference) -> bool {
    a.severity == b.severity
        && a.baseline_clean == b.baseline_clean
        && a.baseline_flags == b.baseline_flags
        && a.variant_flags == b.variant_flags
        && a.outcomes == b.outcomes
        && (a.baseline_flags != a.variant_flags || a.classes == b.classes)
}
