//! Climbing: from the inputs of the highest scores in steps of all sizes, one behaviour apart from another.

use labrys_fuzz::{Moves, Space};
use rustc_hash::FxHashMap;

use super::judge::Seen;

/// Behaviours from whose best inputs is climbed.
const SUMMITS: usize = 16;
/// Of these, from how many at a time.
const AT_A_TIME: usize = 4;
/// Rounds without a better input after which one rests: others may be worth more.
const PATIENCE: u32 = 24;

/// The best input of one behaviour.
#[derive(Clone, Debug)]
struct Summit {
    record: Vec<u8>,
    score: f64,
    /// Rounds since it was found.
    rounds: u32,
}

/// The best inputs so far.
pub struct Climb<'a> {
    moves: Moves<'a>,
    summits: FxHashMap<u64, Summit>,
    /// Whether a summit from which nothing leads higher makes room for others of its behaviour.
    restarts: bool,
}

impl<'a> Climb<'a> {
    /// Nothing was run yet.
    pub fn new(space: &'a Space, seed: u64, restarts: bool) -> Climb<'a> {
        Climb { moves: Moves::new(space, seed ^ 0x0063_6c69_6d62), summits: FxHashMap::default(), restarts }
    }

    /// Whether there is nothing to climb from.
    pub fn is_empty(&self) -> bool {
        self.summits.values().all(|summit| summit.rounds >= PATIENCE)
    }

    /// What an input showed.
    pub fn learn(&mut self, record: &[u8], seen: &Seen) {
        if seen.score.is_nan() || seen.score <= 0.0 {
            return;
        }
        let new = || Summit { record: record.to_vec(), score: seen.score, rounds: 0 };
        if let Some(summit) = self.summits.get_mut(&seen.behaviour) {
            if summit.score < seen.score {
                *summit = new();
            }
            return;
        }
        if self.summits.len() >= SUMMITS {
            let of_less = |a: &(&u64, &Summit), b: &(&u64, &Summit)| a.1.score.total_cmp(&b.1.score).then(a.0.cmp(b.0));
            let least = self.summits.iter().min_by(of_less).filter(|(_, summit)| summit.score < seen.score);
            let Some(behaviour) = least.map(|(behaviour, _)| *behaviour) else { return };
            self.summits.remove(&behaviour);
        }
        self.summits.insert(seen.behaviour, new());
    }

    /// Steps from the best inputs that have not rested, so many in all.
    pub fn moves(&mut self, count: usize) -> Vec<Vec<u8>> {
        if self.restarts {
            self.summits.retain(|_, summit| summit.rounds < PATIENCE);
        }
        let mut climbing: Vec<(&u64, &mut Summit)> =
            self.summits.iter_mut().filter(|(_, summit)| summit.rounds < PATIENCE).collect();
        climbing.sort_by(|(a, of_a), (b, of_b)| of_b.score.total_cmp(&of_a.score).then(a.cmp(b)));
        climbing.truncate(AT_A_TIME);
        let each = count / climbing.len().max(1);
        let mut moved = Vec::with_capacity(count);
        for (_, summit) in climbing {
            summit.rounds += 1;
            moved.extend(self.moves.around(&summit.record, each));
        }
        moved
    }
}
