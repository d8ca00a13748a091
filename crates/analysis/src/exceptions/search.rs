//! What the search makes of inputs: those that raise something are traced, and pairs of a site and an exception are entered.
//!
//! A trace costs a thousand fast runs. So of each batch only those inputs are traced that raise an exception which some open
//! pair asks about, those first that showed something the corpus did not know.

use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_fuzz::Corpus;
use labrys_native::{Event, Observation, Outcome};
use labrys_program::OutputLayout;
use labrys_report::{FoundBy, SiteKey};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pairs::{PairKey, Pairs, Placed, Witness, runs_into_worse};
use super::reason::Reason;
use crate::AnalysisError;
use crate::observation::class::{OutputClass, coarse, output_class};
use crate::observation::feature::feature;
use crate::observation::interpreted::Interpreted;
use crate::observation::observer::Observer;
use crate::observation::undefined::Defined;
use crate::search::{Emphasis, Judge, Persistence, Search, Seen};

/// Inputs of a batch that are traced though they showed nothing new at a glance.
const TRACED: usize = 24;
/// Rounds are fruitless without a new pair.
pub const PERSISTENCE: Persistence = Persistence { fruitless_rounds: 40, neighbours: 96, emphasis: Emphasis::Novelty };

/// Inputs that are run though every pair is decided, at most a part of all: code generation makes sites that the IR has not, such as vectors'
/// comparisons.
const FEWEST: u64 = 4096;
const FEWEST_SHARE: u64 = 4;

/// The search for exceptions of one function.
pub type ExceptionSearch<'a> = Search<'a, ExceptionJudge<'a>>;

/// What is known of each pair, and the build that shows it.
pub struct ExceptionJudge<'a> {
    /// What is known of each pair.
    pub pairs: Pairs,
    /// The function's build.
    pub observer: &'a mut Observer,
    outputs: &'a OutputLayout,
    watched: Flags,
    /// How many inputs were run, and are run in any case.
    inputs: u64,
    fewest: u64,
    /// Whether calls leave behind what later ones use: what a solver proposes is of the first call.
    uses_state: bool,
    /// The code, by which some inputs show nothing; and what it says of those that were asked about.
    defined: Option<Defined<'a>>,
    excluded: FxHashMap<Vec<u8>, bool>,
    /// What the IR raises on an input, where an instruction alone does not tell which operation it is.
    interpreted: Option<Interpreted>,
}

/// A call of which events are placed.
pub struct Call<'c> {
    record: &'c [u8],
    observation: &'c Observation,
    /// What the IR raises on its input, once somebody asked.
    raised: Option<FxHashSet<PairKey>>,
    /// What events of the call are known to belong to.
    placed: FxHashSet<PairKey>,
}

impl<'c> Call<'c> {
    /// The call with this input that showed `observation`.
    pub fn new(record: &'c [u8], observation: &'c Observation) -> Call<'c> {
        Call { record, observation, raised: None, placed: FxHashSet::default() }
    }
}

impl Judge for ExceptionJudge<'_> {
    fn run(
        &mut self,
        batch: &[Vec<u8>],
        found_by: FoundBy,
        corpus: &mut Corpus<u64>,
    ) -> Result<Vec<Seen>, AnalysisError> {
        let is_first_call = self.uses_state && matches!(found_by, FoundBy::Solver | FoundBy::Given);
        let observations = match is_first_call {
            true => self.observer.run_first(batch, self.watched)?,
            false => self.observer.run(batch, self.watched)?,
        };
        self.inputs += observations.len() as u64;
        let (mut new, mut old) = (Vec::new(), Vec::new());
        let mut seen = Vec::with_capacity(observations.len());
        // What no open pair asks about is traced only where it is new at a glance: for other effects of known pairs.
        let asked = self.pairs.open_exceptions();
        for (index, observation) in observations.into_iter().enumerate() {
            let behaviour = self.behaviour(&observation);
            let is_new = corpus.offer(&batch[index], &[behaviour]);
            if observation.flags.intersects(self.watched) {
                if is_new || found_by == FoundBy::Solver {
                    new.push(index);
                } else if observation.flags.intersects(asked) {
                    old.push(index);
                }
            }
            seen.push(Seen { outcome: observation.outcome, behaviour, results: behaviour, score: 0.0 });
        }
        // Spread over the batch: neighbours stand beside each other and behave alike.
        let stride = old.len().div_ceil(TRACED).max(1);
        new.extend(old.into_iter().step_by(stride));
        new.sort_unstable();
        let records: Vec<Vec<u8>> = new.iter().map(|index| batch[*index].clone()).collect();
        self.trace(&records, found_by, corpus)?;
        Ok(seen)
    }

    fn found(&self) -> usize {
        self.pairs.witnessed()
    }

    fn is_done(&self) -> bool {
        self.inputs >= self.fewest && self.pairs.open_exceptions().is_empty()
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.observer.set_deadline(deadline);
    }

    fn set_call_limit(&mut self, limit: Duration) {
        self.observer.set_call_limit(limit);
    }
}

