//! The loop: batches of inputs, and what each round does.

use std::time::Duration;

use labrys_fuzz::{Corpus, Mutator, RecordSet, Sampler, neighbours};
use labrys_native::Outcome;
use labrys_report::FoundBy;

use super::bisection::{self, Bisection};
use super::climb::Climb;
use super::judge::{Judge, Seen};
use super::settings::{Emphasis, SearchSettings};
use super::slow::SlowInputs;
use super::tournament::Tournament;
use crate::inputs::domain::at_most;
use crate::run::clock::{Clock, Stop};
use crate::{AnalysisError, Snapshot};

/// How many a tournament proposes at a time.
const BOUT: usize = 1024;
/// Inputs that are remembered as run; then all are forgotten, so that a search of hours does not fill the memory.
const REMEMBERED: usize = 1 << 23;
/// How many are where calls run out of time, or may.
const WARY_BATCH: usize = 32;
/// Where the first so many calls run out of time, calls may take as long as the user allows.
const HOPELESS: u64 = 16;
/// Rounds without an input that was not run before end the search: small domains run dry.
const BARREN_ROUNDS: u32 = 16;
/// Rounds of climbing in a row while they lead higher.
const ASCENTS: u32 = 8;
/// Inputs of each kind of results from which bisection begins.
const KEPT: usize = 16;
/// What one of ten rounds does.
const ROUNDS: [Round; 10] = [
    Round::Draw,
    Round::Mutate,
    Round::Climb,
    Round::Mutate,
    Round::Draw,
    Round::Mutate,
    Round::Bisect,
    Round::Climb,
    Round::Mutate,
    Round::Mutate,
];

/// The same where high scores are looked for: they are highest beside boundaries, and above what is high already.
const ROUNDS_FOR_SCORES: [Round; 10] = [
    Round::Bisect,
    Round::Climb,
    Round::Mutate,
    Round::Climb,
    Round::Draw,
    Round::Bisect,
    Round::Mutate,
    Round::Climb,
    Round::Mutate,
    Round::Climb,
];

/// The same where an input costs little more than its call: mostly tournaments, whose climbers need many.
const ROUNDS_AT_SPEED: [Round; 10] = [
    Round::Bisect,
    Round::Compete,
    Round::Climb,
    Round::Compete,
    Round::Draw,
    Round::Compete,
    Round::Bisect,
    Round::Compete,
    Round::Mutate,
    Round::Compete,
];
/// How often a tournament proposes in one round of the search.
const BOUTS: usize = 4;
/// How many times as many rounds without anything new do not end the search there.
const PATIENCE_AT_SPEED: u32 = 8;

/// What a round of the guided search does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Draw,
    Mutate,
    Climb,
    Bisect,
    Compete,
}

/// Inputs with what they showed.
type Shown = Vec<(Vec<u8>, Seen)>;

/// The state of a search.
pub struct Search<'a, J> {
    /// What is made of inputs.
    pub judge: J,
    /// Inputs run so far.
    pub inputs: u64,
    /// Inputs that did not return: crashes, time-outs, exits.
    pub abnormal: u64,
    /// Of these, inputs whose calls panicked.
    pub panicked: u64,
    settings: SearchSettings<'a>,
    /// How many inputs are run at a time.
    batch: usize,
    /// How many a tournament proposes at a time.
    bout: usize,
    /// How many inputs may be run by now: later stages need the rest.
    allowed: u64,
    corpus: Corpus<u64>,
    tested: RecordSet,
    /// Those of a solver, which are run in any case.
    proposed: RecordSet,
    climb: Climb<'a>,
    tournament: Tournament<'a>,
    bisection: Bisection,
    /// The same between kinds of results, where scores are looked for.
    roots: Bisection,
    slow: SlowInputs,
    /// Whether calls of the last batch ran out of time, or there was none yet.
    is_wary: bool,
    /// Calls that ran out of time.
    timed_out: u64,
    /// Whether all inputs there are were run: then there is nothing left to search.
    is_over: bool,
}

