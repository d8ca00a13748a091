//! What the exceptions analysis says of every site, and of each finding at one.

use labrys_float::Flags;
use serde::{Deserialize, Serialize};

use crate::{Opinion, ParameterInfo, SourcePlace, Status, exceptions};

/// One operation of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteKey {
    /// Where it is.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The function it stands in, as users know it.
    pub function: String,
    /// `fadd`, `fdiv`, ..., or the name of the library function that is called: `log`.
    pub operator: String,
}

/// What is known of one site and one exception that its operator can raise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteRecord {
    /// The site.
    #[serde(flatten)]
    pub site: SiteKey,
    /// The exception: exactly one.
    #[serde(with = "exceptions::one")]
    pub exception: Flags,
    /// What is known.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Whether an exception can occur at a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It was observed natively.
    Reachable {
        /// The finding's id.
        finding: String,
    },
    /// It was proved that no input of the search domain raises it: over the IR, or by running all of them.
    Unreachable {
        /// What proved it: `ranges`, `portfolio`, `enumeration`, ...
        engine: String,
        /// What the proof is about: `ir`, or the build that ran, `native: all 65,536 inputs were run`.
        scope: String,
        /// What the proof rests on, a sentence each.
        assumptions: Vec<String>,
        /// Whether anybody else says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opinion: Option<Opinion>,
    },
    /// As `Unreachable`, but only for executions whose loops stay within the bound. Does not count as decided.
    UnreachableWithinBound {
        /// What proved it.
        engine: String,
        /// What the proof is about: `ir`.
        scope: String,
        /// What the proof rests on.
        assumptions: Vec<String>,
        /// Whether anybody else says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opinion: Option<Opinion>,
        /// The bound: how often a back edge was followed.
        loop_bound: u32,
    },
    /// Neither is known.
    Unknown {
        /// The reason.
        why: String,
    },
}

/// How many (site, exception) pairs have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictCounts {
    /// [`Verdict::Reachable`].
    pub reachable: u64,
    /// [`Verdict::Unreachable`].
    pub unreachable: u64,
    /// [`Verdict::UnreachableWithinBound`].
    pub unreachable_within_bound: u64,
    /// [`Verdict::Unknown`].
    pub unknown: u64,
}

impl VerdictCounts {
    /// Counts the verdicts of sites.
    pub fn of<'a>(sites: impl IntoIterator<Item = &'a SiteRecord>) -> VerdictCounts {
        let mut counts = VerdictCounts::default();
        for record in sites {
            *match record.verdict {
                Verdict::Reachable { .. } => &mut counts.reachable,
                Verdict::Unreachable { .. } => &mut counts.unreachable,
                Verdict::UnreachableWithinBound { .. } => &mut counts.unreachable_within_bound,
                Verdict::Unknown { .. } => &mut counts.unknown,
            } += 1;
        }
        counts
    }

    /// All pairs.
    pub fn total(&self) -> u64 {
        self.reachable + self.unreachable + self.unreachable_within_bound + self.unknown
    }

    /// The pairs that are decided: what was proved under a loop bound only is not.
    pub fn decided(&self) -> u64 {
        self.reachable + self.unreachable
    }

    /// The share of pairs that are decided; 1 where there are none.
    pub fn decided_share(&self) -> f64 {
        if self.total() == 0 { 1.0 } else { self.decided() as f64 / self.total() as f64 }
    }
}

/// How many proofs were found how, and how many of them have a second opinion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofCounts {
    /// By value ranges alone.
    pub by_ranges: u64,
    /// Of these, confirmed by somebody else.
    pub by_ranges_confirmed: u64,
    /// By the solver over the floats or the intervals of its paths.
    pub by_solver: u64,
    /// Of these, confirmed by somebody else.
    pub by_solver_confirmed: u64,
}

impl ProofCounts {
    /// Counts the proofs of sites, those under a loop bound too.
    pub fn of<'a>(sites: impl IntoIterator<Item = &'a SiteRecord>) -> ProofCounts {
        let mut counts = ProofCounts::default();
        for record in sites {
            let (Verdict::Unreachable { engine, opinion, .. }
            | Verdict::UnreachableWithinBound { engine, opinion, .. }) = &record.verdict
            else {
                continue;
            };
            let (all, confirmed) = match engine.as_str() {
                "ranges" => (&mut counts.by_ranges, &mut counts.by_ranges_confirmed),
                _ => (&mut counts.by_solver, &mut counts.by_solver_confirmed),
            };
            *all += 1;
            *confirmed += u64::from(opinion.as_ref().is_some_and(Opinion::is_confirmed));
        }
        counts
    }
}

impl Verdict {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Reachable { .. } => "reachable",
            Verdict::Unreachable { .. } => "unreachable",
            Verdict::UnreachableWithinBound { .. } => "unreachable_within_bound",
            Verdict::Unknown { .. } => "unknown",
        }
    }
}

/// One function of a run over a library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionSummary {
    /// The function, as users know it.
    pub function: String,
    /// The file that defines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of its definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether other files can call it.
    pub is_public: bool,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
    /// Whether the planned work was done.
    pub status: Status,
    /// Whether every path was followed to its end.
    pub all_paths: bool,
    /// Why it was not analysed, where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// How many of its (site, operator-possible exception) pairs have which verdict, those of functions that it calls
    /// included.
    pub sites: VerdictCounts,
    /// Ids of its findings.
    pub findings: Vec<String>,
}
