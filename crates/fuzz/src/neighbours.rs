//! What lies around an input: where a solver's model, rounded to the floats, just misses.
//!
//! Models over the reals sit on the boundary of the condition they satisfy, in real arithmetic; the floats' boundary is
//! an ulp or a power of two away. Measured on the examples: ±1 ulp and exponent shifts of single variables and of pairs matter,
//! ±64 ulps find no more than ±1.

use rustc_hash::FxHashSet;

use crate::domain::{Domain, Variable};
use crate::space::Space;

/// How many neighbours of an input are usually run.
pub const DEFAULT_NEIGHBOURS: usize = 256;

/// Exponent shifts of single variables and of pairs, the most useful first.
const SHIFTS: [i64; 5] = [1, 2, 3, 10, 52];
/// Exponent shifts tried where few variables leave room.
const FURTHER_SHIFTS: [i64; 14] = [4, 5, 6, 8, 16, 20, 26, 32, 64, 100, 128, 200, 256, 512];
/// Distances in ulps tried where few variables leave room.
const FURTHER_ULPS: [i128; 7] = [2, 3, 4, 8, 64, 1 << 10, 1 << 26];

/// Collects distinct records of the space other than the centre, up to a cap.
struct Collector<'a> {
    space: &'a Space,
    centre: &'a [u8],
    cap: usize,
    seen: FxHashSet<Vec<u8>>,
    found: Vec<Vec<u8>>,
}

impl Collector<'_> {
    fn is_full(&self) -> bool {
        self.found.len() >= self.cap
    }

    /// Adds the centre as `change` changes it.
    fn add(&mut self, change: impl FnOnce(&mut [u8])) {
        if self.is_full() {
            return;
        }
        let mut record = self.centre.to_vec();
        change(&mut record);
        if record != self.centre && !self.seen.contains(&record) && self.space.admits(&record) {
            self.seen.insert(record.clone());
            self.found.push(record);
        }
    }
}

/// The neighbours of `record`, at most `cap`, distinct, all in the space, without `record` itself; in a fixed order, the most useful
/// first: each variable ±1 ulp and times 2^±k, signs, pairs ±1 ulp and times 2^±k, special values, further shifts. An integer's ulp
/// is 1.
pub fn neighbours(space: &Space, record: &[u8], cap: usize) -> Vec<Vec<u8>> {
    let mut collector =
        Collector { space, centre: record, cap, seen: FxHashSet::default(), found: Vec::with_capacity(cap.min(1024)) };
    // A record of another signature has no neighbours.
    if record.len() != space.record_size() {
        return Vec::new();
    }
    let stages = [
        single_ulps,
        single_shifts,
        signs,
        pair_ulps,
        pair_shifts,
        specials,
        further_shifts,
        further_ulps,
        mixed_pairs,
        pair_specials,
        all_shifts,
    ];
    for stage in stages {
        stage(&mut collector, space);
        if collector.is_full() {
            break;
        }
    }
    collector.found
}

fn move_by(variable: &Variable, record: &mut [u8], distance: i128) {
    if let Some(place) = variable.place(record) {
        variable.put(record, place + distance);
    }
}

/// Multiplies by 2^`power`; integers truncate and saturate.
pub(crate) fn shift(variable: &Variable, record: &mut [u8], power: i64) {
    let Some(place) = variable.place(record) else { return };
    let moved = match variable.domain {
        Domain::Float { encoding, .. } => encoding.scale(place, power),
        Domain::Int { .. } if power >= 0 => place << power.min(62),
        Domain::Int { .. } => place / (1 << (-power).min(62)),
    };
    variable.put(record, moved);
}

/// Flips the sign, a zero's and a NaN's too.
pub(crate) fn negate(variable: &Variable, record: &mut [u8]) {
    match variable.domain {
        Domain::Float { encoding, .. } => {
            let bits = encoding.negate(variable.leaf.read(record));
            variable.leaf.write(record, bits);
        }
        Domain::Int { .. } => {
            if let Some(place) = variable.place(record) {
                variable.put(record, -place);
            }
        }
    }
}

fn single_ulps(collector: &mut Collector<'_>, space: &Space) {
    for variable in &space.variables {
        for distance in [1, -1] {
            collector.add(|record| move_by(variable, record, distance));
        }
    }
}

