//! Linear recurrences: filters, whose values no bounds of single variables hold in, since each is weighed against what it was before.
//!
//! **Claim.** Where a [`Recurrence`] holds when a loop begins, and each round from values that it holds of ends with values that it holds of, its bounds
//! hold whenever a round begins. **Argument.** It says of some variables that they are a member of a sequence that begins in a box and goes on by maps ([`reach`]). When the loop begins they are in
//! the box. A round's end is a member, if its beginning is one, where each variable differs from what one of the maps makes of the beginning by at most that map's
//! radius. That is asked in a format so wide that what is lost in it is less than the radii are widened by. All members have the bounds, and so has what
//! a map makes of them with any disturbance, which is what is asked of values in the midst of a round.
//!
//! J. Feret, "Static Analysis of Digital Filters", ESOP 2004, finds ellipses, of filters of the second order. Sums over what each disturbance comes to are exact, of any order.

mod linear;
mod reach;

use std::time::Duration;

use labrys_bounds::Interval;
use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_interp::Datum;
use labrys_solver::Limits;
use labrys_solver::domain::Facts;
use labrys_symex::float_terms;
use labrys_term::{Op, TermId};
use rustc_hash::FxHashMap;
use tracing::debug;

use super::conditions::{Conditions, DatumOf};
use super::guesses::{EQUAL, LESS_OR_EQUAL};
use super::variables::{Variables, term_of};
use crate::Values;
use crate::driver::Driver;
use crate::oracle::conjuncts;
use linear::{Linear, Linears, Part, bounded, linear};
use reach::{Map, Start, reach};

/// Variables in one, maps of one, and times that its bounds are tried to be wide enough for roundings.
const MOST_VARIABLES: usize = 10;
const MOST_MAPS: usize = 6;
const MOST_TRIES: usize = 4;

/// How long propagation over a round's path takes at most.
const LOOK: Duration = Duration::from_millis(100);

/// What is computed to say whether a round follows a map.
const WIDE: Format = Format::BINARY128;

/// How much of their sizes what is lost in that format may be, and more: a sum of ten products loses 2⁻¹⁰⁹ of them.
const LOST: f64 = 1.0 / (1u128 << 80) as f64;

/// How much of sizes intervals of a sum of so few numbers may be rounded outwards by, and more.
const OUTWARDS: f64 = 1.0 / (1u64 << 45) as f64;

/// Bits of the program's own format that a round may lose.
const LOST_BITS: i32 = 6;

/// How much two maps' coefficients may differ to be the same: how their doubles were computed.
const SAME: f64 = 1e-12;

/// When a condition of a loop's variables is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Before the first round, which may come after one that began otherwise.
    Begins,
    /// When a round begins, as far as is known.
    Round,
    /// When one has ended that began so.
    Ends,
}

/// Some variables are a member of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recurrence {
    /// By their numbers, ascending, and any values of them.
    of: Vec<(usize, DatumOf)>,
    formats: Vec<Format>,
    start: Start,
    /// Without roundings.
    maps: Vec<Map>,
    /// What each of them reads.
    read: Vec<Vec<TermId>>,
    /// With them.
    asked: Vec<Map>,
    bounds: Vec<Interval>,
}

/// What a round does to a loop's floats, as far as it is linear.
#[derive(Debug)]
pub(super) struct Steps {
    /// By variable.
    linear: FxHashMap<usize, Linear>,
    /// Bounds of what is read.
    ranges: FxHashMap<TermId, Interval>,
    /// What they were before the first round: in which range, and as which term.
    starts: FxHashMap<usize, (Interval, TermId)>,
}

