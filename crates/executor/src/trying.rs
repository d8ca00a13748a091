//! Paths that were given up: the program is executed on inputs that begin as theirs do.
//!
//! What symbolic execution does not follow (a loop that prints a number with unknown digits, a function that is not modelled on what is
//! unknown), execution of known values mostly does. So an input of the path is run to its end, and some that differ from it in one value or a
//! few. What goes wrong then is a violation like any other, on an input that shows it; that nothing does is no statement.

use std::time::{Duration, Instant};

use labrys_term::Store;
use labrys_testcase::{STANDARD_INPUT_STATE, TestInput};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::driver::Driver;
use crate::inputs::{Source, all_asked, test_input};
use crate::state::Execution;
use crate::{CallSite, Options, Violation};

/// Inputs that are run for a place at which paths are given up.
const TRIES: usize = 48;
/// How long one may run, and all of a place. What counts is their number; these end what hangs.
const RUN: Duration = Duration::from_secs(1);
const ALL: Duration = Duration::from_secs(4);
/// How long the first may take for others to be run.
const QUICK: Duration = Duration::from_millis(250);
/// Places at which inputs are tried.
const PLACES: usize = 32;

impl<'s> Driver<'_, 's> {
    /// Runs an input of a path that was given up, and some near by; once for each place.
    pub(crate) fn try_out_near(&mut self, execution: &Execution<'s>, stack: &[CallSite]) {
        if !matches!(self.source, Source::Symbolic) || self.guide.is_some() || self.tried.len() >= PLACES {
            return;
        }
        if !self.tried.insert(stack.to_vec()) {
            return;
        }
        // An input that may not be of this path is as good to vary as another.
        let model = execution.witness.as_ref().map(|witness| witness.model()).unwrap_or_default();
        let mut base = test_input(&self.options.arguments, &execution.inputs, &model);
        let mut random = Pcg64::seed_from_u64(self.options.seed ^ self.tried.len() as u64);
        let begun = Instant::now();
        let end = begun + ALL;
        for attempt in 0..TRIES {
            if self.is_stopped() || Instant::now() > self.options.deadline.map_or(end, |at| at.min(end)) {
                return;
            }
            let input = match attempt {
                0 => base.clone(),
                1..=SIGNS => with_signs(&base, attempt),
                _ => varied(&base, &mut random),
            };
            let asked = self.try_input(input);
            if attempt == 0 {
                base = asked;
                if begun.elapsed() > QUICK {
                    return;
                }
            }
        }
    }

    /// Runs the program on an input and keeps what goes wrong; the input with all that the run asked for.
    fn try_input(&mut self, input: TestInput) -> TestInput {
        let options = Options { answers: None, ..self.options.briefly_on(&input.arguments, RUN) };
        let mut store = Store::new();
        let source = Source::Fixed(input.clone());
        let mut run = Driver::new(self.program, &options, source.clone(), &mut store);
        run.follow_all();
        let has_standard_input = self.options.standard_input > 0;
        let asked = if has_standard_input { input } else { all_asked(&input.arguments, &source, &run.asked) };
        for violation in run.conclude().violations {
            if self.seen.insert(violation.key()) {
                self.outcome.paths.violated += 1;
                self.outcome.violations.push(Violation { input: asked.clone(), ..violation });
            }
        }
        asked
    }
}

/// Of the inputs that are tried those with zeros of all signs in the place of floats, and with NaNs.
const SIGNS: usize = 4;

/// The input with zeros of different signs, with negative ones, or with NaNs.
fn with_signs(base: &TestInput, attempt: usize) -> TestInput {
    let mut input = base.clone();
    for (place, object) in input.objects.iter_mut().enumerate() {
        let value = match attempt {
            1 | 2 if (place + attempt).is_multiple_of(2) => 0.0,
            SIGNS => f64::NAN,
            _ => -0.0,
        };
        match object.bytes.len() {
            4 if object.name.contains("float") => object.bytes.copy_from_slice(&(value as f32).to_le_bytes()),
            8 if object.name != STANDARD_INPUT_STATE => object.bytes.copy_from_slice(&value.to_le_bytes()),
            _ => {}
        }
    }
    input
}

/// Floats at which code goes wrong.
pub(crate) const FLOATS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    3.0,
    100.0,
    999.995,
    1e10,
    -1e10,
    1e300,
    5e-324,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];
/// Characters that programs look for.
const CHARACTERS: &[u8] = b"0123456789+-.,;:eEaAzZxX()[]{}\"'\\/*% \t\n\0";

/// The input with one value changed, or a few.
fn varied(base: &TestInput, random: &mut Pcg64) -> TestInput {
    let mut input = base.clone();
    // What standard input's size is stands in an object of its own, which must fit.
    let objects: Vec<usize> = (0..input.objects.len())
        .filter(|&index| !input.objects[index].bytes.is_empty() && input.objects[index].name != STANDARD_INPUT_STATE)
        .collect();
    // What is the same but for its sign, or the same, in all of them.
    if random.random_range(0..3) == 0 {
        let same = float(random);
        for &object in &objects {
            let value = if random.random() { same } else { -same };
            let bytes = &mut input.objects[object].bytes;
            match bytes.len() {
                4 => bytes.copy_from_slice(&(value as f32).to_le_bytes()),
                8 => bytes.copy_from_slice(&value.to_le_bytes()),
                _ => {}
            }
        }
        return input;
    }
    for _ in 0..random.random_range(1..4) {
        if let Some(&object) = objects.choose(random) {
            vary(&mut input.objects[object].bytes, random);
        }
    }
    input
}

/// Changes one value of an object.
fn vary(bytes: &mut [u8], random: &mut Pcg64) {
    let widths: Vec<usize> = [1, 2, 4, 8].into_iter().filter(|width| bytes.len().is_multiple_of(*width)).collect();
    // Mostly the largest: objects of one value are the most frequent.
    let width = match widths.last() {
        Some(&last) if random.random_range(0..4) > 0 => last,
        _ => widths.choose(random).copied().unwrap_or(1),
    };
    let place = random.random_range(0..bytes.len() / width) * width;
    let slot = &mut bytes[place..place + width];
    let mut word = [0; 8];
    word[..width].copy_from_slice(slot);
    let old = i64::from_le_bytes(word);
    let small = random.random_range(-4..=16);
    let new = match (random.random_range(0..6), width) {
        (0, _) => small,
        (1, _) => old.wrapping_add(if random.random() { 1 } else { -1 }),
        (2, _) => old ^ 1i64.wrapping_shl(random.random_range(0..8 * width as u32)),
        (3, 1) | (4, 1) => i64::from(*CHARACTERS.choose(random).unwrap_or(&0)),
        (3, 4) => i64::from((float(random) as f32).to_bits()),
        (3, 8) => float(random).to_bits() as i64,
        (4, 4) => i64::from((small as f32 / 8.0).to_bits()),
        (4, 8) => (small as f64 / 8.0).to_bits() as i64,
        _ => random.random(),
    };
    slot.copy_from_slice(&new.to_le_bytes()[..width]);
}

/// A float of those, or of any magnitude that programs meet.
fn float(random: &mut Pcg64) -> f64 {
    match random.random_range(0..2) {
        0 => FLOATS.choose(random).copied().unwrap_or(0.0),
        _ => random.random_range(-10.0..10.0) * 10f64.powi(random.random_range(-6..7)),
    }
}
