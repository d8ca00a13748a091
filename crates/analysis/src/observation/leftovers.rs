//! What hangs on leftovers: on what callers leave in unused vector lanes, and on memory that nobody wrote.
//!
//! **Claim.** Nothing that is reported of a confirmed input hangs on them, of the kinds that [`labrys_native::Filling`] has. Where the
//! outcome or an output does, the input shows nothing. Where exceptions do, only the others are told: those that a function
//! raised with every filling, and those that it raised with none.

use std::collections::BTreeMap;

use labrys_native::{Confirmation, Filling};

/// What decides about a result that is not the same on every run, as far as that can be told.
pub const REASONS: &str =
    "earlier calls, the clock, how long a call takes, addresses, unused vector lanes or memory that nobody wrote";

/// How often confirmations varied, and with what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Witnesses on which exceptions differed from those with zeros, and on which results did.
    counts: BTreeMap<Filling, [usize; 2]>,
}

impl Leftovers {
    /// Counts one witness, run by one build or by several.
    pub fn count(&mut self, confirmations: &[&Confirmation]) {
        for filling in Filling::others() {
            let mut differs = [false; 2];
            for confirmation in confirmations {
                let with_zeros = &confirmation.observation;
                for variation in confirmation.variations.iter().filter(|variation| variation.filling == filling) {
                    differs[0] |= variation.observation.flags != with_zeros.flags;
                    differs[1] |= variation.changes_result(with_zeros);
                }
            }
            if differs.contains(&true) {
                let counts = self.counts.entry(filling).or_default();
                counts.iter_mut().zip(differs).for_each(|(count, differs)| *count += usize::from(differs));
            }
        }
    }

    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Leftovers) {
        for (filling, more) in &other.counts {
            let counts = self.counts.entry(*filling).or_default();
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
    }

    /// A note on which filling changed what how often, if any did; `what` is the plural of what was counted.
    pub fn note(&self, what: &str) -> Option<String> {
        let said = |(filling, [exceptions, results]): (&Filling, &[usize; 2])| {
            let parts = [(exceptions, "exceptions"), (results, "results")];
            let parts = parts.into_iter().filter(|(count, _)| **count > 0);
            let parts: Vec<String> = parts.map(|(count, of)| format!("the {of} of {count}")).collect();
            format!("{} change {}", filling.words(), parts.join(" and "))
        };
        let said: Vec<String> = self.counts.iter().map(said).collect();
        (!said.is_empty()).then(|| {
            format!("{what} were repeated with other leftovers in unused vector lanes and memory: {}", said.join("; "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_float::Flags;
    use labrys_native::{Observation, Outcome, Variation};

    #[test]
    fn a_witness_counts_once_for_each_filling_whatever_the_number_of_builds() {
        let observed = |flags, byte| Observation { outcome: Outcome::Returned, flags, output: vec![byte], trace: None };
        let confirmation = |variations: &[(Filling, Observation)]| Confirmation {
            observation: observed(Flags::empty(), 0),
            variations: variations
                .iter()
                .map(|(filling, observation)| Variation { filling: *filling, observation: observation.clone() })
                .collect(),
        };
        let raising = confirmation(&[(Filling::Huge, observed(Flags::OVERFLOW, 0))]);
        let both =
            confirmation(&[(Filling::Ones, observed(Flags::empty(), 1)), (Filling::Huge, observed(Flags::INVALID, 1))]);
        let mut leftovers = Leftovers::default();
        leftovers.count(&[&confirmation(&[]), &confirmation(&[])]);
        assert_eq!(leftovers.note("witnesses"), None);
        leftovers.count(&[&raising, &raising]);
        leftovers.count(&[&raising, &both]);
        let note = leftovers.note("witnesses").expect("a note");
        let said = note.split_once(": ").expect("what changes").1;
        assert_eq!(said, "ones change the results of 1; huge numbers change the exceptions of 2 and the results of 1");
    }
}