impl Steps {
    /// Those of a round that has ended, with what is known on its path, and where the loop is come to.
    pub(super) fn of(values: &mut Values<'_>, variables: &Variables, facts: &Facts, before: &Facts) -> Steps {
        let mut of_terms = FxHashMap::default();
        let (mut floats, mut nexts, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
        for (number, variable) in variables.all.iter().enumerate() {
            let Datum::Float(_) = &variable.any else { continue };
            let any = term_of(values, &variable.any);
            of_terms.insert(any, number);
            floats.push(number);
            nexts.push(variable.next.as_ref().map_or(any, |next| term_of(values, next)));
            firsts.push(term_of(values, &variable.first));
        }
        let Linears { all, ranges } = linear(values.store, before, &FxHashMap::default(), &firsts);
        let starts = floats.iter().zip(&firsts).zip(all).filter_map(|((number, first), start)| {
            let start = start?.range(&ranges)?;
            let lost = lost_in(values.store.float_format(*first)?);
            let is_exact = start.is_point() || bounded(before, *first).is_some();
            Some((*number, (if is_exact { start } else { start.widened(start.magnitude() * lost) }, *first)))
        });
        let starts = starts.collect();
        let Linears { all, ranges } = linear(values.store, facts, &of_terms, &nexts);
        let linear = floats.into_iter().zip(all).filter_map(|(number, linear)| Some((number, linear?))).collect();
        Steps { linear, ranges, starts }
    }

    /// Sets of variables that hang on each other alone, each once, the greatest first.
    fn closed(&self) -> Vec<Vec<usize>> {
        let mut numbers: Vec<usize> = self.linear.keys().copied().collect();
        numbers.sort_unstable();
        let closure = |number: usize| -> Option<Vec<usize>> {
            let mut all = vec![number];
            let mut place = 0;
            while let Some(of) = all.get(place) {
                self.starts.get(of)?;
                for (part, _) in &self.linear.get(of)?.parts {
                    match part {
                        Part::Variable(part) if !all.contains(part) => all.push(*part),
                        _ => {}
                    }
                }
                place += 1;
            }
            all.sort_unstable();
            (all.len() <= MOST_VARIABLES).then_some(all)
        };
        let mut sets: Vec<Vec<usize>> = numbers.into_iter().filter_map(closure).collect();
        sets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        sets.dedup();
        sets
    }

    /// What it does to some variables, which hang on each other alone, and what is read that moves several of them.
    fn map(&self, of: &[usize]) -> Option<(Map, Vec<TermId>)> {
        let mut read: Vec<(TermId, usize)> = Vec::new();
        for number in of {
            for (part, _) in &self.linear.get(number)?.parts {
                let Part::Input(input) = part else { continue };
                match read.iter_mut().find(|(of, _)| of == input) {
                    Some((_, rows)) => *rows += 1,
                    None => read.push((*input, 1)),
                }
            }
        }
        let shared: Vec<TermId> = read.iter().filter(|(_, rows)| *rows > 1).map(|(input, _)| *input).collect();
        let ranges = shared.iter().map(|input| self.ranges.get(input).copied()).collect::<Option<_>>()?;
        let mut map = Map { matrix: Vec::new(), inputs: Vec::new(), ranges, center: Vec::new(), radius: Vec::new() };
        for number in of {
            let Linear { parts, rest } = self.linear.get(number)?;
            let mut row = vec![0.0; of.len()];
            let mut inputs = vec![0.0; shared.len()];
            let mut rest = *rest;
            for (part, times) in parts {
                match part {
                    Part::Variable(part) => row[of.binary_search(part).ok()?] = *times,
                    Part::Input(input) => match shared.iter().position(|of| of == input) {
                        Some(place) => inputs[place] = *times,
                        None => rest = rest + self.ranges.get(input)?.scaled(*times),
                    },
                }
            }
            map.matrix.push(row);
            map.inputs.push(inputs);
            map.center.push(rest.middle());
            map.radius.push((rest - Interval::point(rest.middle())).magnitude());
        }
        Some((map, shared))
    }
}

impl Driver<'_, '_> {
    /// Guesses recurrences from what a round has done on a path; whether there are others than before.
    pub(super) fn guess_recurrences(
        &mut self,
        path: &[TermId],
        before: TermId,
        (conditions, variables): (&mut Conditions, &Variables),
    ) -> bool {
        if !variables.all.iter().any(|variable| matches!(variable.any, Datum::Float(_))) {
            return false;
        }
        let domain = &mut self.machine.domain;
        let limits = Limits { work: 0, wall: LOOK, memory_mib: 0 };
        let before = conjuncts(domain.store, before);
        let [Ok(Some(facts)), Ok(Some(before))] =
            [path, &before].map(|path| self.oracle.domains(domain, path, &limits))
        else {
            return false;
        };
        let steps = Steps::of(domain, variables, &facts, &before);
        debug!(target: "executor", ?steps, "what a round does");
        conditions.guess_recurrences(domain, variables, &steps)
    }
}

impl Recurrence {
    /// Those of the variables of a loop that a round has been followed of, but for those about some variables that are given.
    pub(super) fn all(
        values: &Values<'_>,
        variables: &Variables,
        steps: &Steps,
        tried: &mut Vec<Vec<usize>>,
    ) -> Vec<Recurrence> {
        let mut all: Vec<Recurrence> = Vec::new();
        for set in steps.closed() {
            let is_part = |of: &Recurrence| set.iter().all(|number| of.has(*number));
            if tried.contains(&set) || all.iter().any(is_part) {
                continue;
            }
            tried.push(set.clone());
            let Some((map, read)) = steps.map(&set) else { continue };
            // What is forgotten in each round has bounds anyway.
            if map.matrix.iter().flatten().all(|entry| *entry == 0.0) {
                continue;
            }
            let of: Vec<(usize, DatumOf)> = set.iter().map(|of| (*of, variables.all[*of].any.clone())).collect();
            let formats: Vec<Format> = of
                .iter()
                .filter_map(|(_, any)| match any {
                    Datum::Float(float) => Some(values.format_of(float)),
                    _ => None,
                })
                .filter(|format| Format::BINARY64.holds_all(*format))
                .collect();
            let (bounds, firsts): (Vec<Interval>, Vec<TermId>) =
                set.iter().filter_map(|of| steps.starts.get(of).copied()).unzip();
            if formats.len() < of.len() || bounds.len() < of.len() {
                continue;
            }
            let same =
                firsts.iter().map(|first| firsts.iter().position(|of| of == first).unwrap_or_default()).collect();
            let start = Start { bounds, same };
            let mut new = Recurrence {
                of,
                formats,
                start,
                maps: vec![map],
                read: vec![read],
                asked: Vec::new(),
                bounds: Vec::new(),
            };
            if new.find_bounds() {
                all.push(new);
            }
        }
        all
    }

