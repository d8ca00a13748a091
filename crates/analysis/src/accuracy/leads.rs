//! What the search makes of inputs by the function's shadow: estimates for all, certainty's first step for those that rank highest.
//!
//! **Rules.** An estimate is *plain* where the shadow's record has nothing against it; else it is doubtful: double words may be too short for what cancels, the
//! program may take another branch than the truth, numbers may be beyond doubles. Of each batch those that would rank among the largest errors kept are *leads*,
//! and the highest of both kinds are judged by the twin, whose score then counts. Only what the twin has judged is kept. What is doubtful and was
//! not judged scores no higher than the largest that was: a weak truth leads the search nowhere but to what is judged.

use labrys_float::Flags;
use labrys_native::{Observation, Outcome};
use labrys_program::{Leaf, ScalarType};
use labrys_report::FoundBy;
use labrys_shadow::{DoubleWord, ShadowRecord};

use super::candidates::{Group, Objective};
use super::estimate::{Class, error_of, excess};
use super::judge::{AccuracyJudge, BLAMED_ULPS, base};
use crate::observation::feature::feature;
use crate::search::Seen;
use crate::truth::{Metric, OutputError};

/// Of each batch so many leads of either kind are judged by the twin.
const JUDGED: usize = 4;
/// So many leads in a row may come to nothing before fewer are judged.
const IN_VAIN: usize = 16;
/// At the fewest, leads of one in so many batches.
const SELDOM: usize = 32;
/// Of a shadow's 106 bits so many may cancel in one sum before its estimates are doubtful: where others cancelled before, the 53 that are left must do
/// for both.
const CANCELLED_BITS: u32 = 40;
/// A corpus keeps inputs of so many behaviours: of a sum of thirty numbers hardly two inputs behave alike.
const BEHAVIOURS: u64 = 4096;

/// An input of a batch whose estimate ranks high.
pub struct Lead {
    place: usize,
    score: f64,
    is_plain: bool,
    output: Vec<u8>,
}

/// Exceptions of results that have left the range of doubles, or will have.
pub(super) const LEAVING_RANGE: Flags = Flags::OVERFLOW.union(Flags::UNDERFLOW).union(Flags::INVALID);

/// An input's estimates.
pub struct Estimate {
    record: ShadowRecord,
    /// Σ|x·∂f/∂x| for each output leaf, where excesses are looked for.
    slopes: Option<Vec<f64>>,
}

