//! From the ledger's groups to findings: shrink the witness, confirm it, describe what was seen.

use labrys_float::Flags;
use labrys_fuzz::shrink_within;
use labrys_native::{Confirmation, Observation};
use labrys_program::Signature;
use labrys_report::{
    Cause, Details, DifferenceDetails, Finding, ObservationRecord, Severity, Value, WorstDifference, input_values,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builds::Made;
use super::cause::{CauseKey, Differing, change};
use super::classes::{self, Class, Classes};
use super::compare::{Difference, Policy, SeverityRank, compare, distance};
use super::event_order::{compare_events, sites};
use super::judge::Scene;
use super::ledger::{Group, GroupKey, Ledger};
use super::observers::Observers;
use crate::error::AnalysisError;
use crate::observation::leftovers::Leftovers;
use crate::run::clock::Clock;
use crate::run::progress::Progress;
use crate::run::record::observation_record;

/// How many inputs shrinking one witness may run.
const SHRINK_INPUTS: usize = 4000;

/// Of a cause's divergences so many are tried before it counts as unstable.
const TRIED: usize = 4;

/// What findings are made of.
pub struct Distiller<'a> {
    /// What was searched.
    pub scene: &'a Scene<'a>,
    /// The function.
    pub signature: &'a Signature,
    /// The builds.
    pub builds: &'a [Made],
    /// The role of each build.
    pub roles: &'a [String],
    /// Whether every divergence is a finding, and not only every cause.
    pub every: bool,
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
    /// What it has in common with others that are the same finding.
    same: Same,
    /// Whether there are others.
    is_reduced: bool,
    leftovers: Leftovers,
}

/// What the ledger's groups come to.
#[derive(Default)]
pub struct Findings {
    /// The findings, in the ledger's order.
    pub findings: Vec<Distilled>,
    /// What is said of the others.
    pub tally: Tally,
}

/// Numbers of groups, for notes.
#[derive(Default)]
pub struct Tally {
    /// Groups that hang on leftovers in lanes and memory, or did not show the difference again.
    pub unstable: usize,
    /// Groups that are told without some exceptions, because these hang on leftovers.
    pub reduced: usize,
    /// Groups that the time limit left no time to confirm: not findings.
    pub unconfirmed: usize,
    /// How often confirmations varied.
    pub leftovers: Leftovers,
}

impl Findings {
    /// Enters what a class came to. Those that are alike without the exceptions that hang on leftovers are one finding, and so are those
    /// whose witnesses turn out to have one cause.
    fn enter(&mut self, confirmed: Confirmed, class: &Class<'_>, known: &mut FxHashMap<Same, usize>) {
        let tally = &mut self.tally;
        match confirmed {
            Confirmed::Yes(mut distilled) => {
                tally.leftovers.add(&distilled.leftovers);
                tally.reduced += usize::from(distilled.is_reduced);
                let count: u64 = class.groups.iter().map(|(_, group)| group.count).sum();
                let divergences = class.groups.len() as u64;
                let first = match known.get(&distilled.same) {
                    Some(index) => &mut self.findings[*index].finding,
                    None => {
                        known.insert(distilled.same.clone(), self.findings.len());
                        distilled.finding.count = 0;
                        if let Some(details) = distilled.finding.difference_mut() {
                            details.divergences = 0;
                        }
                        self.findings.push(*distilled);
                        let last = self.findings.len() - 1;
                        &mut self.findings[last].finding
                    }
                };
                first.count += count;
                if let Some(details) = first.difference_mut() {
                    details.divergences += divergences;
                }
            }
            Confirmed::No(leftovers) => {
                tally.leftovers.add(&leftovers);
                tally.unstable += 1;
            }
            Confirmed::OutOfTime => tally.unconfirmed += 1,
        }
    }
}

/// What makes two witnesses one finding: the cause where it is known and all are not asked for, else the group.
type Same = Result<CauseKey, GroupKey>;

/// Whether a witness shows its divergence again.
enum Confirmed {
    Yes(Box<Distilled>),
    No(Leftovers),
    OutOfTime,
}

impl Confirmed {
    /// Whether a finding came of it.
    fn is_yes(&self) -> bool {
        matches!(self, Confirmed::Yes(_))
    }
}