    fn has(&self, number: usize) -> bool {
        self.of.iter().any(|(of, _)| *of == number)
    }

    /// Has it go on as another round does, too; whether that is new. `None` where it cannot.
    pub(super) fn extend(&mut self, steps: &Steps) -> Option<bool> {
        let of: Vec<usize> = self.of.iter().map(|(of, _)| *of).collect();
        let (new, read) = steps.map(&of)?;
        let is_near = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs());
        let is_same = |map: &Map| {
            let entries = |of: &Map| [&of.matrix[..], &of.inputs].concat().concat();
            map.ranges == new.ranges && entries(map).iter().zip(entries(&new)).all(|(a, b)| is_near(*a, b))
        };
        let place = (0..self.maps.len()).find(|place| self.read[*place] == read && is_same(&self.maps[*place]));
        let before = self.clone();
        match place {
            Some(place) => {
                let map = &mut self.maps[place];
                let mut has_grown = false;
                for of in 0..map.center.len() {
                    let old = Interval::point(map.center[of]).widened(map.radius[of]);
                    let all = old.hull(Interval::point(new.center[of]).widened(new.radius[of]));
                    let is_within = all.width() <= old.width() * (1.0 + SAME) + SAME * old.magnitude();
                    if !is_within {
                        has_grown = true;
                        map.center[of] = all.middle();
                        map.radius[of] = (all - Interval::point(all.middle())).magnitude();
                    }
                }
                if !has_grown {
                    return Some(false);
                }
            }
            None if self.maps.len() < MOST_MAPS => {
                self.maps.push(new);
                self.read.push(read);
            }
            None => return None,
        }
        if self.find_bounds() {
            return Some(true);
        }
        *self = before;
        None
    }

