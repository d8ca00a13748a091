//! What the search makes of inputs that all builds ran: how builds differ, where, and by how much.

use std::time::{Duration, Instant};

use labrys_fuzz::{Corpus, RecordSet, Space, neighbours};
use labrys_native::{Observation, Outcome};
use labrys_program::{InputLayout, OutputLayout};
use labrys_report::FoundBy;
use rustc_hash::{FxHashMap, FxHashSet};

use super::branches::{BranchEvaluator, Branches};
use super::compare::{Difference, Policy, distance, is_clean};
use super::event_order::{self, compare_events};
use super::ledger::{GroupKey, Ledger};
use super::observers::Observers;
use super::parts::{Part, Parts, parts};
use crate::AnalysisError;
use crate::observation::class::{coarse, output_class};
use crate::observation::feature::feature;
use crate::observation::undefined::Defined;
use crate::run::clock::{Clock, Stop};
use crate::search::{Emphasis, Judge, Persistence, Search, Seen};

/// Only limits end the search: there may always be another divergence.
pub const PERSISTENCE: Persistence =
    Persistence { fruitless_rounds: u32::MAX, neighbours: 256, emphasis: Emphasis::Novelty };
/// On so many inputs of a kind are traces compared, where they are compared at all.
const COMPARED_PER_KIND: u64 = 256;

/// The search for inputs on which builds differ.
pub type DiffSearch<'a> = Search<'a, DiffJudge<'a>>;

/// What is compared, and what counts.
pub struct Scene<'a> {
    /// Where inputs come from.
    pub space: &'a Space,
    /// How inputs lie in records.
    pub inputs: &'a InputLayout,
    /// How outputs lie in records.
    pub outputs: &'a OutputLayout,
    /// What counts as a difference.
    pub policy: Policy,
    /// Which inputs say nothing because the function leaves its memory.
    pub defined: Defined<'a>,
    /// Indices of the builds that are compared with build 0.
    pub variants: Vec<usize>,
    /// The control of each variant, if it has one.
    pub controls: &'a [Option<usize>],
}

/// The divergences found, and the builds that show them.
pub struct DiffJudge<'a> {
    scene: &'a Scene<'a>,
    /// The builds.
    pub observers: &'a mut Observers,
    /// The divergences found.
    pub ledger: Ledger,
    /// How many inputs of each kind had their traces compared.
    compared: FxHashMap<(usize, Difference), u64>,
    /// Inputs on which builds differ in what hangs on lanes or memory that nobody wrote: they show nothing.
    pub unsteady: u64,
    /// Inputs that would show something new, were it not for an access outside of the function's memory.
    pub undefined: u64,
    branches: Option<BranchEvaluator<'a>>,
}

impl Judge for DiffJudge<'_> {
    fn run(
        &mut self,
        batch: &[Vec<u8>],
        found_by: FoundBy,
        corpus: &mut Corpus<u64>,
    ) -> Result<Vec<Seen>, AnalysisError> {
        let observations = self.observers.run(batch, self.scene.policy.watched)?;
        let count = observations.first().map_or(0, Vec::len);
        let batch = &batch[..count];
        let unsteady = self.unsteady(batch, &observations)?;
        let mut shown = Vec::with_capacity(count);
        for (i, record) in batch.iter().enumerate() {
            let (seen, features) = self.judge((record, unsteady.contains(&i)), &observations, i, found_by)?;
            if corpus.offer(record, &features) {
                let events = self.observers.event_features(record, self.scene.policy.watched)?;
                corpus.offer(record, &events);
            }
            shown.push(seen);
        }
        Ok(shown)
    }

    fn found(&self) -> usize {
        self.ledger.groups().len()
    }

    fn is_done(&self) -> bool {
        false
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.observers.set_batch_deadline(deadline);
    }

    fn set_call_limit(&mut self, limit: Duration) {
        self.observers.set_call_limit(limit);
    }
}

