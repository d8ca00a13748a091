//! What the search makes of inputs: how far results are from true ones.
//!
//! True values are guesses here: they guide, and what is reported is certified afterwards. Where the function has a shadow, results are compared with that
//! (`leads.rs`), and only what ranks highest with guesses of the twin in arbitrary precision ([`crate::truth::Oracle::guess`]); else all are. Inputs behave
//! alike where the true run goes the same way, its sums have the same signs, and outputs are alike; between two inputs that do not
//! lies one on which some sum cancels altogether, which bisection finds.

use std::time::{Duration, Instant};

use labrys_elementary::rug;
use labrys_float::Float;
use labrys_fuzz::Corpus;
use labrys_interp::precise::PreciseFloat;
use labrys_native::{Observation, Outcome};
use labrys_program::{Leaf, OutputLayout, ScalarType};
use labrys_report::FoundBy;

use super::candidates::{Candidate, Candidates, Group, Objective};
use super::leads::{LEAVING_RANGE, Lead, Patience, Ranks};
use super::shadowed::Shadowed;
use crate::AnalysisError;
use crate::observation::feature::feature;
use crate::observation::observer::Observer;
use crate::search::{Emphasis, Judge, Persistence, Search, Seen};
use crate::truth::Fault;
use crate::truth::{Metric, OutputError};
use crate::truth::{Oracle, Slopes, TrueCall};

/// Rounds are fruitless without a larger error.
pub const PERSISTENCE: Persistence = Persistence { fruitless_rounds: 150, neighbours: 64, emphasis: Emphasis::Scores };
/// Errors of fewer ulps are not worth asking whose fault they are.
pub const BLAMED_ULPS: f64 = 4.0;
/// Of functions with more inputs slopes are too dear for a search.
const MOST_SLOPES: usize = 40;
/// A relative error above this is large, as the literature counts (Zou et al., "Detecting floating-point errors via atomic conditions",
/// POPL 2020).
const LARGE: f64 = 1e-3;
/// Steps in which a larger error counts as something new: a part of a bit.
const STEPS: f64 = 32.0;

/// The search for large errors of one function.
pub type AccuracySearch<'a> = Search<'a, AccuracyJudge<'a>>;

/// The largest errors found, and the build that makes them.
pub struct AccuracyJudge<'a> {
    /// The function's build.
    pub observer: &'a mut Observer,
    /// Its true outputs.
    pub oracle: Oracle<'a>,
    /// The inputs with the largest errors.
    pub candidates: Candidates,
    /// Inputs without a true value, the first reason among them.
    pub unresolved: u64,
    /// Why the first of them has none.
    pub why_unresolved: Option<String>,
    /// Inputs whose true values were asked for.
    pub asked: u64,
    /// What estimates true values of most inputs, where there is one.
    pub shadowed: Option<Shadowed>,
    /// What the search climbs.
    pub objective: Objective,
    /// Seconds from the first batch to the first large error; it is a guess as all errors are here.
    pub first_large: Option<f64>,
    begun: Option<Instant>,
    pub(super) outputs: &'a OutputLayout,
    pub(super) metric: Metric,
    pub(super) deadline: Option<Instant>,
    pub(super) ranks: Ranks,
    pub(super) patience: Patience,
    /// How often an input was kept.
    pub(super) kept: u64,
    /// Whether guesses in which nothing is left are worth more bits.
    lost: Lost,
}

/// How often more bits left as little as a guess did, one after the other: zeros that only the reals know to be zero cost all bits each time.
#[derive(Clone, Copy, Debug, Default)]
struct Lost {
    in_vain: u32,
    asked: u32,
}

impl Lost {
    /// So many times more bits are tried each time, then every so many-th time.
    const PATIENCE: u32 = 32;
    const EVERY: u32 = 16;

    fn is_due(&mut self) -> bool {
        self.asked += 1;
        self.in_vain < Lost::PATIENCE || self.asked.is_multiple_of(Lost::EVERY)
    }