    /// The maps' radii, with what the program's roundings may add where its variables have the bounds.
    fn with_roundings(&self, bounds: &[Interval]) -> Vec<Map> {
        let widened = |map: &Map| {
            let radius = (0..self.of.len()).map(|of| {
                let size = size(map, of, bounds) + map.radius[of];
                let is_copy = map.radius[of] == 0.0 && map.is_copy(of);
                let lost = size * lost_in(self.formats[of]);
                if is_copy { 0.0 } else { map.radius[of] * (1.0 + SAME) + lost + f64::MIN_POSITIVE }
            });
            Map { radius: radius.collect(), ..map.clone() }
        };
        self.maps.iter().map(widened).collect()
    }

    /// Finds bounds; whether there are some.
    fn find_bounds(&mut self) -> bool {
        let Some(mut bounds) = reach(&self.maps, &self.start) else { return false };
        for _ in 0..MOST_TRIES {
            let wide: Vec<Interval> =
                bounds.iter().map(|of| of.widened(of.magnitude() * 0.01 + f64::MIN_POSITIVE)).collect();
            let asked = self.with_roundings(&wide);
            let lost = |map: &Map| {
                let radius = (0..self.of.len()).map(|of| {
                    let asked = Interval::point(map.radius[of]);
                    (asked + asked.scaled(LOST) + Interval::point(size(map, of, &wide)).scaled(LOST)).high()
                });
                Map { radius: radius.collect(), ..map.clone() }
            };
            let Some(found) = reach(&asked.iter().map(lost).collect::<Vec<Map>>(), &self.start) else { return false };
            let is_within =
                |(found, wide): (&Interval, &Interval)| found.low() >= wide.low() && found.high() <= wide.high();
            if found.iter().zip(&wide).all(is_within) {
                self.bounds = found;
                self.asked = asked;
                return true;
            }
            bounds = found;
        }
        false
    }

    /// What it says at a moment of what the variables are then.
    pub(super) fn term(&self, values: &mut Values<'_>, variables: &[DatumOf], moment: Moment) -> TermId {
        let now: Vec<TermId> = self.of.iter().map(|(of, _)| term_of(values, &variables[*of])).collect();
        match moment {
            Moment::Begins => {
                let mut all = vec![self.within(values, &now, &self.start.bounds)];
                for (place, same) in self.start.same.iter().enumerate().filter(|(place, same)| place != *same) {
                    all.push(float_terms::compare(values.store, EQUAL, now[place], now[*same]));
                }
                values.store.and(&all)
            }
            Moment::Round => {
                let mut all = vec![self.within(values, &now, &self.bounds)];
                all.extend(self.asked.iter().map(|map| self.stays_within(values, map, &now)));
                values.store.and(&all)
            }
            Moment::Ends => {
                let before: Vec<TermId> = self.of.iter().map(|(_, any)| term_of(values, any)).collect();
                let maps = self.asked.iter().zip(&self.read);
                let follows: Vec<TermId> =
                    maps.map(|(map, read)| follows(values, (map, read), &before, &now)).collect();
                values.store.or(&follows)
            }
        }
    }

    /// That what a map makes of variables has the bounds, whatever the disturbance.
    fn stays_within(&self, values: &mut Values<'_>, map: &Map, now: &[TermId]) -> TermId {
        let mut all = Vec::new();
        for (row, bounds) in self.bounds.iter().enumerate().filter(|(row, _)| !map.is_copy(*row)) {
            let sum = image(values, (map, &[]), row, now);
            let center = Interval::point(map.center[row]);
            let inputs = map.beside(row) - center;
            let radius = Interval::point(map.radius[row]);
            // Besides, what is read may come to less than its interval, which is rounded outwards.
            let lost = Interval::symmetric(size(map, row, &self.bounds)).scaled(LOST + OUTWARDS);
            let low = (Interval::point(bounds.low()) - Interval::point(inputs.low()) + radius + lost).low();
            let high = (Interval::point(bounds.high()) - Interval::point(inputs.high()) - radius + lost).high();
            all.extend(between(values, low, sum, high));
        }
        values.store.and(&all)
    }

