//! Inputs that are made: they repeat themselves, or are numbers that the program is about, or lie in the ranges that its assumptions leave.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use labrys_program::{FunctionId, Program, points_of};
use rustc_hash::{FxHashSet, FxHasher};

use crate::constants::constants_of;
use crate::input_ranges::{KnownRanges, Slot, Spread};
use crate::inputs::Piece;
use crate::trying::FLOATS;

/// Of more inputs than these none has one number everywhere: there are no others.
const ONES: u64 = 512;

/// Numbers of the program that inputs are made of.
const MOST_NUMBERS: usize = 64;

/// An input that mostly repeats itself: what is asked for by one name has the same value in every round, or every few.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// Which of them.
    pub(crate) run: u64,
    pub(crate) seed: u64,
    pub(crate) numbers: Rc<Numbers>,
    /// Ranges of which inputs are taken, if they are taken of ranges.
    pub(crate) ranges: Option<Rc<KnownRanges>>,
}

/// Numbers that inputs are made of.
#[derive(Debug)]
pub(crate) struct Numbers {
    ints: Vec<i64>,
    floats: Vec<f64>,
    /// Ends of ranges from which ordinary numbers are taken.
    ends: Vec<f64>,
}

/// How large ordinary numbers are at most.
const ORDINARY: f64 = 1e6;

impl Numbers {
    /// Those that a program is about: its constants and what lies beside and between them, and the usual ones.
    pub(crate) fn of(program: &Program) -> Numbers {
        let own = program.functions.iter().filter(|function| !function.is_library);
        let (all, mut constants) = constants_of(own);
        let own = (0..).map(FunctionId).zip(&program.functions).filter(|(_, function)| !function.is_library);
        let points = points_of(program, own.map(|(id, _)| id));
        let mut ints = vec![0, 1, -1, 2, 3, i64::MAX, i64::MIN];
        ints.extend(all.into_iter().flat_map(|value| [value, value + 1, value - 1]).map(|value| value as i64));
        constants.sort_by(f64::total_cmp);
        constants.dedup();
        constants.truncate(MOST_NUMBERS);
        let mut ends = vec![-100.0, -1.0, 0.0, 1.0, 100.0];
        let own = constants.iter().copied().chain(ints.iter().map(|value| *value as f64));
        ends.extend(own.filter(|value| value.abs() <= ORDINARY));
        let between = constants.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0);
        let mut floats: Vec<f64> = constants.iter().copied().chain(between).collect();
        floats.extend(constants.iter().flat_map(|value| [value.next_down(), value.next_up()]));
        floats.extend(points.into_iter().flat_map(|value| [value, -value]));
        floats.extend(FLOATS);
        let mut seen = FxHashSet::default();
        floats.retain(|value| seen.insert(value.to_bits()));
        let mut seen = FxHashSet::default();
        ints.retain(|value| seen.insert(*value));
        ints.truncate(MOST_NUMBERS);
        Numbers { ints, floats, ends }
    }

    /// A number between two ends, which one says.
    fn ordinary(&self, any: u64) -> f64 {
        let end = |bits: u64| self.ends[(bits & 0xffff) as usize % self.ends.len()];
        let (a, b) = (end(any), end(any >> 16));
        // The upper half of the hash, as a part of one.
        a + (b - a) * ((any >> 32) as f64 / 4_294_967_296.0)
    }
}

impl Made {
    /// The bytes of the object that is asked for as the `index`-th, of which those pieces of `layout` are floats that say so; by what name, and at which place.
    pub(crate) fn bytes(&self, (name, place): (&str, u64), index: usize, size: u64, layout: &[Piece]) -> Vec<u8> {
        let says_float = name.contains("float") || name.contains("double");
        // KLEE's names are the program's own, and say nothing: neither of what an object is made of.
        let is_named = name.contains("nondet");
        let slots = self.slots(size, !is_named, layout);
        // Every other run has one number everywhere, one after the other; those between have any, again after a few.
        let is_one = self.run.is_multiple_of(2) && self.run < ONES && self.ranges.is_none();
        // Half of these have ordinary numbers, the others those that programs are about.
        let is_ordinary = !is_one && self.run / 8 % 2 == 1;
        let period = match self.run / 2 % 5 {
            _ if is_one => 1,
            _ if self.ranges.is_some() && (self.run / 8).is_multiple_of(2) => usize::MAX,
            // No two are alike but by chance: what a machine of few states does wrong is met on the way.
            4 => usize::MAX,
            few => 1 + few as usize,
        };
        let mut bytes = Vec::with_capacity(size as usize);
        for (chunk, Piece { bytes: width, is_float, offset }) in (0u64..).zip(slots) {
            let mut hasher = FxHasher::default();
            (self.run, self.seed, name, index % period, chunk).hash(&mut hasher);
            let any = hasher.finish();
            if let Some(number) = self.in_range((place, offset), any, width) {
                bytes.extend_from_slice(&number.to_le_bytes()[..width as usize]);
                continue;
            }
            let mut kind = FxHasher::default();
            (self.run, name, if is_ordinary { 0 } else { chunk + index as u64 }).hash(&mut kind);
            let may_be_float = width >= 4 && !is_named && kind.finish() >> 32 & 1 == 1;
            let is_float = is_float || says_float || may_be_float;
            let Numbers { ints, floats, .. } = &*self.numbers;
            let of = |count: usize| if is_one { self.run as usize / 2 % count } else { any as usize % count };
            let number = match (is_float, width) {
                (true, 4) if is_ordinary => u64::from((self.numbers.ordinary(any) as f32).to_bits()),
                (true, _) if is_ordinary => self.numbers.ordinary(any).to_bits(),
                (false, _) if is_ordinary => self.numbers.ordinary(any) as i64 as u64,
                (true, 4) => u64::from((floats[of(floats.len())] as f32).to_bits()),
                (true, _) => floats[of(floats.len())].to_bits(),
                (false, _) => ints[of(ints.len())] as u64,
            };
            bytes.extend_from_slice(&number.to_le_bytes()[..width as usize]);
        }
        bytes
    }