impl<'a> ExceptionJudge<'a> {
    /// A judge that has seen nothing yet.
    pub fn new(
        pairs: Pairs,
        observer: &'a mut Observer,
        outputs: &'a OutputLayout,
        watched: Flags,
    ) -> ExceptionJudge<'a> {
        ExceptionJudge {
            pairs,
            observer,
            outputs,
            watched,
            inputs: 0,
            fewest: FEWEST,
            uses_state: false,
            defined: None,
            excluded: FxHashMap::default(),
            interpreted: None,
        }
    }

    /// The same with what the IR raises as the arbiter between operations that an instruction may be.
    pub fn of_ir(self, interpreted: Interpreted) -> Self {
        ExceptionJudge { interpreted: Some(interpreted), ..self }
    }

    /// The site that an event of a call belongs to.
    pub fn site_of(&mut self, call: &mut Call<'_>, event: &Event, exception: Flags) -> SiteKey {
        let frame = self.observer.frame(event);
        let among = match self.pairs.place(&frame, exception) {
            Placed::At(site) => return site,
            Placed::OneOf(among) => among,
        };
        if call.raised.is_none() {
            call.raised = Some(self.raised_in_ir(call.record, call.observation));
            call.placed = self.surely_placed(call.observation);
        }
        let raised = call.raised.as_ref().unwrap_or(&call.placed);
        let site = self.pairs.choose(&among, exception, (raised, &call.placed));
        call.placed.insert((site.clone(), exception));
        site
    }

    /// The pairs whose events tell themselves where they belong.
    fn surely_placed(&mut self, observation: &Observation) -> FxHashSet<PairKey> {
        let mut placed = FxHashSet::default();
        for event in observation.trace.iter().flat_map(|trace| &trace.events) {
            let frame = self.observer.frame(event);
            for exception in (event.exceptions & self.watched).iter() {
                if let Placed::At(site) = self.pairs.place(&frame, exception) {
                    placed.insert((site, exception));
                }
            }
        }
        placed
    }

    /// What the IR raises on an input, if its flags and results are those of the native call.
    fn raised_in_ir(&mut self, record: &[u8], observation: &Observation) -> FxHashSet<PairKey> {
        let Some(interpreted) = &mut self.interpreted else { return FxHashSet::default() };
        let trace = interpreted.trace(record, observation, self.watched);
        let mut raised = FxHashSet::default();
        for event in trace.events.iter().filter(|_| trace.complete) {
            let Some(frame) = interpreted.frame(event) else { continue };
            for exception in (event.exceptions & self.watched).iter() {
                raised.insert((self.pairs.site_of(frame, exception), exception));
            }
        }
        raised
    }

    /// The same where inputs on which this code leaves its memory show nothing.
    pub fn of_code(self, defined: Defined<'a>) -> Self {
        ExceptionJudge { defined: Some(defined), ..self }
    }

    /// Whether a call reads or writes outside of its memory, so that what it raises is no finding. Interpreted at most once.
    pub fn excludes(&mut self, record: &[u8]) -> bool {
        let Some(defined) = self.defined else { return false };
        *self.excluded.entry(record.to_vec()).or_insert_with(|| defined.excludes(record))
    }

    /// Inputs that raised something and show nothing, because the call leaves its memory.
    pub fn undefined(&self) -> usize {
        self.excluded.values().filter(|excluded| **excluded).count()
    }

    /// The same with so many inputs to be run at most.
    pub fn of_work(self, most: u64) -> Self {
        ExceptionJudge { fewest: FEWEST.min(most / FEWEST_SHARE), ..self }
    }

    /// The same of a function whose calls leave something behind, if so.
    pub fn of_state(self, uses_state: bool) -> Self {
        ExceptionJudge { uses_state, ..self }
    }

    /// What a call shows at a glance: which exceptions it raised, and how its results came out.
    pub fn behaviour(&self, observation: &Observation) -> u64 {
        feature(&("glance", observation.flags, self.classes(observation)))
    }

    /// Traces inputs that raise something and enters what is seen.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn trace(
        &mut self,
        records: &[Vec<u8>],
        found_by: FoundBy,
        corpus: &mut Corpus<u64>,
    ) -> Result<Vec<Observation>, AnalysisError> {
        let is_first_call = self.uses_state && matches!(found_by, FoundBy::Solver | FoundBy::Given);
        let traced = match is_first_call {
            true => self.observer.trace_first(records, self.watched)?,
            false => self.observer.trace_all(records, self.watched)?,
        };
        for (record, observation) in records.iter().zip(&traced) {
            let raises = |event: &Event| event.exceptions.intersects(self.watched);
            if observation.trace.iter().flat_map(|trace| &trace.events).any(raises) && self.excludes(record) {
                continue;
            }
            let classes = feature(&self.classes(observation));
            let mut witness = Witness { record: record.clone(), found_by, classes, is_first: true };
            let (mut is_first, is_worse) = (true, runs_into_worse(observation, self.watched));
            let mut features = Vec::new();
            let mut call = Call::new(record, observation);
            for event in observation.trace.iter().flat_map(|trace| &trace.events) {
                let raised = event.exceptions & self.watched;
                if raised.is_empty() {
                    continue;
                }
                witness.is_first = is_first && !(is_worse && raised == Flags::UNDERFLOW);
                let line = self.observer.frame(event).line;
                for exception in raised.iter() {
                    let pair = (self.site_of(&mut call, event, exception), exception);
                    self.pairs.observe(pair, line, &witness);
                }
                is_first = false;
                features.push(feature(&(event.address, raised)));
            }
            corpus.offer(record, &features);
        }
        Ok(traced)
    }

    /// How the outputs came out, coarsely.
    fn classes(&self, observation: &Observation) -> Vec<OutputClass> {
        if observation.output.len() < self.outputs.size {
            return Vec::new();
        }
        let classes: Vec<_> = self.outputs.leaves.iter().map(|leaf| output_class(leaf, &observation.output)).collect();
        coarse(&classes)
    }

    /// Why a solver's inputs did not show a pair, by what they show instead.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn refutation(&mut self, candidates: &[Vec<u8>], pair: &PairKey) -> Result<Reason, AnalysisError> {
        let seen = match self.uses_state {
            true => self.observer.run_first(candidates, self.watched)?,
            false => self.observer.run(candidates, self.watched)?,
        };
        let shows = |of: &dyn Fn(&Observation) -> bool| seen.iter().any(of);
        let what = if seen.len() < candidates.len() {
            return Ok(Reason::time("the time limit, before the float solver's input was run again"));
        } else if candidates.iter().any(|record| self.excludes(record)) {
            "makes the function read or write outside of its memory, where nothing is a finding"
        } else if shows(&|observation| observation.flags.contains(pair.1)) {
            "raises it on native code, but not at this operation"
        } else if shows(&|observation| observation.outcome != Outcome::Returned) {
            "ends in a crash, a time-out or an exit, before which nothing is observed"
        } else if self.pairs.is_speculated(&pair.0) {
            "does not raise it on native code: in the IR the operation comes before the choice whether its result counts, and code generation may \
             make a branch of that"
        } else {
            "does not raise it on native code"
        };
        Ok(format!("the float solver's input {what}").into())
    }
}
