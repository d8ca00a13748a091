//! From the ledger's groups to findings: shrink the witness, confirm it, describe what was seen.

use labrys_float::Flags;
use labrys_fuzz::shrink_within;
use labrys_native::Observation;
use labrys_program::Signature;
use labrys_report::{Finding, ObservationRecord, Severity, Value, input_values};

use super::compare::{Difference, SeverityRank, compare};
use super::event_order::compare_events;
use super::ledger::{Group, GroupKey, Ledger};
use super::observers::Observers;
use super::search::Scene;
use crate::clock::Clock;
use crate::error::AnalysisError;
use crate::progress::Progress;
use crate::record::observation_record;

/// How many inputs shrinking one witness may run.
const SHRINK_INPUTS: usize = 4000;

/// What findings are made of.
pub struct Distiller<'a> {
    /// What was searched.
    pub scene: &'a Scene<'a>,
    /// The function.
    pub signature: &'a Signature,
    /// The role of each build.
    pub roles: &'a [String],
    /// The control of each variant, if it has one.
    pub controls: &'a [Option<usize>],
    /// When to stop shrinking, so that time is left to confirm.
    pub shrinking: &'a Clock,
    /// Who may interrupt.
    pub progress: &'a dyn Progress,
}

/// A finding and its witness.
pub struct Distilled {
    /// The finding; its id and command are not set yet.
    pub finding: Finding,
    /// The witness as an input record.
    pub record: Vec<u8>,
    /// Index of the variant among the builds.
    pub variant: usize,
}

/// What the ledger's groups come to.
#[derive(Default)]
pub struct Harvest {
    /// The findings, in the ledger's order.
    pub findings: Vec<Distilled>,
    /// Groups whose first input depends on garbage, or did not show the difference again.
    pub unstable: usize,
    /// Groups that the time limit left no time to confirm: not findings.
    pub unconfirmed: usize,
}

/// Whether a witness shows its divergence again.
enum Confirmed {
    Yes(Box<Distilled>),
    No,
    OutOfTime,
}

