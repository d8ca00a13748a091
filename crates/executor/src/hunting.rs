//! Looking for what goes wrong without proving anything: beside paths that are followed in order, and merged, which proofs want.
//!
//! Merged ways leave terms to the solver that are numbers on each of the ways, and loops without an end keep more paths waiting than are ever followed. So the
//! program is executed on inputs that repeat themselves ([`Made`]), which lead through many rounds at no cost, and then its paths are followed apart,
//! first those in states like which there was none before ([`Novelty`]). What is found is a violation like any other, on an input that shows it.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};

use labrys_interp::Datum;
use labrys_program::{FunctionId, InstructionKind, Program, ValueId, points_of};
use labrys_term::{Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::constants::constants_of;
use crate::driver::Driver;
use crate::execute::replay;
use crate::inputs::{Piece, Source, all_asked};
use crate::state::Execution;
use crate::trying::FLOATS;
use crate::{FloatValue, Options, Outcome, Violation};

/// Made inputs that the program is executed on: a few at once, and many until so many instructions are executed; the others before paths are followed; and
/// how long each execution may take, and the many.
const AT_ONCE: u64 = 64;
const MANY: u64 = 4096;
const MOST_INSTRUCTIONS: u64 = 2_000_000;
const GLANCE: Duration = Duration::from_secs(2);
const RUNS: u64 = 240;
const SHORT_RUN: Duration = Duration::from_millis(2);
const RUN: Duration = Duration::from_millis(8);
const LONG_RUN: Duration = Duration::from_millis(30);

/// Scalars of a state that are looked at, and bytes of an object of which any are.
const MOST_SCALARS: usize = 4096;
const MOST_IN_OBJECT: u64 = 2048;

/// Of more inputs than these none has one number everywhere: there are no others.
const ONES: u64 = 512;

/// Numbers of the program that inputs are made of.
const MOST_NUMBERS: usize = 64;

/// Executes a program on a few made inputs: what goes wrong, if something does.
pub(crate) fn glance(program: &Program, options: &Options) -> Option<Outcome> {
    let begun = Instant::now();
    let outcome = on_made_inputs(program, options, 0..AT_ONCE, RUN, |_| true);
    outcome.or_else(|| {
        let goes_on = |instructions| instructions < MOST_INSTRUCTIONS && begun.elapsed() < GLANCE;
        on_made_inputs(program, options, AT_ONCE..MANY, SHORT_RUN, goes_on)
    })
}

/// Follows the paths of a program until something goes wrong on one.
pub(crate) fn hunt(program: &Program, options: &Options) -> Outcome {
    let options = &Options { merges: false, ..options.clone() };
    if let Some(outcome) = on_made_inputs(program, options, AT_ONCE..RUNS, LONG_RUN, |_| true) {
        return outcome;
    }
    let mut store = Store::new();
    let mut driver = Driver::new(program, options, Source::Symbolic, &mut store);
    driver.oracle.hurry();
    driver.novelty = Some(Novelty::of(program));
    driver.run()
}

/// What goes wrong on a made input, if something does; as long as `goes_on`, of the instructions that were executed.
fn on_made_inputs(
    program: &Program,
    options: &Options,
    runs: Range<u64>,
    limit: Duration,
    goes_on: impl Fn(u64) -> bool,
) -> Option<Outcome> {
    let numbers = Rc::new(Numbers::of(program));
    let mut instructions = 0;
    for run in runs {
        let is_over = options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over || !goes_on(instructions) || options.watch.as_ref().is_some_and(|watch| watch.stopped().is_some()) {
            return None;
        }
        let source = Source::Made(Made { run, seed: options.seed, numbers: numbers.clone() });
        let options = Options { answers: None, ..options.briefly_on(&options.arguments, limit) };
        let mut store = Store::new();
        let mut driver = Driver::new(program, &options, source.clone(), &mut store);
        driver.follow_all();
        let input = all_asked(&options.arguments, &source, &driver.asked);
        let outcome = driver.conclude();
        instructions += outcome.instructions;
        if outcome.violations.is_empty() {
            continue;
        }
        // On the input itself, not what made it.
        let mut outcome = replay(program, &options, &input);
        if !outcome.violations.is_empty() {
            let with_input = |violation| Violation { input: input.clone(), ..violation };
            outcome.violations = outcome.violations.into_iter().map(with_input).collect();
            return Some(outcome);
        }
    }
    None
}

/// An input that mostly repeats itself: what is asked for by one name has the same value in every round, or every few.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// Which of them.
    run: u64,
    seed: u64,
    numbers: Rc<Numbers>,
}

/// Numbers that inputs are made of.
#[derive(Debug)]
struct Numbers {
    ints: Vec<i64>,
    floats: Vec<f64>,
    /// Ends of ranges from which ordinary numbers are taken.
    ends: Vec<f64>,
}

/// How large ordinary numbers are at most.
const ORDINARY: f64 = 1e6;

