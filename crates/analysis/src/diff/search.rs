//! Running inputs on all builds: candidates, their neighbourhoods, and mutation under feedback.
//!
//! Everything is deterministic under the seed: batches have fixed sizes, observations are merged by index, and nothing
//! looks at the clock but to stop.

use labrys_fuzz::{Corpus, Mutator, Sampler, Space, neighbours};
use labrys_native::Observation;
use labrys_program::{InputLayout, OutputLayout};
use rustc_hash::{FxHashMap, FxHashSet};

use super::branches::{BranchEvaluator, Branches};
use super::compare::{Difference, Policy, compare, is_clean};
use super::event_order::{self, compare_events};
use super::ledger::{GroupKey, Ledger};
use super::observers::Observers;
use crate::error::AnalysisError;
use crate::inputs::origin::Origin;
use crate::observation::class::{coarse, output_class};
use crate::observation::feature::feature;
use crate::run::clock::{Clock, Stop};
use crate::run::progress::{Progress, Snapshot};

/// How many inputs go to the workers at a time.
const BATCH: usize = 1024;
/// How many neighbours of one candidate are run at most.
pub const NEIGHBOURS: usize = 256;
/// Of ten rounds of the guided search, so many draw from the plain sampler instead of mutating.
const SAMPLED_ROUNDS: u64 = 2;
/// On so many inputs of a kind are traces compared, where they are compared at all.
const COMPARED_PER_KIND: u64 = 256;

/// What is searched, and what counts.
pub struct Scene<'a> {
    /// Where inputs come from.
    pub space: &'a Space,
    /// How inputs lie in records.
    pub inputs: &'a InputLayout,
    /// How outputs lie in records.
    pub outputs: &'a OutputLayout,
    /// What counts as a difference.
    pub policy: Policy,
    /// Indices of the builds that are compared with build 0.
    pub variants: Vec<usize>,
    /// The seed.
    pub seed: u64,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// The state of a search.
pub struct Search<'a> {
    scene: &'a Scene<'a>,
    observers: &'a mut Observers,
    /// The divergences found.
    pub ledger: Ledger,
    corpus: Corpus<u64>,
    tested: FxHashSet<Vec<u8>>,
    /// How many inputs of each kind had their traces compared.
    compared: FxHashMap<(usize, Difference), u64>,
    /// Inputs run on all builds: units of work.
    pub inputs: u64,
    max_inputs: u64,
    /// Shown while searching.
    pub snapshot: Snapshot,
    branches: Option<BranchEvaluator<'a>>,
}

