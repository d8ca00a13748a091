//! Groups of divergences whose inputs have several causes, taken apart.
//!
//! Where exceptions differ, the places that raise them tell divergences apart. Other numbers as results do not tell where they come from: two lines that each give
//! another number are one group. So some inputs of such a group are followed, and each cause has a group of its own, for which its share of the
//! group's inputs counts.

use rustc_hash::FxHashMap;

use super::compare::distance;
use super::distill::Distiller;
use super::ledger::{Group, GroupKey};
use super::observers::Observers;
use crate::error::AnalysisError;

impl Distiller<'_> {
    /// The groups of each cause, by the place of the group that they are instead of.
    pub(super) fn by_cause(
        &self,
        groups: &[(&GroupKey, &Group)],
        observers: &mut Observers,
    ) -> Result<FxHashMap<usize, Vec<(GroupKey, Group)>>, AnalysisError> {
        let mut split = FxHashMap::default();
        for (place, (key, group)) in groups.iter().enumerate() {
            if group.others.is_empty() || self.shrinking.stop(self.progress).is_some() {
                continue;
            }
            let parts = match self.parts_of(key, group, observers) {
                Err(error) if error.is_time_up() => break,
                parts => parts?,
            };
            if parts.len() > 1 {
                split.insert(place, parts);
            }
        }
        Ok(split)
    }

    fn parts_of(
        &self,
        key: &GroupKey,
        group: &Group,
        observers: &mut Observers,
    ) -> Result<Vec<(GroupKey, Group)>, AnalysisError> {
        let records: Vec<Vec<u8>> = std::iter::once(group.start()).chain(&group.others).cloned().collect();
        let seen = observers.run(&records, self.scene.policy.watched)?;
        let (Some(ours), Some(theirs)) = (seen.first(), seen.get(key.variant)) else { return Ok(Vec::new()) };
        let mut parts: Vec<(GroupKey, Group)> = Vec::new();
        for (record, pair) in records.into_iter().zip(ours.iter().zip(theirs)) {
            let of = (&group.difference, group.part);
            let cause = self.cause(key.variant, of, &record, [pair.0, pair.1], observers)?;
            let Some((cause, _)) = cause else { continue };
            let apart = distance(self.scene.outputs, pair.0, pair.1);
            match parts.iter_mut().find(|(_, part)| part.cause.as_ref() == Some(&cause)) {
                Some((_, part)) => {
                    part.count += 1;
                    if apart > part.worst.0 {
                        part.worst = (apart, record);
                    }
                }
                None => {
                    let key = GroupKey { cause: parts.len(), ..key.clone() };
                    let worst = (apart, record.clone());
                    let others = Vec::new();
                    let part = Group { record, count: 1, worst, others, cause: Some(cause), ..group.clone() };
                    parts.push((key, part));
                }
            }
        }
        let all: u64 = parts.iter().map(|(_, part)| part.count).sum();
        for (_, part) in &mut parts {
            part.followed = (part.count, all);
            part.count = part.count.max(group.count.saturating_mul(part.count) / all);
        }
        // What rounding down left over.
        let told: u64 = parts.iter().map(|(_, part)| part.count).sum();
        if let Some((_, largest)) = parts.iter_mut().max_by_key(|(_, part)| part.count) {
            largest.count += group.count.saturating_sub(told);
        }
        Ok(parts)
    }
}
