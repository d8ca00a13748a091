//! A tournament of climbers, for errors of a few roundings: the landscape is a smooth one with noise as high as the hills, so that nobody sees from
//! the foot of a hill how high it is.
//!
//! Many climbers begin, each at the best of some drawn inputs. Each has as many tries as the others; then the lower half gives up, and those that are
//! left have twice as many, until one is left (*successive halving*: Karnin, Koren, Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013).
//! Tournaments follow each other, larger ones later: a small one finds what is easy at once.

use labrys_fuzz::{Offspring, Space};

/// The sizes of the first tournaments; those that follow are as large as the last: climbers, draws for each, tries of each in the first round.
const SIZES: [(usize, usize, usize); 4] = [(8, 16, 64), (16, 32, 128), (32, 64, 256), (64, 64, 256)];
/// Tries of one climber between looks at how high they led, at least.
const FEWEST_TRIES: usize = 8;

/// One that climbs.
#[derive(Clone, Debug)]
struct Climber {
    record: Vec<u8>,
    score: f64,
}

/// A tournament, and those before it.
pub struct Tournament<'a> {
    offspring: Offspring<'a>,
    /// Those that are left; none before a tournament has begun.
    climbers: Vec<Climber>,
    /// Tries that each has in this round, and those it had.
    tries: (usize, usize),
    /// What was proposed last, and whose it is.
    proposed: Vec<(usize, Vec<u8>)>,
    /// Tournaments that are over.
    played: usize,
    /// The best input of all of them.
    champion: Option<Climber>,
}

