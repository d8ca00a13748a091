//! The search on native code: inputs are run, those that raise something are traced, and what is new steers the mutation.
//!
//! A trace costs a thousand fast runs. So of each batch only those inputs are traced that raise an exception which some open
//! pair asks about, those first that showed something the corpus did not know.

use std::time::Duration;

use labrys_float::Flags;
use labrys_fuzz::{Corpus, Mutator, Sampler, Space, neighbours};
use labrys_native::{Observation, Outcome};
use labrys_program::{InputLayout, OutputLayout};
use rustc_hash::FxHashSet;

use super::confirmed::runs_into_worse;
use super::pairs::{PairKey, Pairs, Witness};
use crate::inputs::origin::Origin;
use crate::observation::class::{coarse, output_class};
use crate::observation::feature::feature;
use crate::observation::observer::Observer;
use crate::run::clock::{Clock, Stop};
use crate::search::slow::SlowInputs;
use crate::{AnalysisError, Progress, Snapshot};

/// How many inputs go to the worker at a time.
const BATCH: usize = 512;
/// How many go to it where calls run out of time, or may.
const WARY_BATCH: usize = 32;
/// Where the first so many calls run out of time, calls may take as long as the user allows.
const HOPELESS: u64 = 16;
/// How many neighbours of one candidate are run at most.
const NEIGHBOURS: usize = 96;
/// Inputs of a batch that are traced though they showed nothing new at a glance.
const TRACED: usize = 24;
/// Of ten rounds of the guided search, so many draw from the plain sampler instead of mutating.
const SAMPLED_ROUNDS: u64 = 3;
/// Rounds without an input that was not run before end the search: small domains run dry.
const BARREN_ROUNDS: u32 = 8;
/// The guided search ends after so many rounds without a new pair.
const FRUITLESS_ROUNDS: u32 = 40;

/// The state of the search on one function.
pub struct Hunt<'a> {
    /// What is known of each pair.
    pub pairs: Pairs,
    /// The function's build.
    pub observer: &'a mut Observer,
    /// Inputs run so far.
    pub inputs: u64,
    /// Inputs that did not return: crashes, time-outs, exits.
    pub abnormal: u64,
    space: &'a Space,
    outputs: &'a OutputLayout,
    watched: Flags,
    seed: u64,
    max_inputs: u64,
    /// Of these, how many may be run by now: later stages need the rest.
    allowed: u64,
    corpus: Corpus<u64>,
    tested: FxHashSet<Vec<u8>>,
    /// Those of a solver, which are traced in any case.
    proposed: FxHashSet<Vec<u8>>,
    slow: SlowInputs,
    /// Whether calls of the last batch ran out of time, or there was none yet.
    is_wary: bool,
    /// Calls that ran out of time.
    timed_out: u64,
    /// Whether all inputs there are were run: then there is nothing left to search.
    is_over: bool,
    progress: &'a dyn Progress,
}

/// What a hunt is about.
pub struct Quarry<'a> {
    /// Where inputs come from.
    pub space: &'a Space,
    /// How inputs lie in records.
    pub inputs: &'a InputLayout,
    /// How outputs lie in records.
    pub outputs: &'a OutputLayout,
    /// How long a call of the search may take, as long as some calls end in that time.
    pub call_limit: Duration,
    /// The exceptions that are asked about.
    pub watched: Flags,
    /// The seed of every random choice.
    pub seed: u64,
    /// How many inputs may be run.
    pub max_inputs: u64,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