impl Distiller<'_> {
    /// Makes the findings of all groups.
    ///
    /// # Errors
    ///
    /// Where workers cannot be kept running.
    pub fn harvest(&self, ledger: &Ledger, observers: &mut Observers) -> Result<Harvest, AnalysisError> {
        let mut harvest = Harvest::default();
        // Worst first: what time runs out on is the least of it.
        let mut groups: Vec<(&GroupKey, &Group)> = ledger.groups().collect();
        groups.sort_by_key(|(key, _)| (!key.baseline_clean, key.severity));
        let mut unshrunk = Vec::new();
        if self.shrinking.limit().is_some() {
            // Time may run out while shrinking: what was found is confirmed as it is first.
            for (key, group) in &groups {
                unshrunk.push(self.confirmed(key, group, group.record.clone(), observers)?);
            }
        }
        let mut unshrunk = unshrunk.into_iter();
        for (key, group) in groups {
            let fallback = unshrunk.next().unwrap_or(Confirmed::OutOfTime);
            let record = match self.shrinking.stop(self.progress) {
                None => self.simplest(key, group, observers),
                Some(_) => Ok(group.record.clone()),
            };
            let confirmed = match record {
                Err(error) if error.is_time_up() => Confirmed::OutOfTime,
                record => self.confirmed(key, group, record?, observers)?,
            };
            match (confirmed, fallback) {
                (Confirmed::Yes(distilled), _) => harvest.findings.push(*distilled),
                (_, Confirmed::Yes(distilled)) => harvest.findings.push(*distilled),
                (Confirmed::No, _) => harvest.unstable += 1,
                (Confirmed::OutOfTime, _) => harvest.unconfirmed += 1,
            }
        }
        Ok(harvest)
    }

    /// [`Distiller::finding`], with the deadline as an answer.
    fn confirmed(
        &self,
        key: &GroupKey,
        group: &Group,
        record: Vec<u8>,
        observers: &mut Observers,
    ) -> Result<Confirmed, AnalysisError> {
        match self.finding(key, group, record, observers) {
            Ok(Some(distilled)) => Ok(Confirmed::Yes(Box::new(distilled))),
            Ok(None) => Ok(Confirmed::No),
            Err(error) if error.is_time_up() => Ok(Confirmed::OutOfTime),
            Err(error) => Err(error),
        }
    }

    /// The simplest input that is in the same group.
    fn simplest(&self, key: &GroupKey, group: &Group, observers: &mut Observers) -> Result<Vec<u8>, AnalysisError> {
        let mut failure = None;
        let watched = self.scene.policy.watched;
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
                    let difference = match self.compare(record, pair.0, pair.1) {
                        None if key.severity == SeverityRank::Trace => self.events(key.variant, record, observers)?,
                        difference => difference,
                    };
                    verdicts.push(match difference {
                        Some(difference) if alike(&difference, &group.difference) => {
                            let sites = observers.sites(key.variant, record, &difference, watched)?;
                            GroupKey::new(key.variant, &difference, sites) == *key
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
        let simplest = shrink_within(self.scene.space, &group.record, SHRINK_INPUTS, &mut oracle);
        match failure {
            Some(error) => Err(error),
            None => Ok(simplest),
        }
    }

    fn compare(&self, record: &[u8], baseline: &Observation, variant: &Observation) -> Option<Difference> {
        compare(&self.scene.policy, self.scene.inputs, self.scene.outputs, record, baseline, variant)
    }

    fn events(
        &self,
        variant: usize,
        record: &[u8],
        observers: &mut Observers,
    ) -> Result<Option<Difference>, AnalysisError> {
        compare_events(&self.scene.policy, self.scene.inputs, self.scene.outputs, observers, variant, record)
    }

    /// Confirms a witness and describes it; `None` where it depends on garbage.
    fn finding(
        &self,
        key: &GroupKey,
        group: &Group,
        record: Vec<u8>,
        observers: &mut Observers,
    ) -> Result<Option<Distilled>, AnalysisError> {
        let watched = self.scene.policy.watched;
        let Some(baseline) = observers.confirm(0, &record, watched)? else { return Ok(None) };
        let Some(variant) = observers.confirm(key.variant, &record, watched)? else { return Ok(None) };
        let difference = match self.compare(&record, &baseline, &variant) {
            None => self.events(key.variant, &record, observers)?,
            difference => difference,
        };
        let Some(difference) = difference else { return Ok(None) };
        let mut seen = vec![(0, &baseline), (key.variant, &variant)];
        let control_index = self.controls[key.variant - 1];
        let control = match control_index {
            Some(control) => Some(observers.trace(control, &record, watched)?),
            None => None,
        };
        let in_control = match control_index.zip(control.as_ref()) {
            Some((index, control)) => {
                let differs = match self.compare(&record, &baseline, control) {
                    None => self.events(index, &record, observers)?,
                    differs => differs,
                };
                differs.is_some_and(|differs| alike(&differs, &difference))
            }
            None => false,
        };
        if let (Some(index), Some(control)) = (control_index, &control) {
            seen.push((index, control));
        }
        let observations = seen
            .into_iter()
            .map(|(build, seen)| {
                observation_record(
                    &self.roles[build],
                    self.signature,
                    self.scene.policy.watched,
                    seen,
                    observers.build(build),
                )
            })
            .collect();
        let mut finding = Finding {
            id: String::new(),
            severity: Severity::from(difference.severity),
            between: vec![self.roles[0].clone(), self.roles[key.variant].clone()],
            baseline_clean: difference.baseline_clean,
            in_control,
            found_by: group.origin.into(),
            count: group.count,
            summary: String::new(),
            inputs: input_values(self.signature, &record),
            observations,
            command: None,
            exception: None,
            notes: Vec::new(),
        };
        finding.summary = summary(&finding);
        Ok(Some(Distilled { finding, record, variant: key.variant }))
    }
}

/// Whether two differences are of one kind: same severity, exceptions, outcomes and changes of class.
fn alike(a: &Difference, b: &Difference) -> bool {
    a.severity == b.severity
        && a.baseline_clean == b.baseline_clean
        && a.baseline_flags == b.baseline_flags
        && a.variant_flags == b.variant_flags
        && a.outcomes == b.outcomes
        && (a.baseline_flags != a.variant_flags || a.classes == b.classes)
}

/// One sentence on what differs.
fn summary(finding: &Finding) -> String {
    let [baseline, variant, ..] = &finding.observations[..] else { return String::new() };
    let [first, second, ..] = &finding.between[..] else { return String::new() };
    let only_variant = variant.flags - baseline.flags;
    let only_baseline = baseline.flags - variant.flags;
    let mut parts = Vec::new();
    if let (Some(outcome), _) | (None, Some(outcome)) = (variant.outcome_words(), baseline.outcome_words()) {
        let who = if variant.outcome_words().is_some() { second } else { first };
        parts.push(format!("{who} ends by {outcome}"));
    }
    if !only_variant.is_empty() {
        let clean = if finding.baseline_clean { " is clean" } else { " does not" };
        parts.push(format!("{second} raises {} where {first}{clean}", words(only_variant)));
    }
    if !only_baseline.is_empty() {
        parts.push(format!("{first} raises {}, {second} does not", words(only_baseline)));
    }
    let changed = changed_value(baseline, variant);
    if let Some((name, old, new)) = changed {
        parts.push(format!("{name} is {new} instead of {old}"));
    }
    if parts.is_empty() { "the traces differ".to_owned() } else { parts.join("; ") }
}

fn words(flags: Flags) -> String {
    flags.names().join(" and ")
}

/// The first output that differs: its name and both values.
fn changed_value(baseline: &ObservationRecord, variant: &ObservationRecord) -> Option<(String, String, String)> {
    let scalars = |observation: &ObservationRecord| -> Vec<(String, String)> {
        let all = observation.result.iter().chain(&observation.outputs);
        all.flat_map(Value::scalars)
            .map(|value| {
                let name = value.name.clone().unwrap_or_else(|| "the result".to_owned());
                (name, value.decimal.clone().unwrap_or_default())
            })
            .collect()
    };
    let pairs = scalars(baseline).into_iter().zip(scalars(variant));
    let mut differing = pairs.filter(|((_, old), (_, new))| old != new);
    differing.next().map(|((name, old), (_, new))| (name, old, new))
}
