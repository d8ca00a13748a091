//! The divergences found so far: each distinct one once, with its first input and a count.
//!
//! Divergences are the same if they are between the same builds, of the same severity, raise the same exceptions, raise those that only one side raises
//! at the same sites, and have other results, or have not. Sites need a trace, which costs a thousand fast runs; so each coarse kind of divergence (what the
//! fast path sees) is traced up to [`TRACED_PER_KIND`] times, and inputs after that count for the group that their kind
//! was traced to first.

use indexmap::IndexMap;
use labrys_float::Flags;
use labrys_fuzz::RecordSet;
use labrys_report::FoundBy;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::cause::CauseKey;
use super::compare::{ClassChange, Difference, OutcomeKey, SeverityRank};
use super::parts::Part;

/// How many inputs of a coarse kind are traced.
pub const TRACED_PER_KIND: u64 = 24;
/// Outputs from this one on are not told apart in [`GroupKey::distant`]: arrays are one output's.
const OUTPUTS_TOLD_APART: usize = 8;
/// Other inputs of a group that are kept, for those of other causes among them.
const MOST_OTHERS: usize = 15;

/// Exceptions at one site, as a key: the site's place in the symbol table of its build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteKey {
    /// `file:line:column function operator`, or the address where there is no debug information.
    pub site: String,
    /// What it raised.
    pub exceptions: Flags,
}

/// What makes a divergence distinct.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey {
    /// Outside fast-math's contract; such groups are ranked last.
    pub baseline_clean: bool,
    /// How bad it is.
    pub severity: SeverityRank,
    /// Index of the variant among the builds.
    pub variant: usize,
    /// The watched exceptions on both sides.
    pub flags: (Flags, Flags),
    /// Both outcomes, where one did not return.
    pub outcomes: Option<(OutcomeKey, OutcomeKey)>,
    /// Changes of class, where exceptions do not tell the divergence apart already.
    pub classes: Vec<(usize, ClassChange)>,
    /// The first output that is further apart than allowed, as far as these are told apart, where nothing else tells the divergence apart.
    pub distant: Option<usize>,
    /// Whether results differ, too, where exceptions tell it apart.
    pub has_results: bool,
    /// The sites on both sides that raise what the other side does not raise anywhere; sorted, each once.
    pub sites: (Vec<SiteKey>, Vec<SiteKey>),
    /// Which of the causes that were found in the group; 0 before they are looked for.
    pub cause: usize,
}

impl GroupKey {
    /// The key of a difference whose events are known.
    pub fn new(variant: usize, difference: &Difference, sites: (Vec<SiteKey>, Vec<SiteKey>)) -> GroupKey {
        let told_apart = difference.baseline_flags != difference.variant_flags;
        GroupKey {
            baseline_clean: difference.baseline_clean,
            severity: difference.severity,
            variant,
            flags: (difference.baseline_flags, difference.variant_flags),
            outcomes: difference.outcomes,
            classes: if told_apart { Vec::new() } else { difference.classes.clone() },
            distant: (!told_apart && difference.classes.is_empty())
                .then(|| difference.distant.first().map(|first| *first.min(&OUTPUTS_TOLD_APART)))
                .flatten(),
            has_results: told_apart && !(difference.classes.is_empty() && difference.distant.is_empty()),
            sites,
            cause: 0,
        }
    }

    /// Whether nothing but results tells what is in the group apart, which may have several causes.
    fn is_of_results(&self) -> bool {
        self.flags.0 == self.flags.1 && self.outcomes.is_none()
    }
}

/// One distinct divergence.
#[derive(Clone, Debug)]
pub struct Group {
    /// What the fast path saw on the first input.
    pub difference: Difference,
    /// What is looked at on all of its inputs.
    pub part: Part,
    /// The first input.
    pub record: Vec<u8>,
    /// Who found the first input.
    pub found_by: FoundBy,
    /// How many inputs show it.
    pub count: u64,
    /// The input on which results are furthest apart, and how far, in ulps; the first where they differ in class alone.
    pub worst: (f64, Vec<u8>),
    /// Some other inputs, where results alone differ.
    pub others: Vec<Vec<u8>>,
    /// What causes all of it, where some of its inputs had another cause.
    pub cause: Option<CauseKey>,
    /// Of how many inputs that were followed so many had that cause; the count is reckoned from that.
    pub followed: (u64, u64),
}

