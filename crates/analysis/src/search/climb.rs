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

/// Where climbing begins anew, steps without a better input after which it does: what so many do not improve is an end, and other ways up are
/// many.
const STEPS: usize = 3072;

/// The best input of one behaviour.
#[derive(Clone, Debug)]
struct Summit {
    record: Vec<u8>,
    score: f64,
    /// Rounds since it was found.
    rounds: u32,
    /// Steps from it since then.
    steps: usize,
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

    /// Whether the last steps from the best inputs led higher.
    pub fn is_rising(&self) -> bool {
        self.summits.values().any(|summit| summit.rounds == 0)
    }

    /// What an input showed.
    pub fn learn(&mut self, record: &[u8], seen: &Seen) {
        if seen.score.is_nan() || seen.score <= 0.0 {
            return;
        }
        // One behaviour has several hills.
        let hill = seen.behaviour ^ if self.restarts { u64::from(exponents(record)) } else { 0 };
        let new = || Summit { record: record.to_vec(), score: seen.score, rounds: 0, steps: 0 };
        if let Some(summit) = self.summits.get_mut(&hill) {
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
        self.summits.insert(hill, new());
    }

    /// Steps from the best inputs that have not rested, so many in all.
    pub fn moves(&mut self, count: usize) -> Vec<Vec<u8>> {
        if self.restarts {
            self.summits.retain(|_, summit| summit.rounds < PATIENCE && summit.steps < STEPS);
        }
        let mut climbing: Vec<(&u64, &mut Summit)> =
            self.summits.iter_mut().filter(|(_, summit)| summit.rounds < PATIENCE).collect();
        climbing.sort_by(|(a, of_a), (b, of_b)| of_b.score.total_cmp(&of_a.score).then(a.cmp(b)));
        climbing.truncate(AT_A_TIME);
        let each = count / climbing.len().max(1);
        let mut moved = Vec::with_capacity(count);
        for (_, summit) in climbing {
            summit.rounds += 1;
            summit.steps += each;
            moved.extend(self.moves.around(&summit.record, each));
        }
        moved
    }
}

/// To which of four classes an input belongs by the leading bytes of its numbers.
fn exponents(record: &[u8]) -> u8 {
    let leading = record.chunks(8).flat_map(|number| [number.get(7), number.get(6)]).flatten();
    leading.fold(0u8, |hash, byte| hash.rotate_left(3).wrapping_mul(5) ^ (byte >> 4)) & 3
}