fn single_shifts(collector: &mut Collector<'_>, space: &Space) {
    for power in SHIFTS {
        for variable in &space.variables {
            for power in [power, -power] {
                collector.add(|record| shift(variable, record, power));
            }
        }
    }
}

fn signs(collector: &mut Collector<'_>, space: &Space) {
    for variable in &space.variables {
        collector.add(|record| negate(variable, record));
    }
    collector.add(|record| space.variables.iter().for_each(|variable| negate(variable, record)));
}

/// Runs `visit` on all pairs of distinct variables, near ones first, until the collector is full.
fn pairs(collector: &mut Collector<'_>, space: &Space, visit: impl Fn(&mut Collector<'_>, &Variable, &Variable)) {
    let count = space.variables.len();
    for apart in 1..count {
        for first in 0..count - apart {
            if collector.is_full() {
                return;
            }
            visit(collector, &space.variables[first], &space.variables[first + apart]);
        }
    }
}

fn pair_ulps(collector: &mut Collector<'_>, space: &Space) {
    pairs(collector, space, |collector, first, second| {
        for (a, b) in [(1, 1), (-1, -1), (1, -1), (-1, 1)] {
            collector.add(|record| {
                move_by(first, record, a);
                move_by(second, record, b);
            });
        }
    });
}

fn pair_shifts(collector: &mut Collector<'_>, space: &Space) {
    for power in SHIFTS {
        pairs(collector, space, |collector, first, second| {
            for (a, b) in [(power, power), (-power, -power), (power, -power), (-power, power)] {
                collector.add(|record| {
                    shift(first, record, a);
                    shift(second, record, b);
                });
            }
        });
    }
}

fn specials(collector: &mut Collector<'_>, space: &Space) {
    let lists: Vec<_> = space.variables.iter().map(|variable| variable.domain.specials()).collect();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    for rank in 0..longest {
        for (variable, list) in space.variables.iter().zip(&lists) {
            if let Some(bits) = list.get(rank) {
                collector.add(|record| variable.leaf.write(record, *bits));
            }
        }
    }
}

fn further_shifts(collector: &mut Collector<'_>, space: &Space) {
    for power in FURTHER_SHIFTS {
        for variable in &space.variables {
            for power in [power, -power] {
                collector.add(|record| shift(variable, record, power));
            }
        }
    }
}

fn further_ulps(collector: &mut Collector<'_>, space: &Space) {
    for distance in FURTHER_ULPS {
        for variable in &space.variables {
            for distance in [distance, -distance] {
                collector.add(|record| move_by(variable, record, distance));
            }
        }
    }
}

/// Pairs shifted by different powers, and one shifted while the other moves by an ulp.
fn mixed_pairs(collector: &mut Collector<'_>, space: &Space) {
    pairs(collector, space, |collector, first, second| {
        for (a, b) in [(1, 2), (2, 1), (1, 3), (3, 1), (1, 10), (10, 1)] {
            for (a, b) in [(a, b), (-a, -b), (a, -b), (-a, b)] {
                collector.add(|record| {
                    shift(first, record, a);
                    shift(second, record, b);
                });
            }
        }
        for (shifted, moved) in [(first, second), (second, first)] {
            for (power, distance) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                collector.add(|record| {
                    shift(shifted, record, power);
                    move_by(moved, record, distance);
                });
            }
        }
    });
}

/// Both of a pair to one of the first special values each: zeros, one, infinities.
fn pair_specials(collector: &mut Collector<'_>, space: &Space) {
    pairs(collector, space, |collector, first, second| {
        for a in first.domain.specials().into_iter().take(6) {
            for b in second.domain.specials().into_iter().take(6) {
                collector.add(|record| {
                    first.leaf.write(record, a);
                    second.leaf.write(record, b);
                });
            }
        }
    });
}

/// Every exponent shift up to that of half of binary64's range: what is left of the cap.
fn all_shifts(collector: &mut Collector<'_>, space: &Space) {
    for power in 1..=1024 {
        for variable in &space.variables {
            for power in [power, -power] {
                collector.add(|record| shift(variable, record, power));
            }
        }
        if collector.is_full() {
            return;
        }
    }
}