impl Distiller<'_> {
    /// Makes the findings of all groups.
    ///
    /// # Errors
    ///
    /// Where workers cannot be kept running.
    pub fn findings(&self, ledger: &Ledger, observers: &mut Observers) -> Result<Findings, AnalysisError> {
        let mut found = Findings::default();
        let classes = self.classes(ledger, observers)?;
        let mut unshrunk = Vec::new();
        if self.shrinking.is_limited() {
            // Time may run out while shrinking: what was found is confirmed as it is first.
            for class in &classes {
                let (key, group) = class.groups[0];
                unshrunk.push(self.confirmed(key, group, group.start().clone(), observers)?);
            }
        }
        let mut unshrunk = unshrunk.into_iter();
        let mut known = FxHashMap::default();
        for class in classes {
            let fallback = unshrunk.next();
            let confirmed = self.of_class(&class, fallback, observers)?;
            found.enter(confirmed, &class, &mut known);
        }
        Ok(found)
    }

    /// Confirms the worst of each kind of what was found so far as it is, for who wants to know at once, but for kinds that were `told`.
    ///
    /// # Errors
    ///
    /// Where workers cannot be kept running.
    pub fn tell_first(
        &self,
        ledger: &Ledger,
        observers: &mut Observers,
        told: &mut FxHashSet<(usize, SeverityRank)>,
    ) -> Result<(), AnalysisError> {
        let mut groups: Vec<(&GroupKey, &Group)> = ledger.groups().collect();
        groups.sort_by_key(|(key, _)| (!key.baseline_clean, key.severity));
        // Of each kind one: hundreds may be of one cause.
        groups.dedup_by_key(|(key, _)| (key.variant, key.severity));
        groups.retain(|(key, _)| !told.contains(&(key.variant, key.severity)));
        for (key, group) in groups {
            if let Confirmed::Yes(distilled) = self.confirmed(key, group, group.start().clone(), observers)? {
                told.insert((key.variant, key.severity));
                self.progress.found(distilled.finding.severity.name(), &distilled.finding.summary);
            }
        }
        Ok(())
    }

    /// A finding of a class of divergences: of the first that confirms, as simple as can be.
    fn of_class(
        &self,
        class: &Class<'_>,
        mut fallback: Option<Confirmed>,
        observers: &mut Observers,
    ) -> Result<Confirmed, AnalysisError> {
        let mut last = Confirmed::OutOfTime;
        for (key, group) in class.groups.iter().take(TRIED) {
            let record = match self.shrinking.stop(self.progress) {
                None => self.simplest(key, group, observers),
                Some(_) => Ok(group.start().clone()),
            };
            let confirmed = match record {
                Err(error) if error.is_time_up() => Confirmed::OutOfTime,
                record => self.confirmed(key, group, record?, observers)?,
            };
            last = match (confirmed, fallback.take()) {
                (confirmed, Some(fallback)) if fallback.is_yes() && !confirmed.is_yes() => fallback,
                // What shrinking came to may hang on leftovers where the first input does not.
                (Confirmed::No(_), None) => self.confirmed(key, group, group.start().clone(), observers)?,
                (confirmed, _) => confirmed,
            };
            if last.is_yes() {
                break;
            }
        }
        if let Confirmed::Yes(distilled) = &mut last {
            if let Some(details) = distilled.finding.difference_mut()
                && let Some(known) = class.blame(details)
            {
                distilled.same = Ok(known);
            }
            self.add_worst(class, distilled, observers)?;
        }
        Ok(last)
    }

    /// Adds the input on which results of the class are furthest apart, where that is another than the witness and is confirmed.
    fn add_worst(
        &self,
        class: &Class<'_>,
        distilled: &mut Distilled,
        observers: &mut Observers,
    ) -> Result<(), AnalysisError> {
        let furthest = class.groups.iter().max_by(|(_, a), (_, b)| a.worst.0.total_cmp(&b.worst.0));
        let Some((key, Group { worst: (seen, record), .. })) = furthest else { return Ok(()) };
        let Some(details) = distilled.finding.difference_mut() else { return Ok(()) };
        if *record == distilled.record || *seen <= details.ulps.unwrap_or(0.0) {
            return Ok(());
        }
        let watched = self.scene.policy.watched;
        let mut both = || -> Result<_, AnalysisError> {
            Ok([observers.confirm(0, record, watched)?, observers.confirm(key.variant, record, watched)?])
        };
        let [baseline, variant] = match both() {
            Err(error) if error.is_time_up() => return Ok(()),
            both => both?,
        };
        let ulps = distance(self.scene.outputs, &baseline.observation, &variant.observation);
        if baseline.has_one_result() && variant.has_one_result() && ulps > details.ulps.unwrap_or(0.0) {
            details.worst = Some(WorstDifference { ulps, inputs: input_values(self.signature, record) });
        }
        Ok(())
    }

    /// The ledger's groups by what causes them, worst first; each by itself where all are asked for, or nothing tells the cause.
    fn classes<'l>(&self, ledger: &'l Ledger, observers: &mut Observers) -> Result<Vec<Class<'l>>, AnalysisError> {
        let mut groups: Vec<(&GroupKey, &Group)> = ledger.groups().collect();
        groups.sort_by_key(|(key, _)| (!key.baseline_clean, key.severity));
        let records: Vec<Vec<u8>> = groups.iter().map(|(_, group)| group.start().clone()).collect();
        let seen = match observers.run(&records, self.scene.policy.watched) {
            _ if self.every => Vec::new(),
            Err(error) if error.is_time_up() => Vec::new(),
            seen => seen?,
        };
        let mut classes = Classes::default();
        for (index, (key, group)) in groups.into_iter().enumerate() {
            let pair =
                seen.first().and_then(|of| of.get(index)).zip(seen.get(key.variant).and_then(|of| of.get(index)));
            let cause = match pair {
                Some(pair) if self.shrinking.stop(self.progress).is_none() => {
                    match self.cause(key.variant, &group.difference, group.start(), [pair.0, pair.1], observers) {
                        Err(error) if error.is_time_up() => None,
                        cause => cause?,
                    }
                }
                _ => None,
            };
            let known = cause.map(|(known, _)| known);
            classes.entry(known.ok_or(index)).or_default().groups.push((key, group));
        }
        Ok(classes::with_licences(classes, self.builds))
    }

    /// What a difference has in common with others of its cause.
    fn cause(
        &self,
        variant: usize,
        difference: &Difference,
        record: &[u8],
        seen: [&Observation; 2],
        observers: &mut Observers,
    ) -> Result<Option<(CauseKey, Cause)>, AnalysisError> {
        let builds = [&self.builds[0], &self.builds[variant]];
        let differing = Differing { builds, signature: self.signature, record, seen };
        let change = change(self.scene.outputs, seen[0], seen[1]);
        let cause = differing.cause(observers, variant, difference, &self.scene.policy)?;
        Ok(cause.map(|cause| (CauseKey::new(variant, &cause, change), cause)))
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
            Ok(confirmed) => Ok(confirmed),
            Err(error) if error.is_time_up() => Ok(Confirmed::OutOfTime),
            Err(error) => Err(error),
        }
    }

    /// The simplest input that is in the same group.
    fn simplest(&self, key: &GroupKey, group: &Group, observers: &mut Observers) -> Result<Vec<u8>, AnalysisError> {
        let mut failure = None;
        let watched = self.scene.policy.watched;
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
                    let policy = &self.scene.policy;
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
        let simplest = shrink_within(self.scene.space, group.start(), SHRINK_INPUTS, &mut oracle);
        match failure {
            Some(error) => Err(error),
            None => Ok(simplest),
        }
    }

    /// Of results that differ by ulps the distance is what counts: a simpler witness keeps at least half of the most that was seen.
    fn is_as_far(&self, key: &GroupKey, group: &Group, (baseline, variant): (&Observation, &Observation)) -> bool {
        key.severity != SeverityRank::Ulps || 2.0 * distance(self.scene.outputs, baseline, variant) >= group.worst.0
    }

    fn compare(
        &self,
        policy: &Policy,
        record: &[u8],
        baseline: &Observation,
        variant: &Observation,
    ) -> Option<Difference> {
        compare(policy, self.scene.inputs, self.scene.outputs, record, baseline, variant)
    }

    fn events(
        &self,
        policy: &Policy,
        variant: usize,
        record: &[u8],
        observers: &mut Observers,
    ) -> Result<Option<Difference>, AnalysisError> {
        compare_events(policy, self.scene.inputs, self.scene.outputs, observers, variant, record)
    }

    /// How a build differs from the baseline in what hangs on no leftovers, both of them confirmed, and the exceptions that can be
    /// compared. An input is inside the contract if it is whatever the leftovers.
    fn difference(
        &self,
        variant: usize,
        record: &[u8],
        pair: [&Confirmation; 2],
        observers: &mut Observers,
    ) -> Result<(Option<Difference>, Flags), AnalysisError> {
        let [baseline, other] = pair;
        let watched = self.scene.policy.watched - baseline.varying() - other.varying();
        if !(baseline.has_one_result() && other.has_one_result()) {
            return Ok((None, watched));
        }
        let policy = Policy { watched, ..self.scene.policy };
        let worst = Observation { flags: baseline.possible(), ..baseline.observation.clone() };
        let difference = match self.compare(&policy, record, &worst, &other.observation) {
            None => self.events(&policy, variant, record, observers)?,
            difference => difference,
        };
        Ok((difference, watched))
    }

    /// Confirms a witness and describes it.
    fn finding(
        &self,
        key: &GroupKey,
        group: &Group,
        record: Vec<u8>,
        observers: &mut Observers,
    ) -> Result<Confirmed, AnalysisError> {
        let all_watched = self.scene.policy.watched;
        let mut leftovers = Leftovers::default();
        let baseline = observers.confirm(0, &record, all_watched)?;
        let variant = observers.confirm(key.variant, &record, all_watched)?;
        leftovers.count(&[&baseline, &variant]);
        let (difference, watched) = self.difference(key.variant, &record, [&baseline, &variant], observers)?;
        let Some(difference) = difference else { return Ok(Confirmed::No(leftovers)) };
        let is_reduced = watched != all_watched;
        let key = if is_reduced {
            let sites = sites(observers, key.variant, &record, &difference, watched)?;
            GroupKey::new(key.variant, &difference, sites)
        } else {
            key.clone()
        };
        let mut seen = vec![(0, &baseline, watched), (key.variant, &variant, watched)];
        let control = match self.controls[key.variant - 1] {
            Some(control) => Some((control, observers.confirm(control, &record, all_watched)?)),
            None => None,
        };
        let mut in_control = false;
        if let Some((index, control)) = control.as_ref().filter(|(_, control)| control.has_one_result()) {
            let (differs, compared) = self.difference(*index, &record, [&baseline, control], observers)?;
            let compared = compared & watched;
            in_control = differs.is_some_and(|differs| alike(&differs.only(compared), &difference.only(compared)));
            seen.push((*index, control, compared));
        }
        let mut observations = Vec::new();
        for (build, seen, watched) in &seen {
            let (role, observer) = (&self.roles[*build], observers.build(*build));
            observations.push(observation_record(role, self.signature, *watched, &seen.observation, observer));
        }
        let apart = distance(self.scene.outputs, &baseline.observation, &variant.observation);
        let ends = [&baseline.observation, &variant.observation];
        let cause = self.cause(key.variant, &difference, &record, ends, observers)?;
        let details = DifferenceDetails {
            between: vec![self.roles[0].clone(), self.roles[key.variant].clone()],
            baseline_clean: difference.baseline_clean,
            in_control,
            compared: watched,
            ulps: (apart > 0.0).then_some(apart),
            worst: None,
            cause: cause.as_ref().map(|(_, cause)| cause.clone()),
            change: change(self.scene.outputs, &baseline.observation, &variant.observation),
            is_grouped: cause.is_some() && !self.every,
            also_in: Vec::new(),
            divergences: 1,
        };
        let notes = seen.iter().filter_map(|(build, seen, _)| not_compared(&self.roles[*build], seen)).collect();
        let severity = Severity::from(difference.severity);
        let finding = Finding {
            id: String::new(),
            severity,
            found_by: group.origin.into(),
            count: group.count,
            summary: summary(severity, &details, &observations),
            inputs: input_values(self.signature, &record),
            observations,
            command: None,
            details: Details::Difference(details),
            notes,
        };
        let same = cause.filter(|_| !self.every).map(|(known, _)| known).ok_or(key);
        Ok(Confirmed::Yes(Box::new(Distilled { finding, record, same, is_reduced, leftovers })))
    }
}

/// What is said of a build whose exceptions hang on leftovers.
fn not_compared(role: &str, confirmation: &Confirmation) -> Option<String> {
    let varying = confirmation.varying();
    (!varying.is_empty()).then(|| {
        format!(
            "Whether {role} raises {} depends on what its caller leaves in unused vector lanes, or on memory that nobody wrote: not compared.",
            words(varying)
        )
    })
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
fn summary(severity: Severity, details: &DifferenceDetails, observations: &[ObservationRecord]) -> String {
    let [baseline, variant, ..] = observations else { return String::new() };
    let [first, second, ..] = &details.between[..] else { return String::new() };
    let only_variant = variant.flags - baseline.flags;
    let only_baseline = baseline.flags - variant.flags;
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
    let changed = changed_value(baseline, variant);
    if let Some((name, old, new)) = changed {
        parts.push(format!("{name} is {new} instead of {old}"));
    }
    if let Some(ulps) = details.ulps
        && severity == Severity::Ulps
    {
        parts.push(format!("{} ulps apart", grouped(ulps)));
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