impl<'a, J: Judge> Search<'a, J> {
    /// A search that has run nothing yet.
    pub fn new(settings: SearchSettings<'a>, mut judge: J) -> Search<'a, J> {
        judge.set_call_limit(settings.call_limit);
        Search {
            judge,
            inputs: 0,
            abnormal: 0,
            panicked: 0,
            settings,
            batch: settings.batch(),
            bout: at_most(BOUT, settings.inputs),
            allowed: settings.max_inputs,
            corpus: Corpus::new(),
            tested: RecordSet::default(),
            proposed: RecordSet::default(),
            climb: Climb::new(settings.space, settings.seed, settings.persistence.emphasis == Emphasis::Scores),
            tournament: Tournament::new(settings.space, settings.seed),
            bisection: Bisection::new(settings.seed, 1),
            roots: Bisection::new(settings.seed, KEPT),
            slow: SlowInputs::new(&settings.inputs.leaves, settings.seed),
            is_wary: true,
            timed_out: 0,
            is_over: false,
        }
    }

    /// Allows so many hundredths of all inputs to be run by now.
    pub fn allow(&mut self, hundredths: u64) {
        let most = self.settings.max_inputs;
        self.allowed = most / 100 * hundredths + most % 100 * hundredths / 100;
    }

    /// Lets so many more inputs be run, all that were not run yet now.
    pub fn add_inputs(&mut self, more: u64) {
        self.settings.max_inputs = self.settings.max_inputs.saturating_add(more);
        self.allowed = self.settings.max_inputs;
    }

    /// All inputs there are were run: no search finds more.
    pub fn end_search(&mut self) {
        self.is_over = true;
    }

    /// Whether all inputs there are were run.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether each of enough calls ran out of time, those that had as much as the user allows included.
    pub fn is_hopeless(&self) -> bool {
        self.timed_out > HOPELESS && self.timed_out == self.inputs
    }

    /// What steers the search, for judges that run inputs by themselves.
    pub fn corpus_and_judge(&mut self) -> (&mut Corpus<u64>, &mut J) {
        (&mut self.corpus, &mut self.judge)
    }

    /// Runs those of `records` that are in the search domain and were not run before, or not for a solver.
    ///
    /// # Errors
    ///
    /// Where the code under test cannot be kept running. `Ok(Some(stop))`: a limit ended it early.
    pub fn submit(
        &mut self,
        records: Vec<Vec<u8>>,
        found_by: FoundBy,
        clock: &Clock,
    ) -> Result<Option<Stop>, AnalysisError> {
        Ok(self.run(records, found_by, clock)?.err())
    }

    /// As [`Search::submit`], with what each input that was run showed.
    fn run(
        &mut self,
        records: Vec<Vec<u8>>,
        found_by: FoundBy,
        clock: &Clock,
    ) -> Result<Result<Shown, Stop>, AnalysisError> {
        let is_search = matches!(found_by, FoundBy::Random | FoundBy::Guided | FoundBy::Neighbourhood);
        let mut shown = Shown::new();
        if self.is_over && is_search {
            return Ok(Ok(shown));
        }
        let mut fresh = Vec::with_capacity(records.len());
        for record in records {
            if !self.settings.space.admits(&record) {
                continue;
            }
            // What was run may not have been looked at closely: a solver proposes it for one reason of many.
            if self.tested.len() >= REMEMBERED {
                self.tested = RecordSet::default();
            }
            let is_untested = self.tested.insert(&record);
            let is_new_proposal = found_by == FoundBy::Solver && self.proposed.insert(&record);
            if is_untested || is_new_proposal {
                fresh.push(record);
            }
        }
        let mut rest = &fresh[..];
        while !rest.is_empty() {
            let size = match self.is_wary {
                true => WARY_BATCH.min(self.batch),
                false if self.judge.is_quick() => self.bout,
                false => self.batch,
            };
            let (batch, later) = rest.split_at(size.min(rest.len()));
            rest = later;
            // What a solver or a user proposes is run in any case.
            let batch: Vec<Vec<u8>> =
                batch.iter().filter(|record| !is_search || self.slow.is_worth_a_call(record)).cloned().collect();
            if batch.is_empty() {
                continue;
            }
            if let Some(stop) = clock.stop(self.settings.progress) {
                return Ok(Err(stop));
            }
            let room = usize::try_from(self.allowed.saturating_sub(self.inputs)).unwrap_or(usize::MAX);
            if room == 0 {
                return Ok(Err(Stop::Work));
            }
            self.judge.set_deadline(clock.limit());
            match self.run_batch(&batch[..batch.len().min(room)], found_by, &mut shown) {
                Ok(true) => {}
                Ok(false) => return Ok(Err(Stop::Time)),
                Err(error) if error.is_time_up() => return Ok(Err(Stop::Time)),
                Err(error) => return Err(error),
            }
        }
        Ok(Ok(shown))
    }

    /// Runs a batch; whether the deadline left time for all of it.
    fn run_batch(&mut self, batch: &[Vec<u8>], found_by: FoundBy, shown: &mut Shown) -> Result<bool, AnalysisError> {
        let seen = self.judge.run(batch, found_by, &mut self.corpus)?;
        let is_whole = seen.len() == batch.len();
        let before = self.timed_out;
        for (record, seen) in batch.iter().zip(seen) {
            self.inputs += 1;
            self.abnormal += u64::from(seen.outcome != Outcome::Returned);
            self.panicked += u64::from(seen.outcome == Outcome::Panic);
            self.timed_out += u64::from(seen.outcome == Outcome::Timeout);
            self.slow.learn(record, &seen.outcome);
            self.climb.learn(record, &seen);
            self.bisection.learn(record, seen.behaviour);
            if self.settings.persistence.emphasis == Emphasis::Scores {
                self.roots.learn(record, seen.results);
            }
            shown.push((record.clone(), seen));
        }
        self.is_wary = self.timed_out > before;
        if self.timed_out >= HOPELESS && self.timed_out == self.inputs {
            self.judge.set_call_limit(Duration::MAX);
        }
        self.settings.progress.update(&Snapshot {
            inputs: self.inputs,
            planned_inputs: self.settings.max_inputs,
            divergences: self.judge.found(),
            ..Snapshot::default()
        });
        Ok(is_whole)
    }

    /// Runs candidates of a solver, and what lies around each.
    ///
    /// # Errors
    ///
    /// As [`Search::submit`].
    pub fn follow(&mut self, candidates: &[Vec<u8>], clock: &Clock) -> Result<Option<Stop>, AnalysisError> {
        if let Some(stop) = self.submit(candidates.to_vec(), FoundBy::Solver, clock)? {
            return Ok(Some(stop));
        }
        for candidate in candidates {
            let around = neighbours(self.settings.space, candidate, self.settings.persistence.neighbours);
            if let Some(stop) = self.submit(around, FoundBy::Neighbourhood, clock)? {
                return Ok(Some(stop));
            }
        }
        Ok(None)
    }

    /// Searches until nothing more is looked for, nothing new turns up any more, or a limit is reached. Searches of another `salt` draw
    /// other inputs.
    ///
    /// # Errors
    ///
    /// As [`Search::submit`].
    pub fn guided(&mut self, salt: u64, clock: &Clock) -> Result<Option<Stop>, AnalysisError> {
        let seed = self.settings.seed ^ salt;
        let mut mutator = Mutator::new(self.settings.space, seed);
        let mut sampler = Sampler::new(self.settings.space, seed ^ 0x9e37_79b9_7f4a_7c15);
        let (mut barren, mut fruitless) = (0, 0);
        let (rounds, patience) = match self.settings.persistence.emphasis {
            Emphasis::Novelty => (&ROUNDS, 1),
            Emphasis::Scores if self.judge.is_quick() => (&ROUNDS_AT_SPEED, PATIENCE_AT_SPEED),
            Emphasis::Scores => (&ROUNDS_FOR_SCORES, 1),
        };
        for round in rounds.iter().cycle() {
            let (inputs, found) = (self.inputs, self.judge.found());
            if self.is_over
                || self.judge.is_done()
                || barren >= BARREN_ROUNDS
                || fruitless >= self.settings.persistence.fruitless_rounds * patience
            {
                return Ok(None);
            }
            let stop = match round {
                Round::Mutate if !self.corpus.is_empty() => {
                    let mutants = (0..self.batch).map(|_| mutator.mutate(&mut self.corpus)).collect();
                    self.submit(mutants, FoundBy::Guided, clock)?
                }
                Round::Climb if !self.climb.is_empty() => self.climb(clock)?,
                Round::Bisect if !self.bisection.is_empty() => self.bisect(clock)?,
                Round::Compete => self.compete(&mut sampler, clock)?,
                _ => {
                    let is_for_scores = self.settings.persistence.emphasis == Emphasis::Scores;
                    let is_related = |turn: usize| is_for_scores && turn.is_multiple_of(2);
                    let draw = |turn| if is_related(turn) { sampler.related() } else { sampler.sample() };
                    let drawn = (0..self.batch).map(draw).collect();
                    self.submit(drawn, FoundBy::Random, clock)?
                }
            };
            if stop.is_some() {
                return Ok(stop);
            }
            barren = if self.inputs == inputs { barren + 1 } else { 0 };
            fruitless = if self.judge.found() == found { fruitless + 1 } else { 0 };
        }
        Ok(None)
    }

    /// Steps from the best inputs; where scores are what the search is for, again as long as they lead higher.
    fn climb(&mut self, clock: &Clock) -> Result<Option<Stop>, AnalysisError> {
        let most = if self.settings.persistence.emphasis == Emphasis::Scores { ASCENTS } else { 1 };
        for _ in 0..most {
            let moved = self.climb.moves(self.batch);
            let stop = self.submit(moved, FoundBy::Guided, clock)?;
            if stop.is_some() || !self.climb.is_rising() {
                return Ok(stop);
            }
        }
        Ok(None)
    }

    /// Some batches of a tournament.
    fn compete(&mut self, sampler: &mut Sampler<'_>, clock: &Clock) -> Result<Option<Stop>, AnalysisError> {
        let mut turn = 0usize;
        let mut draw = || {
            turn += 1;
            match turn % 4 {
                0 => sampler.corner(),
                1 => sampler.related(),
                _ => sampler.sample(),
            }
        };
        for _ in 0..BOUTS {
            let proposed = self.tournament.propose(self.bout, &mut draw);
            match self.run(proposed, FoundBy::Guided, clock)? {
                Ok(shown) => {
                    self.tournament.learn(shown.iter().map(|(record, seen)| (&record[..], seen.score)));
                }
                Err(stop) => return Ok(Some(stop)),
            }
        }
        Ok(None)
    }

    /// Halves the ways between inputs that behave differently; where scores are looked for, first those between different results, all the
    /// way.
    fn bisect(&mut self, clock: &Clock) -> Result<Option<Stop>, AnalysisError> {
        if self.settings.persistence.emphasis == Emphasis::Scores {
            for _ in 0..bisection::WHOLE_WAY {
                let middles = self.roots.middles(self.settings.space);
                match self.run(middles, FoundBy::Guided, clock)? {
                    Ok(shown) => self.roots.halve(shown.iter().map(|(record, seen)| (&record[..], seen.results))),
                    Err(stop) => return Ok(Some(stop)),
                }
            }
        }
        for _ in 0..bisection::HALVINGS {
            let middles = self.bisection.middles(self.settings.space);
            match self.run(middles, FoundBy::Guided, clock)? {
                Ok(shown) => self.bisection.halve(shown.iter().map(|(record, seen)| (&record[..], seen.behaviour))),
                Err(stop) => return Ok(Some(stop)),
            }
        }
        Ok(None)
    }

    /// Runs the plain sampler until the work is done.
    ///
    /// # Errors
    ///
    /// As [`Search::submit`].
    pub fn sample(&mut self, clock: &Clock) -> Result<Option<Stop>, AnalysisError> {
        let mut sampler = Sampler::new(self.settings.space, self.settings.seed);
        let mut barren = 0;
        while barren < BARREN_ROUNDS {
            let before = self.inputs;
            let records = (0..self.batch).map(|_| sampler.sample()).collect();
            if let Some(stop) = self.submit(records, FoundBy::Random, clock)? {
                return Ok(Some(stop));
            }
            barren = if self.inputs == before { barren + 1 } else { 0 };
        }
        Ok(None)
    }
}