impl AccuracyJudge<'_> {
    /// The shadow's records of the inputs on which both it and the program returned, by their places in the batch.
    pub(super) fn estimates(&mut self, batch: &[Vec<u8>], observations: &[Observation]) -> Vec<Option<Estimate>> {
        let Some(shadowed) = &mut self.shadowed else { return Vec::new() };
        let returned = |observation: &Observation| observation.outcome == Outcome::Returned;
        let records = if observations.iter().all(returned) && observations.len() == batch.len() {
            shadowed.run(batch)
        } else {
            let inputs: Vec<Vec<u8>> = (batch.iter().zip(observations))
                .filter(|(_, observation)| returned(observation))
                .map(|(record, _)| record.clone())
                .collect();
            let mut records = shadowed.run(&inputs).into_iter();
            observations.iter().map(|seen| if returned(seen) { records.next().flatten() } else { None }).collect()
        };
        let estimate = |record: Option<ShadowRecord>| record.map(|record| Estimate { record, slopes: None });
        let mut estimates: Vec<Option<Estimate>> = records.into_iter().map(estimate).collect();
        if self.objective == Objective::Excess {
            self.slopes(batch, observations, &mut estimates);
        }
        estimates
    }

    /// Slopes of those whose errors are worth asking whose fault they are.
    fn slopes(&mut self, batch: &[Vec<u8>], observations: &[Observation], estimates: &mut [Option<Estimate>]) {
        let mut asked = Vec::new();
        for (place, (estimate, observation)) in estimates.iter().zip(observations).enumerate() {
            let Some(Estimate { record, .. }) = estimate else { continue };
            let is_large = |leaf: usize| {
                let error = self.error(leaf, &observation.output, record);
                error.is_some_and(|(error, ..)| error.ulps >= BLAMED_ULPS && error.ulps.is_finite())
            };
            if (0..self.outputs.leaves.len()).any(is_large) {
                asked.push(place);
            }
        }
        let Some(shadowed) = &mut self.shadowed else { return };
        let inputs: Vec<(&[u8], &ShadowRecord)> = (asked.iter())
            .filter_map(|place| Some((&batch[*place][..], &estimates[*place].as_ref()?.record)))
            .collect();
        for (place, slopes) in asked.iter().zip(shadowed.slopes(&inputs)) {
            if let Some(estimate) = &mut estimates[*place] {
                estimate.slopes = slopes;
            }
        }
    }

    /// An output's error by its estimate, and of what class result and true value are.
    fn error(&self, leaf: usize, output: &[u8], record: &ShadowRecord) -> Option<(OutputError, Class, DoubleWord)> {
        let of = &self.outputs.leaves[leaf];
        let ScalarType::Float(float) = of.scalar else { return None };
        let shadow = self.shadowed.as_ref()?.output(record, leaf)?;
        let (error, class) = error_of(float, of.read(output), shadow);
        Some((error, class, shadow))
    }

    /// Compares one input's results with estimates of the true ones; a lead where their error may be among the largest.
    pub(super) fn estimated(
        &mut self,
        place: usize,
        observation: Observation,
        estimate: &Estimate,
        leads: &mut Vec<Lead>,
    ) -> (Seen, Vec<u64>) {
        let Observation { outcome, output, flags, .. } = observation;
        if outcome != Outcome::Returned || output.len() < self.outputs.size {
            return Self::unended(outcome);
        }
        let Estimate { record, slopes } = estimate;
        // A shadow has the range of doubles: what leaves it is lost there, too.
        let leaves_range = flags.intersects(LEAVING_RANGE);
        let is_plain = record.is_plain(CANCELLED_BITS) && !leaves_range;
        let (mut score, mut leading) = (0f64, 0f64);
        let (mut classes, mut results) = (0, 0);
        let mut features = Vec::with_capacity(4);
        for leaf in 0..self.outputs.leaves.len() {
            let Some((error, class, shadow)) = self.error(leaf, &output, record) else { continue };
            classes = feature(&(classes, class));
            results = feature(&(results, class, shadow.high.is_sign_negative()));
            let of = match self.objective {
                Objective::Error => self.metric.score(&error, &shadow),
                Objective::Absolute => Metric::Absolute.score(&error, &shadow),
                Objective::Excess if error.ulps < BLAMED_ULPS || !error.ulps.is_finite() => 0.0,
                Objective::Excess => slopes.as_ref().map_or(0.0, |slopes| {
                    (1.0 + excess(&error, shadow, slopes[leaf], self.outputs.leaves[leaf].scalar)).log2()
                }),
            };
            if of <= 0.0 || of.is_nan() {
                continue;
            }
            let rank = self.ranks.of(leaf, error.is_other_class);
            features.push(feature(&(self.ranks.output(leaf), error.is_other_class, self.objective, of as u64)));
            if of > rank.least {
                leading = leading.max(of);
            } else {
                self.ranks.count(leaf, error.is_other_class);
            }
            let of = if is_plain { of } else { of.min(rank.largest) };
            // There is nothing to climb where a result is no number.
            score = score.max(if error.ulps.is_finite() { of } else { 0.0 });
        }
        // Where nothing is left of a shadow there is no error to see.
        if leading > 0.0 || leaves_range || record.vanished {
            let is_plain = is_plain && !record.vanished;
            leads.push(Lead { place, score: leading, is_plain, output });
        }
        let behaviour = feature(&(record.course, record.parted_at, classes));
        features.extend([
            behaviour % BEHAVIOURS,
            feature(&("cancelled", record.cancelled_at, record.cancelled_bits / 8)),
            feature(&("absorbed", record.absorbed.min(3))),
        ]);
        (Seen { outcome, behaviour, results, score }, features)
    }

    /// Has the twin judge the highest leads.
    pub(super) fn follow(&mut self, mut leads: Vec<Lead>, batch: &[Vec<u8>], found_by: FoundBy, seen: &mut [Seen]) {
        leads.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
        let mut left = self.patience.next();
        for Lead { place, is_plain, output, .. } in leads {
            let left = &mut left[usize::from(is_plain)];
            if *left == 0 {
                continue;
            }
            if self.is_late() {
                return;
            }
            *left -= 1;
            let kept = self.kept;
            let observation = Observation { outcome: Outcome::Returned, flags: Flags::empty(), output, trace: None };
            seen[place].score = self.judge(&batch[place], observation, found_by).0.score;
            self.patience.learn(is_plain, self.kept > kept);
        }
    }

    /// Looks anew at what inputs must exceed to be kept.
    pub(super) fn rank(&mut self) {
        for (output, is_other_class) in self.ranks.groups() {
            let group = self.group(output, is_other_class);
            self.ranks.of_outputs[output][usize::from(is_other_class)] = Rank {
                least: self.candidates.least(&group),
                largest: self.candidates.largest(&group).unwrap_or_default(),
                estimated: 0,
            };
        }
    }

    /// Counts the inputs of a batch that have an error and led nowhere.
    pub(super) fn count_estimated(&mut self) {
        for (output, is_other_class) in self.ranks.groups() {
            let estimated = self.ranks.of_outputs[output][usize::from(is_other_class)].estimated;
            if estimated > 0 {
                self.candidates.count_further(self.group(output, is_other_class), estimated);
            }
        }
    }

    fn group(&self, output: usize, is_other_class: bool) -> Group {
        Group { output: self.ranks.outputs[output].clone(), objective: self.objective, is_other_class }
    }
}