impl<'a> Hunt<'a> {
    /// A hunt that has run nothing yet.
    pub fn new(quarry: &Quarry<'a>, pairs: Pairs, observer: &'a mut Observer) -> Hunt<'a> {
        observer.set_call_limit(quarry.call_limit);
        Hunt {
            pairs,
            observer,
            inputs: 0,
            abnormal: 0,
            space: quarry.space,
            outputs: quarry.outputs,
            watched: quarry.watched,
            seed: quarry.seed,
            max_inputs: quarry.max_inputs,
            allowed: quarry.max_inputs,
            corpus: Corpus::new(),
            tested: FxHashSet::default(),
            proposed: FxHashSet::default(),
            slow: SlowInputs::new(&quarry.inputs.leaves, quarry.seed),
            is_wary: true,
            timed_out: 0,
            is_over: false,
            progress: quarry.progress,
        }
    }

    /// Allows so many hundredths of all inputs to be run by now.
    pub fn allow(&mut self, hundredths: u64) {
        self.allowed = self.max_inputs / 100 * hundredths + self.max_inputs % 100 * hundredths / 100;
    }

    /// All inputs there are were run: no search finds more.
    pub fn end_search(&mut self) {
        self.is_over = true;
    }

    /// Whether all inputs there are were run.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Runs those of `records` that are in the search domain and were not run before, or not for a solver.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running. `Ok(Some(stop))`: a limit ended it early.
    pub fn submit(
        &mut self,
        records: Vec<Vec<u8>>,
        origin: Origin,
        clock: &Clock,
    ) -> Result<Option<Stop>, AnalysisError> {
        let is_search = matches!(origin, Origin::Random | Origin::Guided | Origin::Neighbourhood);
        if self.is_over && is_search {
            return Ok(None);
        }
        let mut fresh = Vec::with_capacity(records.len());
        for record in records {
            if !self.space.admits(&record) {
                continue;
            }
            // What was run may not have been traced: a solver proposes it for one exception of many.
            let is_untested = self.tested.insert(record.clone());
            let is_new_proposal = origin == Origin::Solver && self.proposed.insert(record.clone());
            if is_untested || is_new_proposal {
                fresh.push(record);
            }
        }
        let mut rest = &fresh[..];
        while !rest.is_empty() {
            let size = if self.is_wary { WARY_BATCH } else { BATCH };
            let (batch, later) = rest.split_at(size.min(rest.len()));
            rest = later;
            // What a solver or a user proposes is run in any case.
            let batch: Vec<Vec<u8>> =
                batch.iter().filter(|record| !is_search || self.slow.is_worth_a_call(record)).cloned().collect();
            if batch.is_empty() {
                continue;
            }
            if let Some(stop) = clock.stop(self.progress) {
                return Ok(Some(stop));
            }
            let room = usize::try_from(self.allowed.saturating_sub(self.inputs)).unwrap_or(usize::MAX);
            if room == 0 {
                return Ok(Some(Stop::Work));
            }
            self.observer.set_deadline(clock.limit());
            match self.run_batch(&batch[..batch.len().min(room)], origin) {
                Ok(true) => {}
                Ok(false) => return Ok(Some(Stop::Time)),
                Err(error) if error.is_time_up() => return Ok(Some(Stop::Time)),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Runs a batch and traces a part of it; whether the deadline left time for all of it.
    fn run_batch(&mut self, batch: &[Vec<u8>], origin: Origin) -> Result<bool, AnalysisError> {
        let observations = self.observer.run(batch, self.watched)?;
        self.notice_time_outs(batch, &observations);
        let (mut new, mut old) = (Vec::new(), Vec::new());
        // What no open pair asks about is traced only where it is new at a glance: for other effects of known pairs.
        let asked = self.pairs.open_exceptions();
        for (index, observation) in observations.iter().enumerate() {
            self.inputs += 1;
            self.abnormal += u64::from(observation.outcome != Outcome::Returned);
            let is_new = self.is_new_at_a_glance(&batch[index], observation);
            if observation.flags.intersects(self.watched) {
                if is_new || origin == Origin::Solver {
                    new.push(index);
                } else if observation.flags.intersects(asked) {
                    old.push(index);
                }
            }
        }
        // Spread over the batch: neighbours stand beside each other and behave alike.
        let stride = old.len().div_ceil(TRACED).max(1);
        new.extend(old.into_iter().step_by(stride));
        new.sort_unstable();
        let records: Vec<Vec<u8>> = new.iter().map(|index| batch[*index].clone()).collect();
        self.trace(&records, origin)?;
        let snapshot = Snapshot {
            inputs: self.inputs,
            planned_inputs: self.max_inputs,
            divergences: self.pairs.witnessed(),
            ..Snapshot::default()
        };
        self.progress.update(&snapshot);
        Ok(observations.len() == batch.len())
    }

    fn notice_time_outs(&mut self, batch: &[Vec<u8>], observations: &[Observation]) {
        let before = self.timed_out;
        for (record, observation) in batch.iter().zip(observations) {
            self.timed_out += u64::from(observation.outcome == Outcome::Timeout);
            self.slow.learn(record, &observation.outcome);
        }
        self.is_wary = self.timed_out > before;
        if self.timed_out >= HOPELESS && self.timed_out == self.inputs + observations.len() as u64 {
            self.observer.set_call_limit(Duration::MAX);
        }
    }

    /// Whether a call raised what none did before, or its results came out as none's did.
    pub(super) fn is_new_at_a_glance(&mut self, record: &[u8], observation: &Observation) -> bool {
        let classes = self.classes(observation);
        self.corpus.offer(record, &[feature(&("glance", observation.flags, classes))])
    }

    /// Traces inputs that raise something and enters what is seen.
    pub(super) fn trace(&mut self, records: &[Vec<u8>], origin: Origin) -> Result<Vec<Observation>, AnalysisError> {
        let traced = self.observer.trace_all(records, self.watched)?;
        for (record, observation) in records.iter().zip(&traced) {
            let classes = feature(&self.classes(observation));
            let mut witness = Witness { record: record.clone(), origin, classes, is_first: true };
            let (mut is_first, is_worse) = (true, runs_into_worse(observation, self.watched));
            let mut features = Vec::new();
            for event in observation.trace.iter().flat_map(|trace| &trace.events) {
                let raised = event.exceptions & self.watched;
                if raised.is_empty() {
                    continue;
                }
                let frame = self.observer.frame(event);
                witness.is_first = is_first && !(is_worse && raised == Flags::UNDERFLOW);
                self.pairs.observe(&frame, raised, &witness);
                is_first = false;
                features.push(feature(&(event.address, raised)));
            }
            self.corpus.offer(record, &features);
        }
        Ok(traced)
    }

    /// How the outputs came out, coarsely.
    fn classes(&self, observation: &Observation) -> Vec<crate::observation::class::OutputClass> {
        if observation.output.len() < self.outputs.size {
            return Vec::new();
        }
        let classes: Vec<_> = self.outputs.leaves.iter().map(|leaf| output_class(leaf, &observation.output)).collect();
        coarse(&classes)
    }

    /// Runs candidates of a solver, and what lies around each.
    ///
    /// # Errors
    ///
    /// As [`Hunt::submit`].
    pub fn follow(&mut self, candidates: &[Vec<u8>], clock: &Clock) -> Result<Option<Stop>, AnalysisError> {
        if let Some(stop) = self.submit(candidates.to_vec(), Origin::Solver, clock)? {
            return Ok(Some(stop));
        }
        for candidate in candidates {
            let around = neighbours(self.space, candidate, NEIGHBOURS);
            if let Some(stop) = self.submit(around, Origin::Neighbourhood, clock)? {
                return Ok(Some(stop));
            }
        }
        Ok(None)
    }

    /// Why a solver's inputs did not show a pair, by what they show instead.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn refutation(&mut self, candidates: &[Vec<u8>], pair: &PairKey) -> Result<String, AnalysisError> {
        let seen = self.observer.run(candidates, self.watched)?;
        let shows = |of: &dyn Fn(&Observation) -> bool| seen.iter().any(of);
        let what = if seen.len() < candidates.len() {
            return Ok("the time limit, before the float solver's input was run again".to_owned());
        } else if shows(&|observation| observation.flags.contains(pair.1)) {
            "raises it on native code, but not at this operation"
        } else if shows(&|observation| observation.outcome != Outcome::Returned) {
            "ends in a crash, a time-out or an exit, before which nothing is observed"
        } else {
            "does not raise it on native code"
        };
        Ok(format!("the float solver's input {what}"))
    }

    /// Mutates the corpus until nothing is open, nothing new turns up any more, or a limit is reached.
    ///
    /// # Errors
    ///
    /// As [`Hunt::submit`].
    pub fn guided(&mut self, salt: u64, clock: &Clock) -> Result<Option<Stop>, AnalysisError> {
        let mut mutator = Mutator::new(self.space, self.seed ^ salt);
        let mut sampler = Sampler::new(self.space, self.seed ^ salt ^ 0x9e37_79b9_7f4a_7c15);
        let (mut barren, mut fruitless, mut round) = (0, 0, 0u64);
        while !self.is_over
            && barren < BARREN_ROUNDS
            && fruitless < FRUITLESS_ROUNDS
            && !self.pairs.open_exceptions().is_empty()
        {
            let (inputs, witnessed) = (self.inputs, self.pairs.witnessed());
            let sampled = round % 10 < SAMPLED_ROUNDS || self.corpus.is_empty();
            let (records, origin) = if sampled {
                ((0..BATCH).map(|_| sampler.sample()).collect(), Origin::Random)
            } else {
                ((0..BATCH).map(|_| mutator.mutate(&mut self.corpus)).collect::<Vec<_>>(), Origin::Guided)
            };
            if let Some(stop) = self.submit(records, origin, clock)? {
                return Ok(Some(stop));
            }
            barren = if self.inputs == inputs { barren + 1 } else { 0 };
            fruitless = if self.pairs.witnessed() == witnessed { fruitless + 1 } else { 0 };
            round += 1;
        }
        Ok(None)
    }
}