    /// That variables have bounds.
    fn within(&self, values: &mut Values<'_>, of: &[TermId], bounds: &[Interval]) -> TermId {
        let mut all = Vec::with_capacity(2 * of.len());
        for ((&of, bounds), format) in of.iter().zip(bounds).zip(&self.formats) {
            let end =
                |end: f64, rounding| Environment::with_rounding(rounding).convert(&Float::from_f64(end), *format).value;
            let low = values.store.float_const(end(bounds.low(), RoundingMode::TowardNegative));
            let high = values.store.float_const(end(bounds.high(), RoundingMode::TowardPositive));
            all.push(float_terms::compare(values.store, LESS_OR_EQUAL, low, of));
            all.push(float_terms::compare(values.store, LESS_OR_EQUAL, of, high));
        }
        values.store.and(&all)
    }
}

/// At most the magnitude of what a map makes of numbers with some bounds, but for the disturbance.
fn size(map: &Map, row: usize, bounds: &[Interval]) -> f64 {
    let parts = map.matrix[row].iter().zip(bounds).map(|(times, of)| Interval::point(*times) * *of);
    let inputs = map.inputs[row].iter().zip(&map.ranges).map(|(times, range)| range.scaled(*times));
    let all = parts.chain(inputs).chain([Interval::point(map.center[row])]);
    let sizes = all.map(|part| Interval::point(part.magnitude()));
    sizes.fold(Interval::ZERO, |sum, part| sum + part).high()
}

/// The part of a number's size that a round may lose of it by rounding.
fn lost_in(format: Format) -> f64 {
    2.0_f64.powi(LOST_BITS - format.precision() as i32)
}

/// Whether the second are what a map makes of the first.
fn follows(values: &mut Values<'_>, (map, read): (&Map, &[TermId]), before: &[TermId], now: &[TermId]) -> TermId {
    let mut all = Vec::new();
    for (&input, range) in read.iter().zip(&map.ranges) {
        let input = widened(values, input);
        all.extend(between(values, range.low(), input, range.high()));
    }
    for (row, &now) in now.iter().enumerate() {
        let is_copied = || map.matrix[row].iter().zip(before).any(|(times, of)| *times == 1.0 && *of == now);
        if map.is_copy(row) && is_copied() {
            continue;
        }
        let sum = image(values, (map, read), row, before);
        let now = widened(values, now);
        let mode = values.store.rounding_mode(RoundingMode::NearestEven);
        let distance = values.store.mk(Op::FpSub, &[mode, now, sum]);
        all.extend(between(values, -map.radius[row], distance, map.radius[row]));
    }
    values.store.and(&all)
}

/// What a map makes of numbers and of what is read, but for the disturbance, in a wide format.
fn image(values: &mut Values<'_>, (map, read): (&Map, &[TermId]), row: usize, of: &[TermId]) -> TermId {
    let mut sum = wide(values, map.center[row]);
    let parts = map.matrix[row].iter().zip(of).chain(map.inputs[row].iter().zip(read));
    for (&times, &of) in parts.filter(|(times, _)| **times != 0.0) {
        let (times, of) = (wide(values, times), widened(values, of));
        let mode = values.store.rounding_mode(RoundingMode::NearestEven);
        let part = values.store.mk(Op::FpMul, &[mode, times, of]);
        sum = values.store.mk(Op::FpAdd, &[mode, sum, part]);
    }
    sum
}

/// A float in the wide format.
fn widened(values: &mut Values<'_>, of: TermId) -> TermId {
    let mode = values.store.rounding_mode(RoundingMode::NearestEven);
    values.store.mk(Op::FpFromFloat(WIDE), &[mode, of])
}

/// That a float in the wide format is between two numbers.
fn between(values: &mut Values<'_>, low: f64, of: TermId, high: f64) -> [TermId; 2] {
    let [low, high] = [low, high].map(|end| wide(values, end));
    [
        float_terms::compare(values.store, LESS_OR_EQUAL, low, of),
        float_terms::compare(values.store, LESS_OR_EQUAL, of, high),
    ]
}

/// A number in the wide format.
fn wide(values: &mut Values<'_>, value: f64) -> TermId {
    values.store.float_const(Environment::default().convert(&Float::from_f64(value), WIDE).value)
}