    fn learn(&mut self, is_settled: bool) {
        self.in_vain = if is_settled { 0 } else { self.in_vain + 1 };
    }
}

impl Judge for AccuracyJudge<'_> {
    fn run(
        &mut self,
        batch: &[Vec<u8>],
        found_by: FoundBy,
        corpus: &mut Corpus<u64>,
    ) -> Result<Vec<Seen>, AnalysisError> {
        self.begun.get_or_insert_with(Instant::now);
        let observations = self.observer.run(batch, LEAVING_RANGE)?;
        let mut estimates = self.estimates(batch, &observations);
        self.rank();
        let mut leads: Vec<Lead> = Vec::new();
        let mut seen = Vec::with_capacity(observations.len());
        for (place, (record, observation)) in batch.iter().zip(observations).enumerate() {
            let estimate = estimates.get_mut(place).and_then(Option::take);
            let (shown, features) = match estimate {
                Some(estimate) => self.estimated(place, observation, &estimate, &mut leads),
                // A true value costs hundreds of calls.
                None if self.is_late() => break,
                None => self.judge(record, observation, found_by),
            };
            corpus.offer(record, &features);
            seen.push(shown);
        }
        self.follow(leads, batch, found_by, &mut seen);
        self.count_estimated();
        Ok(seen)
    }

    fn is_quick(&self) -> bool {
        self.shadowed.as_ref().is_some_and(|shadowed| shadowed.ended().is_none())
    }

    fn found(&self) -> usize {
        self.candidates.iter().map(|(_, found)| (found[0].score * STEPS) as usize + 1).sum()
    }

    fn is_done(&self) -> bool {
        false
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.observer.set_deadline(deadline);
        self.shadowed.iter_mut().for_each(|shadowed| shadowed.set_deadline(deadline));
    }

    fn set_call_limit(&mut self, limit: Duration) {
        self.observer.set_call_limit(limit);
        self.shadowed.iter_mut().for_each(|shadowed| shadowed.set_call_limit(limit));
    }
}

