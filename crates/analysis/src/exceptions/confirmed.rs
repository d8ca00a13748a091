//! What was confirmed: inputs run again in processes of their own, and all that they were seen to raise there.
//!
//! Confirming costs several fresh processes, and one input raises exceptions at many sites. So each input is confirmed once, for
//! every pair that it shows.

use labrys_float::Flags;
use labrys_native::Observation;
use rustc_hash::{FxHashMap, FxHashSet};

use super::pairs::{PairKey, runs_into_worse};
use super::search::{Call, ExceptionSearch};
use crate::AnalysisError;
use crate::observation::leftovers::Leftovers;
use crate::truth::EffectReport;

/// One input, confirmed.
pub struct ConfirmedInput {
    /// The input.
    pub record: Vec<u8>,
    /// What the function did on it, whatever stood in unused vector lanes and in memory that nobody wrote.
    pub observation: Observation,
}

/// A pair as one input shows it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The input.
    pub index: usize,
    /// Whether the pair's exception is the first of the run, and no underflow before something worse, so that what became of the
    /// result is its doing.
    pub is_first: bool,
    /// What the exception did to the outputs that depend on it, once somebody asked.
    pub effect: Option<EffectReport>,
}

/// All confirmed inputs.
#[derive(Default)]
pub struct ConfirmedInputs {
    confirmed: Vec<ConfirmedInput>,
    /// By input; `None` for one whose results differ from run to run.
    known: FxHashMap<Vec<u8>, Option<usize>>,
    by_pair: FxHashMap<PairKey, Vec<Shown>>,
    leftovers: Leftovers,
}

impl ConfirmedInputs {
    /// Confirms an input, if that was not done before; `None` where what it does depends on garbage, or
    /// the call leaves its memory.
    ///
    /// # Errors
    ///
    /// Where no process can be started, or the time is up.
    pub fn confirm(
        &mut self,
        search: &mut ExceptionSearch<'_>,
        record: &[u8],
        watched: Flags,
    ) -> Result<Option<usize>, AnalysisError> {
        if let Some(known) = self.known.get(record) {
            return Ok(*known);
        }
        if search.judge.excludes(record) {
            self.known.insert(record.to_vec(), None);
            return Ok(None);
        }
        let confirmed = search.judge.observer.confirm(record, watched)?;
        self.leftovers.count(&[&confirmed]);
        let observation = confirmed.has_one_result().then(|| confirmed.without(confirmed.varying()));
        let index = observation.map(|observation| self.enter(search, record, observation));
        self.known.insert(record.to_vec(), index);
        Ok(index)
    }

    fn enter(&mut self, search: &mut ExceptionSearch<'_>, record: &[u8], observation: Observation) -> usize {
        let index = self.confirmed.len();
        for (pair, is_first) in shown(search, record, &observation) {
            self.by_pair.entry(pair).or_default().push(Shown { index, is_first, effect: None });
        }
        self.confirmed.push(ConfirmedInput { record: record.to_vec(), observation });
        index
    }

    /// Whether an input was found to give other results on other runs.
    pub fn varies(&self, record: &[u8]) -> bool {
        self.known.get(record) == Some(&None)
    }

    /// Those that show a pair, in the order in which they were confirmed.
    pub fn of(&self, pair: &PairKey) -> &[Shown] {
        self.by_pair.get(pair).map_or(&[], Vec::as_slice)
    }

    /// How often confirmations varied.
    pub fn leftovers(&self) -> &Leftovers {
        &self.leftovers
    }

    /// One of them.
    pub fn get(&self, index: usize) -> &ConfirmedInput {
        &self.confirmed[index]
    }

    /// Enters the effects that are not known yet on what shows a pair.
    pub fn classify(&mut self, pair: &PairKey, effect: &mut dyn FnMut(&ConfirmedInput) -> EffectReport) {
        for sight in self.by_pair.get_mut(pair).into_iter().flatten() {
            sight.effect.get_or_insert_with(|| effect(&self.confirmed[sight.index]));
        }
    }
}

/// The pairs in the trace of what was observed on an input, each once, and whether each is at its beginning.
pub fn shown(search: &mut ExceptionSearch<'_>, record: &[u8], observation: &Observation) -> Vec<(PairKey, bool)> {
    let watched = search.judge.pairs.watched();
    let mut seen: FxHashSet<PairKey> = FxHashSet::default();
    let mut shown = Vec::new();
    let mut is_first = true;
    let is_worse = runs_into_worse(observation, watched);
    let mut call = Call::new(record, observation);
    for event in observation.trace.iter().flat_map(|trace| &trace.events) {
        let raised = event.exceptions & watched;
        if raised.is_empty() {
            continue;
        }
        for exception in raised.iter() {
            let pair = (search.judge.site_of(&mut call, event, exception), exception);
            if seen.insert(pair.clone()) {
                shown.push((pair, is_first && !(is_worse && exception == Flags::UNDERFLOW)));
            }
        }
        is_first = false;
    }
    shown
}
