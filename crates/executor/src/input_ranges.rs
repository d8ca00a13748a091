//! Ranges of inputs that a program's assumptions leave, and numbers of them.
//!
//! Of all doubles those between 1 and 20 are one in five hundred, and what is wrong with one in a thousand of these is met by none of a program's constants.
//! So paths note what their conditions say of single inputs where an assumption is made ([`Driver::learn_ranges`]), by the place at which an input is asked
//! for, and made inputs are taken from these ranges ([`Range::number`]). Nothing rests on them: an input beside them is an input like any other.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use labrys_interp::List;
use labrys_solver::Limits;
use labrys_symex::signed_bounds;
use labrys_term::{Op, TermId, VariableId};
use rustc_hash::{FxHashMap, FxHasher};

use crate::constants::ends;
use crate::driver::Driver;
use crate::inputs::{InputRecord, Source};
use crate::oracle::conjuncts;
use crate::state::Execution;

/// Ranges that are noted of one input, and how often conditions are looked at for them, by all paths together.
const MOST_RANGES: usize = 6;
const MOST_LOOKS: u32 = 256;

/// Conjuncts of a path that are looked at, the newest, and how long that may take.
const MOST_CONJUNCTS: usize = 48;
const LOOK: Duration = Duration::from_millis(20);

/// Inputs that are looked at where an assumption names none: the newest.
const MOST_INPUTS: usize = 16;

/// What an input is told from others by: where it is asked for, and its offset in what is asked for there.
pub(crate) type Slot = (u64, u64);

/// A range of an input, its ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    /// Of a float, as doubles.
    Floats { low: f64, high: f64 },
    /// Of an integer with a sign.
    Ints { low: i128, high: i128 },
}

/// Ranges by input.
pub(crate) type KnownRanges = FxHashMap<Slot, Vec<Range>>;

/// What paths have noted of ranges of inputs, for whoever makes some.
#[derive(Debug, Default)]
pub struct InputRanges {
    known: Mutex<KnownRanges>,
    looks: AtomicU32,
}

impl InputRanges {
    /// What is known by now.
    pub(crate) fn known(&self) -> KnownRanges {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, slot: Slot, range: Range) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let ranges = known.entry(slot).or_default();
        if ranges.len() < MOST_RANGES && !ranges.contains(&range) {
            ranges.push(range);
        }
    }

    fn may_look(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed) < MOST_LOOKS
    }
}

/// Which numbers of ranges an input is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// All alike.
    Even,
    /// All magnitudes alike.
    Magnitudes,
    /// The ends.
    Ends,
    /// What lies next to them.
    Near,
}

impl Range {
    /// A number of the range, which one `any` says: the bits of a float of four or eight bytes, or an integer.
    pub(crate) fn number(self, spread: Spread, any: u64, width: u64) -> u64 {
        // The upper half of the hash, as a part of one.
        let part = (any >> 32) as f64 / 4_294_967_296.0;
        match self {
            Range::Floats { low, high } => {
                let number = float_between(low, high, spread, part, any).clamp(low, high);
                if width == 4 { u64::from((number as f32).to_bits()) } else { number.to_bits() }
            }
            Range::Ints { low, high } => {
                let size = (high - low) as u128;
                let step = match spread {
                    // The lowest bit chooses an end.
                    Spread::Even => u128::from(any >> 1) % size.saturating_add(1),
                    Spread::Magnitudes => ((size as f64 + 1.0).powf(part) - 1.0) as u128,
                    Spread::Ends => 0,
                    Spread::Near => u128::from(any >> 32) % 3,
                };
                let step = step.min(size) as i128;
                (if any & 1 == 0 { low + step } else { high - step }) as u64
            }
        }
    }
}

fn float_between(low: f64, high: f64, spread: Spread, part: f64, any: u64) -> f64 {
    let is_low = any & 1 == 0;
    let end = if is_low { low } else { high };
    match spread {
        Spread::Even => low * (1.0 - part) + high * part,
        Spread::Magnitudes => {
            let (large, sign) = match (low < 0.0, high > 0.0) {
                (true, true) => (end.abs(), end.signum()),
                (true, false) => (low.abs(), -1.0),
                _ => (high.abs(), 1.0),
            };
            // Around zero there is no end to magnitudes: some are enough.
            let small = low.abs().min(high.abs()).max(large * 1e-12);
            let small = if low < 0.0 && high > 0.0 { large * 1e-12 } else { small };
            // Nothing but zero, or what is next to it.
            if small <= 0.0 {
                return end;
            }
            sign * (small.ln() + (large.ln() - small.ln()) * part).exp()
        }
        Spread::Ends => end,
        Spread::Near => (0..any >> 32 & 3).fold(end, |at, _| if is_low { at.next_up() } else { at.next_down() }),
    }
}

/// The place at which a path asks for an input of some name.
pub(crate) fn place_of(execution: &Execution<'_>, name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    execution.state.positions_back().for_each(|position| position.hash(&mut hasher));
    name.hash(&mut hasher);
    hasher.finish()
}