impl<'a> DiffJudge<'a> {
    /// A judge that has seen nothing yet.
    pub fn new(scene: &'a Scene<'a>, observers: &'a mut Observers) -> DiffJudge<'a> {
        DiffJudge {
            scene,
            observers,
            ledger: Ledger::default(),
            compared: FxHashMap::default(),
            unsteady: 0,
            undefined: 0,
            branches: None,
        }
    }

    /// From now on the paths that inputs take are features, too.
    pub fn watch_branches(&mut self, branches: Option<&'a Branches>) {
        self.branches = branches.map(Branches::evaluator);
    }

    /// Which inputs of a batch have results that change with what stands where nobody wrote. Those that show a new kind of difference are
    /// looked at, and where one was found all that differ: of a kind whose first input reads behind an array others may not.
    fn unsteady(&mut self, batch: &[Vec<u8>], seen: &[Vec<Observation>]) -> Result<FxHashSet<usize>, AnalysisError> {
        let scene = self.scene;
        let is_doubtful = |i: &usize| {
            let parts = |variant: &usize| (*variant, self.parts(*variant, &batch[*i], seen, *i));
            let wants_trace = |variant: usize, (_, difference): &(Part, Difference)| {
                self.unsteady > 0 || self.ledger.wants_trace(variant, difference)
            };
            let mut parts = scene.variants.iter().map(parts);
            parts.any(|(variant, parts)| parts.iter().any(|part| wants_trace(variant, part)))
        };
        let doubtful: Vec<usize> = (0..batch.len()).filter(is_doubtful).collect();
        if doubtful.is_empty() {
            return Ok(FxHashSet::default());
        }
        let records: Vec<Vec<u8>> = doubtful.iter().map(|i| batch[*i].clone()).collect();
        let builds: Vec<usize> = std::iter::once(0).chain(scene.variants.iter().copied()).collect();
        let again = self.observers.run_with_ones(&builds, &records, scene.policy.watched)?;
        let varies = |at: usize, i: usize| {
            builds.iter().zip(&again).any(|(build, again)| {
                let (before, after) = (&seen[*build][i], again.get(at));
                // How long a call may take is another matter.
                before.outcome != Outcome::Timeout
                    && after.is_some_and(|after| after.outcome != before.outcome || after.output != before.output)
            })
        };
        let unsteady: FxHashSet<usize> =
            doubtful.iter().enumerate().filter(|(at, i)| varies(*at, **i)).map(|(_, i)| *i).collect();
        self.unsteady += unsteady.len() as u64;
        Ok(unsteady)
    }

    /// Compares what the builds did on one input, which is unsteady or not, and enters how they differ.
    fn judge(
        &mut self,
        (record, is_unsteady): (&[u8], bool),
        observations: &[Vec<Observation>],
        i: usize,
        found_by: FoundBy,
    ) -> Result<(Seen, Vec<u64>), AnalysisError> {
        let scene = self.scene;
        let mut features = self.features(observations, i);
        let behaviour = feature(&features);
        if let Some(branches) = &mut self.branches {
            let taken = branches.taken(scene.inputs, record);
            features.extend(taken.into_iter().map(|path| feature(&("path", path))));
        }
        let mut score = 0f64;
        let variants = if is_unsteady { &[][..] } else { &scene.variants[..] };
        // Interpreted at most once, and only where it matters.
        let mut is_undefined = None;
        for &variant in variants {
            let (baseline, other) = (&observations[0][i], &observations[variant][i]);
            let mut parts = self.parts(variant, record, observations, i);
            if parts.is_empty() && self.wants_events(variant, record, baseline) {
                parts.extend(self.compare_events(variant, record)?.map(|difference| (Part::WHOLE, difference)));
            }
            let apart = distance(scene.outputs, baseline, other);
            let matters = |(part, difference): &(Part, Difference)| {
                self.ledger.wants_trace(variant, difference)
                    || part.results && self.ledger.is_further(variant, difference, apart)
            };
            let matters = parts.iter().any(matters);
            if matters && *is_undefined.get_or_insert_with(|| scene.defined.excludes(record)) {
                continue;
            }
            for (part, difference) in parts {
                features.push(feature(&(variant, &difference)));
                let apart = if part.results { apart } else { 0.0 };
                self.enter(variant, (part, difference), (record, apart), found_by)?;
            }
            score = score.max(apart);
        }
        self.undefined += u64::from(is_undefined == Some(true));
        Ok((Seen { outcome: observations[0][i].outcome.clone(), behaviour, results: behaviour, score }, features))
    }

    /// How a variant differs from the baseline on an input of a batch.
    fn parts(&self, variant: usize, record: &[u8], observations: &[Vec<Observation>], i: usize) -> Parts {
        let Scene { policy, inputs, outputs, controls, .. } = self.scene;
        let control = controls.get(variant - 1).copied().flatten();
        let control = control.and_then(|control| observations.get(control)?.get(i));
        let pair = [&observations[0][i], &observations[variant][i]];
        parts(policy, (inputs, outputs), record, pair, control)
    }

    /// Whether the traces of an input whose flags and results agree are compared too: a trace costs a thousand fast runs,
    /// so each kind of difference is looked for on a bounded number of inputs.
    fn wants_events(&mut self, variant: usize, record: &[u8], baseline: &Observation) -> bool {
        let scene = self.scene;
        if !scene.policy.traces || !baseline.flags.intersects(scene.policy.watched) {
            return false;
        }
        let kind =
            event_order::kind(&scene.policy, is_clean(scene.inputs, scene.outputs, record, baseline), baseline.flags);
        let wanted = self.ledger.wants_trace(variant, &kind);
        let compared = self.compared.entry((variant, kind)).or_insert(0);
        *compared += u64::from(wanted);
        wanted && *compared <= COMPARED_PER_KIND
    }

    fn compare_events(&mut self, variant: usize, record: &[u8]) -> Result<Option<Difference>, AnalysisError> {
        let scene = self.scene;
        compare_events(&scene.policy, scene.inputs, scene.outputs, self.observers, variant, record)
    }

    fn enter(
        &mut self,
        variant: usize,
        (part, difference): (Part, Difference),
        (record, distance): (&[u8], f64),
        found_by: FoundBy,
    ) -> Result<(), AnalysisError> {
        if !self.ledger.wants_trace(variant, &difference) {
            self.ledger.count(variant, (part, &difference), record, distance);
            return Ok(());
        }
        let sites = event_order::sites(self.observers, variant, record, &difference, self.scene.policy.watched)?;
        let key = GroupKey::new(variant, &difference, sites);
        self.ledger.enter(key, (part, difference), (record, distance), found_by);
        Ok(())
    }

    /// What the fast path shows of one input: flags and output classes of each build.
    fn features(&self, observations: &[Vec<Observation>], input: usize) -> Vec<u64> {
        let mut features = Vec::with_capacity(observations.len() + 1);
        for (build, observations) in observations.iter().enumerate() {
            let observation = &observations[input];
            let classes: Vec<_> =
                self.scene.outputs.leaves.iter().map(|leaf| output_class(leaf, &observation.output)).collect();
            let flags = observation.flags & self.scene.policy.watched;
            features.push(feature(&(build, flags, coarse(&classes))));
        }
        features
    }
}

/// Runs the neighbourhood of each candidate. How many of them hold a diverging input, and how many distinct diverging inputs they and
/// the candidates hold together.
///
/// # Errors
///
/// As [`Search::submit`].
pub fn neighbourhoods(
    search: &mut DiffSearch<'_>,
    space: &Space,
    candidates: &[Vec<u8>],
    max_inputs: u64,
    clock: &Clock,
) -> Result<Nearby, AnalysisError> {
    let mut nearby = Nearby::default();
    let share = usize::try_from(max_inputs).unwrap_or(usize::MAX) / candidates.len().max(1);
    let cap = share.clamp(1, PERSISTENCE.neighbours);
    let mut diverging = RecordSet::default();
    for candidate in candidates {
        let around = neighbours(space, candidate, cap);
        nearby.stop = search.submit(around.clone(), FoundBy::Neighbourhood, clock)?;
        let hits = around.into_iter().filter(|record| search.judge.ledger.diverges(record));
        let mut any = false;
        for hit in hits {
            any = true;
            diverging.insert(&hit);
        }
        nearby.neighbourhoods += usize::from(any);
        if search.judge.ledger.diverges(candidate) {
            nearby.candidates += 1;
            diverging.insert(candidate);
        }
        if nearby.stop.is_some() {
            break;
        }
    }
    nearby.diverging_inputs = diverging.len();
    Ok(nearby)
}

/// What the neighbourhoods of the solver's inputs hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nearby {
    /// Candidates that diverge themselves.
    pub candidates: usize,
    /// Candidates with a diverging neighbour.
    pub neighbourhoods: usize,
    /// Distinct diverging inputs among candidates and neighbours.
    pub diverging_inputs: usize,
    /// Why it ended early.
    pub stop: Option<Stop>,
}