impl<'a> AccuracyJudge<'a> {
    /// A judge that has seen nothing yet.
    pub fn new(
        observer: &'a mut Observer,
        oracle: Oracle<'a>,
        outputs: &'a OutputLayout,
        metric: Metric,
    ) -> AccuracyJudge<'a> {
        AccuracyJudge {
            observer,
            oracle,
            candidates: Candidates::default(),
            unresolved: 0,
            why_unresolved: None,
            asked: 0,
            shadowed: None,
            objective: Objective::Error,
            first_large: None,
            begun: None,
            outputs,
            metric,
            deadline: None,
            ranks: Ranks::new(&outputs.leaves),
            patience: Patience::default(),
            kept: 0,
            lost: Lost::default(),
        }
    }

    /// Whether slopes are cheap enough to look for errors that are the program's fault.
    pub fn can_blame(inputs: usize) -> bool {
        inputs <= MOST_SLOPES
    }

    /// The outputs, as they lie in output records.
    pub fn output_leaves(&self) -> &'a [Leaf] {
        &self.outputs.leaves
    }

    /// A guess of the true outputs; where few are asked for, of what is not certain with its bits no more than is certain with any: what no bits
    /// settle would be found again and again, and reported never.
    fn truth(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        let guess = self.oracle.guess(record)?;
        if guess.is_certified {
            return Ok(guess);
        }
        if self.shadowed.is_some() {
            return self.oracle.certified(record);
        }
        // Of what was absorbed nothing is left in a guess, which then seems to be what rounding has made of it.
        let is_lost = |float: &PreciseFloat| !float.radius().is_below(float.value());
        if !guess.floats.iter().flatten().any(is_lost) || !self.lost.is_due() {
            return Ok(guess);
        }
        let certified = self.oracle.certified(record);
        self.lost.learn(certified.is_ok());
        Ok(certified.unwrap_or(guess))
    }

    /// Whether the time for this batch is over.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// What a call showed that did not return.
    pub(super) fn unended(outcome: Outcome) -> (Seen, Vec<u64>) {
        let behaviour = feature(&("outcome", format!("{outcome:?}")));
        (Seen { outcome, behaviour, results: behaviour, score: 0.0 }, vec![behaviour])
    }

    /// Compares one input's results with a guess of the true ones, and keeps it if their error is among the largest.
    pub(super) fn judge(&mut self, record: &[u8], observation: Observation, found_by: FoundBy) -> (Seen, Vec<u64>) {
        let Observation { outcome, output, .. } = observation;
        if outcome != Outcome::Returned || output.len() < self.outputs.size {
            return Self::unended(outcome);
        }
        self.asked += 1;
        let truth = match self.truth(record) {
            Ok(truth) => truth,
            Err(why) => {
                self.unresolved += 1;
                self.why_unresolved.get_or_insert(why);
                let behaviour = feature(&"unresolved");
                return (Seen { outcome, behaviour, results: behaviour, score: 0.0 }, vec![behaviour]);
            }
        };
        let mut slopes: Option<Vec<(usize, Vec<rug::Float>)>> = None;
        let mut score = 0f64;
        let mut classes = Vec::with_capacity(self.outputs.leaves.len());
        let mut truth_signs = Vec::with_capacity(self.outputs.leaves.len());
        let mut features = Vec::new();
        for (index, error) in errors(&self.outputs.leaves, &output, &truth) {
            let (error, result, true_value) = error;
            if error.relative > LARGE {
                self.first_large = self.first_large.or_else(|| Some(self.begun?.elapsed().as_secs_f64()));
            }
            truth_signs.push(true_value.value().is_sign_negative());
            classes.push((result.is_nan(), result.is_infinite(), result.is_zero(), result.is_negative()));
            let leaf = &self.outputs.leaves[index];
            let of = match self.objective {
                Objective::Error => self.metric.score(&error, true_value),
                Objective::Absolute => Metric::Absolute.score(&error, true_value),
                Objective::Excess if error.ulps < BLAMED_ULPS || !error.ulps.is_finite() => 0.0,
                Objective::Excess => {
                    let slopes = slopes
                        .get_or_insert_with(|| self.oracle.derivatives(record, Slopes::GUESS).unwrap_or_default());
                    let of_output = slopes.iter().filter_map(|(_, of_outputs)| of_outputs.get(index).cloned());
                    let fault = Fault::of(&error, true_value, result.format(), of_output);
                    fault.map_or(0.0, |fault| (1.0 + fault.excess).log2())
                }
            };
            let objective = self.objective;
            let group = Group { output: base(leaf), objective, is_other_class: error.is_other_class };
            if of > 0.0 {
                features.push(feature(&(&group, of as u64)));
                let candidate = Candidate { record: record.to_vec(), score: of, found_by };
                self.kept += u64::from(self.candidates.offer(group, candidate));
            }
            // There is nothing to climb where a result is no number.
            score = score.max(if error.ulps.is_finite() { of } else { 0.0 });
        }
        let results = feature(&(&classes, truth_signs));
        let behaviour = feature(&(truth.control, truth.signs, classes));
        features.push(behaviour);
        (Seen { outcome, behaviour, results, score }, features)
    }
}

/// An output's error, the result and the true value.
pub type Judged<'t> = (OutputError, Float, &'t labrys_interp::precise::PreciseFloat);

/// The errors of the floats of an output record, by leaf.
pub fn errors<'t>(
    leaves: &'t [Leaf],
    output: &'t [u8],
    truth: &'t TrueCall,
) -> impl Iterator<Item = (usize, Judged<'t>)> {
    leaves.iter().enumerate().filter_map(move |(index, leaf)| {
        let ScalarType::Float(float) = leaf.scalar else { return None };
        let truth = truth.floats.get(index)?.as_ref()?;
        let result = Float::from_bits(float.format(), leaf.read(output));
        Some((index, (OutputError::of(&result, truth), result, truth)))
    })
}

/// The output that a leaf belongs to: all elements of an array are one.
pub fn base(leaf: &Leaf) -> String {
    leaf.path.split('[').next().unwrap_or_default().to_owned()
}