impl<'a> Search<'a> {
    /// A search that runs at most `max_inputs` inputs, with feedback on `branches` where there are any.
    pub fn new(
        scene: &'a Scene<'a>,
        observers: &'a mut Observers,
        max_inputs: u64,
        branches: Option<&'a Branches>,
    ) -> Search<'a> {
        let snapshot = Snapshot { planned_inputs: max_inputs, ..Snapshot::default() };
        Search {
            scene,
            observers,
            ledger: Ledger::default(),
            corpus: Corpus::new(),
            tested: FxHashSet::default(),
            compared: FxHashMap::default(),
            inputs: 0,
            max_inputs,
            snapshot,
            branches: branches.map(Branches::evaluator),
        }
    }

    /// Units of work left.
    pub fn left(&self) -> u64 {
        self.max_inputs - self.inputs
    }

    /// Runs those of `records` that are in the search domain and were not run before.
    ///
    /// # Errors
    ///
    /// Where the workers cannot be kept running. `Ok(Some(stop))`: a limit ended it early.
    pub fn submit(&mut self, records: Vec<Vec<u8>>, origin: Origin) -> Result<Option<Stop>, AnalysisError> {
        let mut fresh = Vec::with_capacity(records.len());
        for record in records {
            if self.scene.space.admits(&record) && self.tested.insert(record.clone()) {
                fresh.push(record);
            }
        }
        for batch in fresh.chunks(BATCH) {
            if let Some(stop) = self.scene.clock.stop(self.scene.progress) {
                return Ok(Some(stop));
            }
            let room = usize::try_from(self.left()).unwrap_or(usize::MAX);
            if room == 0 {
                return Ok(Some(Stop::Work));
            }
            let batch = &batch[..batch.len().min(room)];
            match self.run_batch(batch, origin) {
                Ok(count) if count < batch.len() => return Ok(Some(Stop::Time)),
                Err(error) if error.is_time_up() => return Ok(Some(Stop::Time)),
                done => done?,
            };
        }
        Ok(None)
    }

    /// Runs a batch; how many of it the deadline left time for.
    fn run_batch(&mut self, batch: &[Vec<u8>], origin: Origin) -> Result<usize, AnalysisError> {
        let observations = self.observers.run(batch, self.scene.policy.watched)?;
        let count = observations.first().map_or(0, Vec::len);
        for (i, record) in batch[..count].iter().enumerate() {
            self.inputs += 1;
            let mut features = self.features(&observations, i);
            if let Some(branches) = &mut self.branches {
                let taken = branches.taken(self.scene.inputs, record);
                features.extend(taken.into_iter().map(|path| feature(&("path", path))));
            }
            for &variant in &self.scene.variants {
                let (baseline, other) = (&observations[0][i], &observations[variant][i]);
                let scene = self.scene;
                let difference = match compare(&scene.policy, scene.inputs, scene.outputs, record, baseline, other) {
                    None if self.wants_events(variant, record, baseline) => self.compare_events(variant, record)?,
                    difference => difference,
                };
                if let Some(difference) = difference {
                    features.push(feature(&(variant, &difference)));
                    self.enter(variant, difference, record, origin)?;
                }
            }
            if self.corpus.offer(record, &features) {
                let events = self.observers.event_features(record, self.scene.policy.watched)?;
                self.corpus.offer(record, &events);
            }
        }
        self.snapshot.inputs = self.inputs;
        self.snapshot.divergences = self.ledger.groups().len();
        self.scene.progress.update(&self.snapshot);
        Ok(count)
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
        difference: Difference,
        record: &[u8],
        origin: Origin,
    ) -> Result<(), AnalysisError> {
        if !self.ledger.wants_trace(variant, &difference) {
            self.ledger.count(variant, &difference, record);
            return Ok(());
        }
        let sites = self.observers.sites(variant, record, &difference, self.scene.policy.watched)?;
        self.ledger.enter(GroupKey::new(variant, &difference, sites), difference, record, origin);
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

    /// Runs the neighbourhood of each candidate. How many of them hold a diverging input, and how many distinct
    /// diverging inputs they and the candidates hold together.
    ///
    /// # Errors
    ///
    /// As [`Search::submit`].
    pub fn neighbourhoods(&mut self, candidates: &[Vec<u8>], max_inputs: u64) -> Result<Nearby, AnalysisError> {
        let mut nearby = Nearby::default();
        let share = usize::try_from(max_inputs).unwrap_or(usize::MAX) / candidates.len().max(1);
        let cap = share.clamp(1, NEIGHBOURS);
        let mut diverging: FxHashSet<Vec<u8>> = FxHashSet::default();
        for candidate in candidates {
            let around = neighbours(self.scene.space, candidate, cap);
            nearby.stop = self.submit(around.clone(), Origin::Neighbourhood)?;
            let hits = around.into_iter().filter(|record| self.ledger.diverges(record));
            let mut any = false;
            for hit in hits {
                any = true;
                diverging.insert(hit);
            }
            nearby.neighbourhoods += usize::from(any);
            if self.ledger.diverges(candidate) {
                nearby.candidates += 1;
                diverging.insert(candidate.clone());
            }
            if nearby.stop.is_some() {
                break;
            }
        }
        nearby.diverging_inputs = diverging.len();
        Ok(nearby)
    }

    /// Mutates the corpus until the work is done.
    ///
    /// # Errors
    ///
    /// As [`Search::submit`].
    pub fn guided(&mut self) -> Result<Option<Stop>, AnalysisError> {
        let mut mutator = Mutator::new(self.scene.space, self.scene.seed);
        let mut sampler = Sampler::new(self.scene.space, self.scene.seed ^ 0x9e37_79b9_7f4a_7c15);
        // Small domains run dry: rounds without a fresh input end the search.
        let mut barren_rounds = 0;
        let mut round = 0u64;
        while self.left() > 0 && barren_rounds < 16 {
            let before = self.inputs;
            let sampled = round % 10 < SAMPLED_ROUNDS || self.corpus.is_empty();
            let (records, origin) = if sampled {
                ((0..BATCH).map(|_| sampler.sample()).collect(), Origin::Random)
            } else {
                ((0..BATCH).map(|_| mutator.mutate(&mut self.corpus)).collect::<Vec<_>>(), Origin::Guided)
            };
            if let Some(stop) = self.submit(records, origin)? {
                return Ok(Some(stop));
            }
            barren_rounds = if self.inputs == before { barren_rounds + 1 } else { 0 };
            round += 1;
        }
        Ok(None)
    }

    /// Runs the plain sampler until the work is done.
    ///
    /// # Errors
    ///
    /// As [`Search::submit`].
    pub fn sample(&mut self) -> Result<Option<Stop>, AnalysisError> {
        let mut sampler = Sampler::new(self.scene.space, self.scene.seed);
        let mut barren_rounds = 0;
        while self.left() > 0 && barren_rounds < 16 {
            let before = self.inputs;
            let records = (0..BATCH).map(|_| sampler.sample()).collect();
            if let Some(stop) = self.submit(records, Origin::Random)? {
                return Ok(Some(stop));
            }
            barren_rounds = if self.inputs == before { barren_rounds + 1 } else { 0 };
        }
        Ok(None)
    }
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