/// Where the inputs are that some variables stand for; without any, the newest.
fn slots(inputs: &List<InputRecord>, variables: Option<&[VariableId]>) -> Vec<(VariableId, Slot)> {
    let of = |record: &InputRecord| -> Vec<(VariableId, Slot)> {
        record.parts().iter().map(|(offset, variable)| (*variable, (record.place(), *offset))).collect()
    };
    match variables {
        Some(variables) => {
            inputs.iter_back().flat_map(of).filter(|(variable, _)| variables.binary_search(variable).is_ok()).collect()
        }
        None => inputs.iter_back().take(MOST_INPUTS).flat_map(of).take(MOST_INPUTS).collect(),
    }
}

impl<'s> Driver<'_, 's> {
    /// Notes what the condition of a path, and one more that is assumed, if that is not known to hold, say of single inputs.
    pub(crate) fn learn_ranges(&mut self, execution: &Execution<'s>, assumed: Option<TermId>) {
        let ranges = self.options.ranges.clone();
        if !matches!(self.source, Source::Symbolic) || self.guide.is_some() || !ranges.may_look() {
            return;
        }
        let values = &mut self.machine.domain;
        let variables = assumed.map(|condition| self.oracle.variables_of(values, condition));
        let slots = slots(&execution.inputs, variables.as_deref());
        if slots.is_empty() {
            return;
        }
        let mut query = conjuncts(values.store, execution.state.path.choices.condition);
        query.truncate(MOST_CONJUNCTS);
        query.extend(assumed.into_iter().flat_map(|condition| conjuncts(values.store, condition)));
        let limits = Limits { work: 0, wall: LOOK, memory_mib: 0 };
        let Ok(Some(facts)) = self.oracle.domains(values, &query, &limits) else { return };
        let floats = values.store.reachable(&query).into_iter().filter_map(|term| {
            let node = values.store.node(term);
            let bits = matches!(node.op, Op::FpFromBits(_)).then(|| values.store.as_variable(node.args[0]))??;
            Some((bits, term))
        });
        let floats: FxHashMap<VariableId, TermId> = floats.collect();
        let signed = signed_bounds(values.store, &query);
        let ints: FxHashMap<VariableId, (i128, i128)> =
            signed.into_iter().filter_map(|(term, range)| Some((values.store.as_variable(term)?, range))).collect();
        for (variable, slot) in slots {
            let float = floats.get(&variable).and_then(|term| facts.float(*term));
            let range = match (float, ints.get(&variable)) {
                (Some(float), _) => ends(float).map(|[low, high]| Range::Floats { low, high }),
                (None, Some(&(low, high))) if low <= high => Some(Range::Ints { low, high }),
                _ => None,
            };
            if let Some(range) = range {
                ranges.note(slot, range);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPREADS: [Spread; 4] = [Spread::Even, Spread::Magnitudes, Spread::Ends, Spread::Near];

    fn hashes() -> impl Iterator<Item = u64> {
        (0..4000u64).map(|n| {
            let mut hasher = FxHasher::default();
            n.hash(&mut hasher);
            hasher.finish()
        })
    }

    /// Numbers of the program met a range of small ones now and then: here they lie in it, everywhere in it, and at its ends.
    #[test]
    fn numbers_lie_in_their_ranges() {
        for (low, high) in [(1.0, 20.0), (-5.0, 0.25), (0.0, 0.0), (-3.5, -1e-3), (0.0, f64::MAX), (f64::MIN, f64::MAX)]
        {
            for (spread, any) in SPREADS.into_iter().flat_map(|spread| hashes().map(move |any| (spread, any))) {
                let number = f64::from_bits(Range::Floats { low, high }.number(spread, any, 8));
                assert!((low..=high).contains(&number), "{number} in {low} to {high}, {spread:?}");
            }
        }
        let all: Vec<f64> = hashes()
            .map(|any| f64::from_bits(Range::Floats { low: 1.0, high: 20.0 }.number(Spread::Even, any, 8)))
            .collect();
        for tenth in 0..10 {
            let (low, high) = (1.0 + 1.9 * f64::from(tenth), 1.0 + 1.9 * f64::from(tenth + 1));
            let count = all.iter().filter(|number| (low..high).contains(*number)).count();
            assert!((200..600).contains(&count), "{count} of {} from {low} to {high}", all.len());
        }
        let ends = |spread| -> Vec<f32> {
            let range = Range::Floats { low: 0.5, high: 2.0 };
            hashes().map(|any| f32::from_bits(range.number(spread, any, 4) as u32)).collect()
        };
        assert!(ends(Spread::Ends).contains(&0.5) && ends(Spread::Ends).contains(&2.0));
    }

    #[test]
    fn integers_lie_in_their_ranges() {
        for (low, high) in [(-3, 5), (0, 0), (-(1 << 31), (1 << 31) - 1), (i128::from(i64::MIN), i128::from(i64::MAX))]
        {
            for (spread, any) in SPREADS.into_iter().flat_map(|spread| hashes().map(move |any| (spread, any))) {
                let number = i128::from(Range::Ints { low, high }.number(spread, any, 8) as i64);
                assert!((low..=high).contains(&number), "{number} in {low} to {high}, {spread:?}");
            }
        }
        let small: Vec<u64> =
            hashes().map(|any| Range::Ints { low: 0, high: 7 }.number(Spread::Even, any, 4)).collect();
        assert!((0..8).all(|number| small.contains(&number)));
    }
}