/// How many leads are judged: fewer of a kind of which many in a row came to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// Of doubtful leads and of plain ones: those judged since the last that was kept.
    in_vain: [usize; 2],
    batches: usize,
}

impl Patience {
    /// How many leads of either kind the next batch has.
    fn next(&mut self) -> [usize; 2] {
        self.batches += 1;
        let batches = self.batches;
        self.in_vain.map(|in_vain| {
            let every = (in_vain / IN_VAIN).clamp(1, SELDOM);
            if batches.is_multiple_of(every) { JUDGED } else { 0 }
        })
    }

    fn learn(&mut self, is_plain: bool, is_kept: bool) {
        let in_vain = &mut self.in_vain[usize::from(is_plain)];
        *in_vain = if is_kept { 0 } else { *in_vain + 1 };
    }
}

/// Where estimates stand among what is kept.
#[derive(Debug, Default)]
pub struct Ranks {
    /// The outputs' names, elements of an array together.
    outputs: Vec<String>,
    /// For each leaf its output.
    of_leaf: Vec<usize>,
    /// For each output what its errors must exceed, those of another class apart.
    of_outputs: Vec<[Rank; 2]>,
}

/// What was kept of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Rank {
    /// What must be exceeded to be kept.
    least: f64,
    /// The largest that the twin has judged; zero for none.
    largest: f64,
    /// Inputs of this batch that have an error and do not exceed that.
    estimated: u64,
}

impl Ranks {
    /// Nothing is kept yet of these outputs.
    pub fn new(leaves: &[Leaf]) -> Ranks {
        let mut ranks = Ranks::default();
        for output in leaves.iter().map(base) {
            let known = ranks.outputs.iter().position(|known| *known == output);
            ranks.of_leaf.push(known.unwrap_or(ranks.outputs.len()));
            if known.is_none() {
                ranks.outputs.push(output);
                ranks.of_outputs.push(Default::default());
            }
        }
        ranks
    }

    fn groups(&self) -> impl Iterator<Item = (usize, bool)> + use<> {
        (0..self.outputs.len()).flat_map(|output| [(output, false), (output, true)])
    }

    fn output(&self, leaf: usize) -> usize {
        self.of_leaf[leaf]
    }

    fn of(&self, leaf: usize, is_other_class: bool) -> Rank {
        self.of_outputs[self.of_leaf[leaf]][usize::from(is_other_class)]
    }

    fn count(&mut self, leaf: usize, is_other_class: bool) {
        self.of_outputs[self.of_leaf[leaf]][usize::from(is_other_class)].estimated += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_to_nothing_is_judged_seldom_and_at_once_again_when_it_comes_to_something() {
        let mut patience = Patience::default();
        let mut judged = 0;
        for _ in 0..1000 {
            let [doubtful, plain] = patience.next();
            assert_eq!(plain, JUDGED);
            (0..doubtful).for_each(|_| patience.learn(false, false));
            patience.learn(true, true);
            judged += doubtful;
        }
        assert!((4 * JUDGED..100 * JUDGED).contains(&judged), "{judged}");
        patience.learn(false, true);
        assert_eq!(patience.next(), [JUDGED; 2]);
    }

    #[test]
    fn elements_of_an_array_rank_together() {
        use labrys_program::{LengthOptions, parse_signature};
        let signature = parse_signature("double f(double x[3], double y[1])", &LengthOptions::default()).unwrap();
        let ranks = Ranks::new(&signature.output_layout().leaves);
        assert_eq!(ranks.outputs, ["result", "x", "y"]);
        assert_eq!(ranks.of_leaf, [0, 1, 1, 1, 2]);
        // Before anything is known everything exceeds it.
        assert_eq!((ranks.of(2, true).least, ranks.of(2, true).largest), (0.0, 0.0));
    }
}
