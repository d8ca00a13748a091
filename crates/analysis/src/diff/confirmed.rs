//! A witness, run again in fresh processes, and what is said of what it shows.

use labrys_float::Flags;
use labrys_native::{Confirmation, Observation};
use labrys_report::{
    Cause, Details, DifferenceDetails, Finding, ObservationRecord, OutputTruth, Severity, StackEntry, WorstDifference,
    input_values,
};

use super::cause::{CauseKey, Differing, change_in};
use super::classes::Class;
use super::compare::{Difference, Policy, distance, distance_at};
use super::distill::Distiller;
use super::event_order::sites;
use super::findings::{Confirmed, Distilled};
use super::ledger::{Group, GroupKey};
use super::observers::Observers;
use super::parts::Part;
use super::simplest::alike;
use super::summary::{left_to_control, not_compared, summary};
use super::truths::truths;
use crate::error::AnalysisError;
use crate::observation::leftovers::Leftovers;
use crate::run::record::observation_record;
use crate::target::called_at::Witnessed;

impl Distiller<'_> {
    /// Adds the input on which results of the class are furthest apart, where that is another than the witness and is confirmed.
    pub(super) fn add_worst(
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
        self.heed_interrupt(observers);
        let [baseline, variant] = match observers.confirm_alike([0, key.variant], record, watched) {
            Err(error) if error.is_time_up() => return Ok(()),
            both => both?,
        };
        let ulps = distance(self.scene.outputs, &baseline.observation, &variant.observation);
        if baseline.has_one_result() && variant.has_one_result() && ulps > details.ulps.unwrap_or(0.0) {
            details.worst = Some(WorstDifference { ulps, inputs: input_values(self.signature, record) });
        }
        Ok(())
    }

    /// What a difference has in common with others of its cause.
    pub(super) fn cause(
        &self,
        variant: usize,
        (difference, part): (&Difference, Part),
        record: &[u8],
        seen: [&Observation; 2],
        observers: &mut Observers,
    ) -> Result<Option<(CauseKey, Cause)>, AnalysisError> {
        let policy = part.policy(&self.scene.policy);
        let builds = [&self.builds[0], &self.builds[variant]];
        let differing = Differing { builds, signature: self.signature, record, seen };
        let change = change_in(&policy, self.scene.outputs, difference.told_by(seen), seen);
        let cause = differing.cause(observers, variant, difference, &policy)?;
        Ok(cause.map(|cause| (CauseKey::new(variant, &cause, change), cause)))
    }

    /// The user's lines from which the baseline comes to the cause of a difference, where that is in code of others.
    fn called_at(&self, cause: Option<&Cause>, record: &[u8], observers: &mut Observers) -> Vec<StackEntry> {
        let (Some(cause), Some(analysed)) = (cause, self.builds[0].analysed.as_deref()) else { return Vec::new() };
        let startup = observers.build(0).startup();
        let Distiller { signature, of_crate, .. } = *self;
        Witnessed { analysed, of_crate, signature, init: None, startup, record }.called_at(&cause.place, None)
    }

    /// The output that is told, as users write it, where results are compared.
    fn output(&self, part: Part, told: Option<usize>) -> Option<String> {
        let leaf = self.scene.outputs.leaves.get(told.filter(|_| self.scene.policy.results && part.results)?)?;
        Some(leaf.path.clone())
    }

    /// What outputs that differ are without rounding, where there is time to compute it.
    fn truths(&self, part: Part, told: Option<usize>, record: &[u8], ends: [&Observation; 2]) -> Vec<OutputTruth> {
        let analysed = self.builds[0].analysed.as_deref().filter(|_| self.scene.policy.results && part.results);
        match (analysed, told) {
            (Some(analysed), Some(told)) if self.shrinking.stop(self.progress).is_none() => {
                truths(analysed, self.signature, self.scene.outputs, record, (told, ends))
            }
            _ => Vec::new(),
        }
    }

    /// [`Distiller::finding`], with the deadline as an answer.
    pub(super) fn confirmed(
        &self,
        key: &GroupKey,
        group: &Group,
        record: Vec<u8>,
        observers: &mut Observers,
    ) -> Result<Confirmed, AnalysisError> {
        self.heed_interrupt(observers);
        match self.finding(key, group, record, observers) {
            Ok(confirmed) => Ok(confirmed),
            Err(error) if error.is_time_up() => Ok(Confirmed::OutOfTime),
            Err(error) => Err(error),
        }
    }

    /// How a build differs from the baseline in what hangs on no leftovers, both of them confirmed, and the exceptions that can be
    /// compared. An input is inside the contract if it is whatever the leftovers.
    fn difference(
        &self,
        (variant, part): (usize, Part),
        record: &[u8],
        pair: [&Confirmation; 2],
        observers: &mut Observers,
    ) -> Result<(Option<Difference>, Flags), AnalysisError> {
        let [baseline, other] = pair;
        let of_part = part.policy(&self.scene.policy);
        let watched = of_part.watched - baseline.varying() - other.varying();
        if !(baseline.has_one_result() && other.has_one_result()) {
            return Ok((None, watched));
        }
        let policy = Policy { watched, ..of_part };
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
        let (all_watched, part) = (self.scene.policy.watched, group.part);
        let mut leftovers = Leftovers::default();
        let [baseline, variant] = observers.confirm_alike([0, key.variant], &record, all_watched)?;
        leftovers.count(&[&baseline, &variant]);
        let (difference, watched) = self.difference((key.variant, part), &record, [&baseline, &variant], observers)?;
        let Some(difference) = difference else { return Ok(Confirmed::No(leftovers)) };
        let is_reduced = watched != all_watched - part.without;
        let key = if is_reduced {
            let sites = sites(observers, key.variant, &record, &difference, watched)?;
            GroupKey::new(key.variant, &difference, sites)
        } else {
            key.clone()
        };
        let mut seen = vec![(0, &baseline, watched), (key.variant, &variant, watched)];
        let control = match self.scene.controls[key.variant - 1] {
            Some(control) => {
                let [confirmed] = observers.confirm_alike([control], &record, all_watched)?;
                Some((control, confirmed))
            }
            None => None,
        };
        let mut in_control = false;
        if let Some((index, control)) = control.as_ref().filter(|(_, control)| control.has_one_result()) {
            let (differs, compared) = self.difference((*index, part), &record, [&baseline, control], observers)?;
            let compared = compared & watched;
            // In results, too: an exception that optimisers drop says nothing of another result.
            in_control = differs.is_some_and(|differs| {
                let (of_control, own) = (differs.only(compared), difference.only(compared));
                alike(&of_control, &own) && (of_control.classes, of_control.distant) == (own.classes, own.distant)
            });
            seen.push((*index, control, compared));
        }
        let mut observations = Vec::new();
        for (build, seen, watched) in &seen {
            let (role, observer) = (&self.roles[*build], observers.build(*build));
            let record = observation_record(role, self.signature, *watched, &seen.observation, observer);
            observations.push(ObservationRecord { not_compared: all_watched - *watched, ..record });
        }
        let ends = [&baseline.observation, &variant.observation];
        let cause = self.cause(key.variant, (&difference, part), &record, ends, observers)?;
        let told = difference.told_by(ends);
        let leaf = told.and_then(|told| self.scene.outputs.leaves.get(told));
        let apart = match leaf {
            Some(leaf) => distance_at(leaf, ends[0], ends[1]),
            None => distance(self.scene.outputs, ends[0], ends[1]),
        };
        let called_at = self.called_at(cause.as_ref().map(|(_, cause)| cause), &record, observers);
        let details = DifferenceDetails {
            between: vec![self.roles[0].clone(), self.roles[key.variant].clone()],
            baseline_clean: difference.baseline_clean,
            in_control,
            compared: watched,
            output: self.output(part, told),
            ulps: (part.results && apart > 0.0).then_some(apart),
            worst: None,
            truths: self.truths(part, told, &record, ends),
            cause: cause.as_ref().map(|(_, cause)| cause.clone()),
            grouped_by: None,
            blame: None,
            unblamed: None,
            change: change_in(&part.policy(&self.scene.policy), self.scene.outputs, told, ends),
            is_grouped: cause.is_some() && !self.every,
            also_in: Vec::new(),
            callers: None,
            divergences: 1,
        };
        let mut notes: Vec<String> =
            seen.iter().filter_map(|(build, seen, _)| not_compared(&self.roles[*build], seen)).collect();
        if let Group { cause: Some(_), followed: (own, all), .. } = group {
            notes.push(format!(
                "how many inputs show this is an estimate: {all} that differ so were followed, and {own} of them have this cause"
            ));
        }
        notes.extend(left_to_control(part, baseline.observation.flags ^ variant.observation.flags));
        notes.extend(cause.as_ref().and_then(|(_, cause)| observers.build(0).remark(&cause.place)));
        let severity = Severity::from(difference.severity);
        let finding = Finding {
            id: String::new(),
            severity,
            found_by: group.found_by,
            count: group.count,
            summary: summary(severity, &details, told, &observations),
            inputs: input_values(self.signature, &record),
            observations,
            command: None,
            called_at,
            details: Details::Difference(details),
            notes,
        };
        let variant = key.variant;
        let same = cause.filter(|_| !self.every).map(|(known, _)| known).ok_or(key);
        Ok(Confirmed::Yes(Box::new(Distilled { finding, variant, record, same, is_reduced, leftovers })))
    }
}
