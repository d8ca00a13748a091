//! What the ledger's groups come to.

use labrys_report::Finding;
use rustc_hash::FxHashMap;

use super::cause::CauseKey;
use super::classes::Class;
use super::ledger::GroupKey;
use crate::observation::leftovers::Leftovers;

/// A finding and its witness.
pub struct Distilled {
    /// The finding; its id and command are not set yet.
    pub finding: Finding,
    /// Which build it is that differs from the baseline.
    pub variant: usize,
    /// The witness as an input record.
    pub record: Vec<u8>,
    /// What it has in common with others that are the same finding.
    pub same: Same,
    /// Whether there are others.
    pub is_reduced: bool,
    /// What varied while it was confirmed.
    pub leftovers: Leftovers,
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
    pub fn enter(&mut self, confirmed: Confirmed, class: &Class<'_>, known: &mut FxHashMap<Same, usize>) {
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
pub type Same = Result<CauseKey, GroupKey>;

/// Whether a witness shows its divergence again.
pub enum Confirmed {
    /// It does.
    Yes(Box<Distilled>),
    /// It does not, or not always.
    No(Leftovers),
    /// There was no time to look.
    OutOfTime,
}

impl Confirmed {
    /// Whether a finding came of it.
    pub fn is_yes(&self) -> bool {
        matches!(self, Confirmed::Yes(_))
    }
}