impl Numbers {
    /// Those that a program is about: its constants and what lies beside and between them, and the usual ones.
    fn of(program: &Program) -> Numbers {
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
    /// The bytes of the object that is asked for as the `index`-th, of which those pieces of `layout` are floats that say so.
    pub(crate) fn bytes(&self, name: &str, index: usize, size: u64, layout: &[Piece]) -> Vec<u8> {
        let says_float = name.contains("float") || name.contains("double");
        // KLEE's names are the program's own, and say nothing: neither of what an object is made of.
        let is_named = name.contains("nondet");
        let slots = self.slots(size, !is_named, layout);
        // Every other run has one number everywhere, one after the other; those between have any, again after a few.
        let is_one = self.run.is_multiple_of(2) && self.run < ONES;
        // Half of these have ordinary numbers, the others those that programs are about.
        let is_ordinary = !is_one && self.run / 8 % 2 == 1;
        let period = match self.run / 2 % 5 {
            _ if is_one => 1,
            // No two are alike but by chance: what a machine of few states does wrong is met on the way.
            4 => usize::MAX,
            few => 1 + few as usize,
        };
        let mut bytes = Vec::with_capacity(size as usize);
        for (chunk, Piece { bytes: width, is_float, .. }) in (0u64..).zip(slots) {
            let mut hasher = FxHasher::default();
            (self.run, self.seed, name, index % period, chunk).hash(&mut hasher);
            let any = hasher.finish();
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

/// In which states paths have waited.
#[derive(Debug)]
pub(crate) struct Novelty {
    seen: FxHashSet<u64>,
    /// The values by which blocks of a function hand on what they have, by function.
    phis: FxHashMap<FunctionId, Vec<ValueId>>,
}

impl Novelty {
    fn of(program: &Program) -> Novelty {
        let mut phis: FxHashMap<FunctionId, Vec<ValueId>> = FxHashMap::default();
        for (id, function) in (0..).map(FunctionId).zip(&program.functions) {
            let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            let is_phi = instructions.filter(|of| matches!(of.kind, InstructionKind::Phi(_)));
            phis.insert(id, is_phi.filter_map(|of| of.result).collect());
        }
        Novelty { seen: FxHashSet::default(), phis }
    }

    /// Whether no path has waited in a state like this one: at the same place, with the same numbers where they are known.
    pub(crate) fn is_new(&mut self, execution: &Execution<'_>) -> bool {
        let state = &execution.state;
        let mut hasher = FxHasher::default();
        state.positions().for_each(|position| position.hash(&mut hasher));
        if let Some(frame) = state.frame() {
            let phis = self.phis.get(&frame.function).map_or(&[][..], Vec::as_slice);
            for scalar in phis.iter().filter_map(|phi| frame.value(*phi)).flatten() {
                known(&scalar.datum).hash(&mut hasher);
            }
        }
        for (object, scalar) in state.memory.scalars(MOST_IN_OBJECT).take(MOST_SCALARS) {
            (object, known(&scalar.datum)).hash(&mut hasher);
        }
        self.seen.insert(hasher.finish())
    }
}

/// What is known of a scalar.
fn known(datum: &Datum<FloatValue, TermId>) -> Option<(u8, u128)> {
    match datum {
        Datum::Int(int) => Some((0, int.concrete()?)),
        Datum::Float(FloatValue::Concrete { bits, .. }) => Some((1, *bits)),
        Datum::Float(FloatValue::Symbolic(_)) => None,
        Datum::Pointer(pointer) => {
            let mut hasher = FxHasher::default();
            pointer.base.hash(&mut hasher);
            Some((2, u128::from(hasher.finish()) << 64 | pointer.offset.concrete()?))
        }
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
            let made = Made { run, seed: 0, numbers: numbers.clone() };
            let bytes = made.bytes("s", 0, 24, &layout);
            assert_eq!(bytes.len(), 24);
            let single = f32::from_le_bytes(bytes[4..8].try_into().expect("four bytes"));
            let double = f64::from_le_bytes(bytes[8..16].try_into().expect("eight bytes"));
            assert!((0.25..=0.75).contains(&single) && (0.25..=0.75).contains(&double), "{run}: {single} {double}");
            // Of the whole object what is no float is told from the floats alone.
            let whole = [Piece::whole(4), layout[0], layout[1], Piece { offset: 16, ..Piece::whole(8) }];
            assert_eq!(made.bytes("s", 0, 24, &whole), bytes);
        }
    }

    /// Inputs repeated themselves after at most four rounds: a machine of few states was led through few of them.
    #[test]
    fn some_inputs_do_not_repeat_themselves() {
        let numbers = Rc::new(Numbers { ints: (0..64).collect(), floats: vec![0.25], ends: vec![-1000.0, 1000.0] });
        let repeats = |run: u64| {
            let made = Made { run, seed: 0, numbers: numbers.clone() };
            let values: Vec<Vec<u8>> =
                (0..24).map(|index| made.bytes("__VERIFIER_nondet_int", index, 4, &[])).collect();
            (1..=4).any(|period| values.iter().zip(&values[period..]).all(|(a, b)| a == b))
        };
        let count = (0..AT_ONCE).filter(|run| !repeats(*run)).count();
        assert!((4..32).contains(&count), "{count}");
    }
}