impl<'a> Tournament<'a> {
    /// No tournament has begun.
    pub fn new(space: &'a Space, seed: u64) -> Tournament<'a> {
        Tournament {
            offspring: Offspring::new(space, seed),
            climbers: Vec::new(),
            tries: (0, 0),
            proposed: Vec::new(),
            played: 0,
            champion: None,
        }
    }

    /// The next inputs to be run, about `count`; `draw` draws some for climbers to begin at.
    pub fn propose(&mut self, count: usize, draw: &mut dyn FnMut() -> Vec<u8>) -> Vec<Vec<u8>> {
        // A limit may have ended the run of what was proposed before.
        self.forget_unborn();
        if self.climbers.is_empty() {
            let (climbers, draws, tries) = self.size();
            self.climbers = vec![Climber { record: Vec::new(), score: f64::NEG_INFINITY }; climbers];
            self.tries = (tries, 0);
            self.proposed = (0..climbers * draws).map(|drawn| (drawn / draws, draw())).collect();
            // Every other one goes on from the best of all before.
            if let (1, Some(champion)) = (self.played % 2, self.champion.take()) {
                self.climbers[0] = champion;
            }
        } else {
            let parents: Vec<&[u8]> = self.climbers.iter().map(|climber| &climber.record[..]).collect();
            let left = self.tries.0 - self.tries.1;
            let each = (count / parents.len()).max(FEWEST_TRIES).min(left);
            let offspring = &mut self.offspring;
            self.proposed = (0..parents.len())
                .flat_map(|of| std::iter::repeat_n(of, each))
                .map(|of| (of, offspring.of(&parents, of)))
                .collect();
            self.tries.1 += each;
        }
        self.proposed.iter().map(|(_, record)| record.clone()).collect()
    }

    /// What became of those that were proposed: the scores of those that were run, in their order.
    pub fn learn<'s>(&mut self, shown: impl Iterator<Item = (&'s [u8], f64)>) {
        let mut proposed = std::mem::take(&mut self.proposed).into_iter();
        for (record, score) in shown {
            let Some((of, record)) = proposed.by_ref().find(|(_, proposed)| *proposed == record) else { break };
            let climber = &mut self.climbers[of];
            if score > climber.score {
                *climber = Climber { record, score };
            }
        }
        self.forget_unborn();
        if self.tries.1 >= self.tries.0 {
            self.end_round();
        }
    }

    /// Climbers without an input: nothing that was drawn for them was run.
    fn forget_unborn(&mut self) {
        self.climbers.retain(|climber| climber.score > f64::NEG_INFINITY);
    }

    fn end_round(&mut self) {
        self.climbers.sort_by(|a, b| b.score.total_cmp(&a.score));
        let left = self.climbers.len() / 2;
        self.tries = (2 * self.tries.0, 0);
        if left == 0 {
            self.played += 1;
            let best = self.climbers.drain(..).chain(self.champion.take());
            self.champion = best.max_by(|a, b| a.score.total_cmp(&b.score));
        }
        self.climbers.truncate(left);
    }

    fn size(&self) -> (usize, usize, usize) {
        SIZES[self.played.min(SIZES.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use labrys_fuzz::{InputClass, Sampler, Space};
    use labrys_program::{LengthOptions, parse_signature};

    use super::*;

    /// The error of a sum of squares, each rounding of which a fused product and sum or an exact sum tells.
    fn error(record: &[u8]) -> f64 {
        let (mut sum, mut lost) = (0.0, 0.0);
        for x in record.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())) {
            let square = x * x;
            let next = sum + square;
            let part = next - sum;
            lost += x.mul_add(x, -square) + ((sum - (next - part)) + (square - part));
            sum = next;
        }
        lost.abs()
    }

    #[test]
    fn what_chance_finds_in_many_inputs_a_tournament_finds_in_few() {
        let signature = parse_signature("double f(double x[6])", &LengthOptions::default()).unwrap();
        let mut space = Space::new(&signature, InputClass::Finite);
        for leaf in 0..6 {
            let [low, high] = [1.0, 1.4].map(labrys_float::Float::from_f64);
            space.restrict(leaf, &low, &high);
        }
        let run = |seed: u64| {
            let mut sampler = Sampler::new(&space, seed);
            let mut tournament = Tournament::new(&space, seed);
            let (mut best, mut inputs) = (0f64, 0);
            while inputs < 12_000 {
                let records = tournament.propose(256, &mut || sampler.sample());
                inputs += records.len();
                let scores: Vec<f64> = records.iter().map(|record| error(record)).collect();
                best = scores.iter().copied().fold(best, f64::max);
                tournament.learn(records.iter().map(Vec::as_slice).zip(scores));
            }
            best
        };
        let chance = |seed: u64| {
            let mut sampler = Sampler::new(&space, seed);
            (0..12_000).map(|_| error(&sampler.sample())).fold(0f64, f64::max)
        };
        let better = (0..5).filter(|seed| run(*seed) > chance(*seed)).count();
        assert_eq!(better, 5, "{:?}", (0..5).map(|seed| (run(seed), chance(seed))).collect::<Vec<_>>());
        assert_eq!(run(3), run(3));
    }

    #[test]
    fn what_was_not_run_is_passed_over() {
        let signature = parse_signature("double f(double x, double y)", &LengthOptions::default()).unwrap();
        let space = Space::new(&signature, InputClass::Finite);
        let mut sampler = Sampler::new(&space, 1);
        let mut tournament = Tournament::new(&space, 1);
        for _ in 0..200 {
            let records = tournament.propose(64, &mut || sampler.sample());
            assert!(!records.is_empty());
            let shown = records.iter().step_by(3).map(|record| (&record[..], error(record)));
            tournament.learn(shown);
        }
        // A limit ends the search before anything is learnt of what was proposed, and another search goes on.
        let mut interrupted = Tournament::new(&space, 2);
        for _ in 0..3 {
            let records = interrupted.propose(64, &mut || sampler.sample());
            let size = sampler.sample().len();
            assert_eq!(records.iter().find(|record| record.len() != size), None);
        }
        // Nothing at all is run any more.
        for _ in 0..200 {
            tournament.propose(64, &mut || sampler.sample());
            tournament.learn(std::iter::empty());
        }
    }
}