    /// A number of the range of an input, which one `any` says, if there is a range and inputs are taken from such.
    fn in_range(&self, slot: Slot, any: u64, width: u64) -> Option<u64> {
        let ranges = self.ranges.as_ref()?.get(&slot)?;
        // Most inputs lie anywhere in their ranges, all of some at their ends.
        let spread = match self.run % 8 {
            5 => Spread::Magnitudes,
            6 => Spread::Ends,
            7 => Spread::Near,
            _ => Spread::Even,
        };
        // Bits of the hash that make next to no difference to the number.
        Some(ranges.get((any >> 40) as usize % ranges.len())?.number(spread, any, width))
    }

    /// An object as numbers: its floats of 4 and 8 bytes, and what lies between them in equal parts.
    fn slots(&self, size: u64, may_be_halved: bool, layout: &[Piece]) -> Vec<Piece> {
        let mut slots = Vec::new();
        let parts = |slots: &mut Vec<Piece>, begin: u64, end: u64| {
            let is_halved = may_be_halved && size > 4 && self.run % 8 >= 4;
            let widths = [if is_halved { 4 } else { 8 }, 4, 2, 1];
            let fits = |width: &u64| (end - begin).is_multiple_of(*width);
            let bytes = widths.into_iter().find(fits).unwrap_or(1);
            let offsets = (begin..end).step_by(bytes as usize);
            slots.extend(offsets.map(|offset| Piece { offset, bytes, is_float: false }));
        };
        let mut end = 0;
        for piece in layout.iter().filter(|piece| piece.is_float && matches!(piece.bytes, 4 | 8)) {
            if piece.offset < end || piece.offset + piece.bytes > size {
                continue;
            }
            parts(&mut slots, end, piece.offset);
            slots.push(*piece);
            end = piece.offset + piece.bytes;
        }
        parts(&mut slots, end, size);
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Floats that are members of structs were made as integers and as halves of others.
    #[test]
    fn floats_of_a_layout_are_made_as_floats() {
        let numbers = Rc::new(Numbers { ints: vec![7], floats: vec![0.25], ends: vec![0.5, 0.75] });
        let float = |offset, bytes| Piece { offset, bytes, is_float: true };
        let layout = [float(4, 4), float(8, 8)];
        for run in 0..64 {
            let made = Made { run, seed: 0, numbers: numbers.clone(), ranges: None };
            let bytes = made.bytes(("s", 0), 0, 24, &layout);
            assert_eq!(bytes.len(), 24);
            let single = f32::from_le_bytes(bytes[4..8].try_into().expect("four bytes"));
            let double = f64::from_le_bytes(bytes[8..16].try_into().expect("eight bytes"));
            assert!((0.25..=0.75).contains(&single) && (0.25..=0.75).contains(&double), "{run}: {single} {double}");
            // Of the whole object what is no float is told from the floats alone.
            let whole = [Piece::whole(4), layout[0], layout[1], Piece { offset: 16, ..Piece::whole(8) }];
            assert_eq!(made.bytes(("s", 0), 0, 24, &whole), bytes);
        }
    }

    /// Inputs repeated themselves after at most four rounds: a machine of few states was led through few of them.
    #[test]
    fn some_inputs_do_not_repeat_themselves() {
        let numbers = Rc::new(Numbers { ints: (0..64).collect(), floats: vec![0.25], ends: vec![-1000.0, 1000.0] });
        let repeats = |run: u64| {
            let made = Made { run, seed: 0, numbers: numbers.clone(), ranges: None };
            let values: Vec<Vec<u8>> =
                (0..24).map(|index| made.bytes(("__VERIFIER_nondet_int", 0), index, 4, &[])).collect();
            (1..=4).any(|period| values.iter().zip(&values[period..]).all(|(a, b)| a == b))
        };
        let count = (0..64).filter(|run| !repeats(*run)).count();
        assert!((4..32).contains(&count), "{count}");
    }
}