impl Group {
    /// The input from which a witness is sought: where results differ by ulps the one on which they are furthest apart, else the first.
    pub fn start(&self) -> &Vec<u8> {
        if self.difference.severity == SeverityRank::Ulps { &self.worst.1 } else { &self.record }
    }
}

/// All divergences of a run.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    groups: IndexMap<GroupKey, Group, FxBuildHasher>,
    /// For each coarse kind: how often it was traced and the group of the first trace.
    kinds: FxHashMap<(usize, Difference), (u64, Option<usize>)>,
    /// Inputs on which a variant differs, by variant: those of divergences in results, or in all, and those of divergences in exceptions alone beside one
    /// in results.
    diverging: Vec<[RecordSet; 2]>,
}

impl Ledger {
    /// Whether a further input of this kind wants a trace.
    pub fn wants_trace(&self, variant: usize, difference: &Difference) -> bool {
        self.kinds.get(&(variant, difference.clone())).is_none_or(|(traced, _)| *traced < TRACED_PER_KIND)
    }

    /// Enters a traced divergence with an input, on which results are so many ulps apart. Whether it is a new one.
    pub fn enter(
        &mut self,
        key: GroupKey,
        (part, difference): (Part, Difference),
        (record, distance): (&[u8], f64),
        found_by: FoundBy,
    ) -> bool {
        let variant = key.variant;
        let kind = (variant, difference.clone());
        let next = self.groups.len();
        let has_others = key.is_of_results();
        let entry = self.groups.entry(key);
        let index = entry.index();
        let new = || Group {
            difference,
            part,
            record: record.to_vec(),
            found_by,
            count: 0,
            worst: (0.0, record.to_vec()),
            others: Vec::new(),
            cause: None,
            followed: (0, 0),
        };
        let group = entry.or_insert_with(new);
        if has_others && group.others.len() < MOST_OTHERS && group.record != record {
            group.others.push(record.to_vec());
        }
        group.part = group.part.common(part);
        self.add(index, (variant, part), record, distance);
        let (traced, first) = self.kinds.entry(kind).or_insert((0, None));
        *traced += 1;
        first.get_or_insert(index);
        index == next
    }

    /// Counts an input whose kind was traced often enough.
    pub fn count(&mut self, variant: usize, (part, difference): (Part, &Difference), record: &[u8], distance: f64) {
        let first = self.kinds.get(&(variant, difference.clone())).and_then(|(_, first)| *first);
        if let Some(index) = first {
            if let Some((_, group)) = self.groups.get_index_mut(index) {
                group.part = group.part.common(part);
            }
            self.add(index, (variant, part), record, distance);
        }
    }

    /// Adds an input to a group, unless it was counted for the variant before: search comes back to inputs.
    fn add(&mut self, group: usize, (variant, part): (usize, Part), record: &[u8], distance: f64) {
        if self.diverging.len() <= variant {
            self.diverging.resize_with(variant + 1, Default::default);
        }
        let is_new = self.diverging[variant][usize::from(!part.results)].insert(record);
        let Some((_, group)) = self.groups.get_index_mut(group) else { return };
        group.count = (group.count + u64::from(is_new)).max(1);
        if distance > group.worst.0 {
            group.worst = (distance, record.to_vec());
        }
    }

    /// Whether an input whose kind was traced often enough would be the one of its group on which results are furthest apart.
    pub fn is_further(&self, variant: usize, difference: &Difference, distance: f64) -> bool {
        let group = self.kinds.get(&(variant, difference.clone())).and_then(|(_, first)| *first);
        let group = group.and_then(|index| self.groups.get_index(index));
        group.is_some_and(|(_, group)| distance > group.worst.0)
    }

    /// The distinct divergences in the order they were found.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (&GroupKey, &Group)> {
        self.groups.iter()
    }

    /// How many distinct inputs diverge.
    pub fn diverging_inputs(&self) -> usize {
        let mut all = self.diverging.iter().flatten();
        let first = all.next().cloned().unwrap_or_default();
        all.fold(first, |all, of| all.union(of)).len()
    }

    /// Whether this input is known to diverge.
    pub fn diverges(&self, record: &[u8]) -> bool {
        self.diverging.iter().flatten().any(|of| of.contains(record))
    }
}
