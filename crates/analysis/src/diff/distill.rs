//! From the ledger's groups to findings: classes of one cause, and of each a witness.

use std::time::Instant;

use labrys_program::{CrateFunction, Signature};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builds::Made;
use super::classes::{self, Class, Classes};
use super::compare::SeverityRank;
use super::findings::{Confirmed, Findings, Same};
use super::judge::Scene;
use super::ledger::{Group, GroupKey, Ledger};
use super::observers::Observers;
use crate::error::AnalysisError;
use crate::run::clock::{AFTER_INTERRUPT, Clock};
use crate::run::progress::Progress;

/// Of a cause's divergences so many are tried before it counts as unstable.
const TRIED: usize = 4;

/// What findings are made of.
pub struct Distiller<'a> {
    /// What was searched.
    pub scene: &'a Scene<'a>,
    /// The function.
    pub signature: &'a Signature,
    /// The same, where it is a crate's.
    pub of_crate: Option<&'a CrateFunction>,
    /// The builds.
    pub builds: &'a [Made],
    /// The role of each build.
    pub roles: &'a [String],
    /// Whether every divergence is a finding, and not only every cause.
    pub every: bool,
    /// When to stop shrinking, so that time is left to confirm.
    pub shrinking: &'a Clock,
    /// Who may interrupt.
    pub progress: &'a dyn Progress,
    /// When confirming began.
    pub begun: Instant,
}

impl Distiller<'_> {
    /// Makes the findings of all groups.
    ///
    /// # Errors
    ///
    /// Where workers cannot be kept running.
    pub fn findings(&self, ledger: &Ledger, observers: &mut Observers) -> Result<Findings, AnalysisError> {
        let mut found = Findings::default();
        let mut known = FxHashMap::default();
        let mut groups: Vec<(&GroupKey, &Group)> = ledger.groups().collect();
        groups.sort_by_key(|(key, _)| (!key.baseline_clean, key.severity));
        let split = self.by_cause(&groups, observers)?;
        let groups = groups.into_iter().enumerate().flat_map(|(place, whole)| match split.get(&place) {
            Some(parts) => parts.iter().map(|(key, group)| (key, group)).collect(),
            None => vec![whole],
        });
        // Whether a call returns at all takes as long to see as thousands of others take: the time goes to these first.
        let (late, quick): (Vec<_>, Vec<_>) = groups.partition(|(_, group)| group.difference.is_late());
        for groups in [quick, late] {
            self.enter_classes(groups, &mut found, &mut known, observers)?;
        }
        Ok(found)
    }

    /// Makes the findings of some groups.
    fn enter_classes(
        &self,
        groups: Vec<(&GroupKey, &Group)>,
        found: &mut Findings,
        known: &mut FxHashMap<Same, usize>,
        observers: &mut Observers,
    ) -> Result<(), AnalysisError> {
        let classes = self.classes(groups, observers)?;
        let mut unshrunk = Vec::new();
        if self.shrinking.is_limited() {
            // Time may run out while shrinking: what was found is confirmed as it is first.
            for class in &classes {
                let (key, group) = class.groups[0];
                unshrunk.push(self.confirmed(key, group, group.start().clone(), observers)?);
            }
        }
        let mut unshrunk = unshrunk.into_iter();
        for class in classes {
            let fallback = unshrunk.next();
            let confirmed = self.of_class(&class, fallback, observers)?;
            found.enter(confirmed, &class, known);
        }
        Ok(())
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
        groups.retain(|(key, group)| !told.contains(&(key.variant, key.severity)) && !group.difference.is_late());
        // Of each kind one: hundreds may be of one cause.
        groups.dedup_by_key(|(key, _)| (key.variant, key.severity));
        for (key, group) in groups {
            if self.progress.interrupted() {
                break;
            }
            if let Confirmed::Yes(distilled) = self.confirmed(key, group, group.start().clone(), observers)? {
                told.insert((key.variant, key.severity));
                self.progress.found(distilled.finding.severity.name(), &distilled.finding.summary);
            }
        }
        Ok(())
    }

    /// After an interrupt nobody waits for calls that take long, one by one.
    pub(super) fn heed_interrupt(&self, observers: &mut Observers) {
        if self.progress.interrupted() {
            observers.end_calls_by(self.begun + AFTER_INTERRUPT);
        }
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

    /// Groups, worst first, by what causes them; each by itself where all are asked for, or nothing tells the cause.
    fn classes<'l>(
        &self,
        groups: Vec<(&'l GroupKey, &'l Group)>,
        observers: &mut Observers,
    ) -> Result<Vec<Class<'l>>, AnalysisError> {
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
                    let of = (&group.difference, group.part);
                    match self.cause(key.variant, of, group.start(), [pair.0, pair.1], observers) {
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
}
