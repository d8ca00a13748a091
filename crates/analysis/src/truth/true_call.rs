//! Calls of functions in arbitrary precision, whatever computes them; certainty about them, and their derivatives.

use std::time::Instant;

use labrys_elementary::rug;
use labrys_interp::precise::{Precise, PreciseFloat, datum_of};
use labrys_interp::{Datum, DatumOf};
use labrys_program::{InputLayout, Leaf, ScalarType};

/// Bits of significands, tried in turn: with 2,304 a sum of any two doubles is exact.
pub(super) const PRECISIONS: [u32; 5] = [256, 512, 1024, 2304, 4608];

/// The number that is in the place of a leaf of the input record.
pub(super) type Input<'i> = dyn FnMut(&Leaf) -> DatumOf<Precise> + 'i;

/// How closely derivatives are looked at: by differences, with so many bits, of inputs that are moved by a power of two of themselves.
#[derive(Clone, Copy, Debug)]
pub struct Slopes {
    precision: u32,
    step: i32,
}

impl Slopes {
    /// For a search.
    pub const GUESS: Slopes = Slopes { precision: 256, step: -80 };
    /// For a report, where the value itself took so many bits.
    pub fn fine(bits: u32) -> Slopes {
        Slopes { precision: (bits + 768).max(1024), step: -320 }
    }
}

/// The outputs of one run in arbitrary precision.
#[derive(Clone, Debug)]
pub struct TrueCall {
    /// The value of each leaf of the output record; none for an integer, or where it depends on what is undefined.
    pub floats: Vec<Option<PreciseFloat>>,
    /// The value of each leaf that is an integer of the run's control alone; of others none.
    pub integers: Vec<Option<u128>>,
    /// Equal where two runs went the same way.
    pub control: u64,
    /// Equal where the sums of two runs have the same signs.
    pub signs: u64,
    /// Bits of the run.
    pub precision: u32,
    /// Bits of a second run with the same outcome.
    pub confirmed: Option<u32>,
    /// Whether every float is certified.
    pub is_certified: bool,
    /// Whether the run's decisions are those of the true one: then what is certified of its floats is so, though others are not.
    pub(super) is_decided: bool,
}

/// A function that can be computed at any precision.
pub(super) trait TrueFunction {
    /// How its inputs lie in records.
    fn inputs(&self) -> InputLayout;

    /// The outputs at one precision, certified or not.
    ///
    /// # Errors
    ///
    /// Why there are none, as the end of a sentence.
    fn call_on(&mut self, precision: u32, input: &mut Input<'_>) -> Result<TrueCall, String>;
}

/// The outputs at one precision.
pub(super) fn call(of: &mut dyn TrueFunction, record: &[u8], precision: u32) -> Result<TrueCall, String> {
    of.call_on(precision, &mut |leaf| datum_of(leaf, record))
}

/// The certified outputs, and the same at a higher precision; of those that no precision settles so far that they are `enough`, there is nothing.
pub(super) fn certified(
    of: &mut dyn TrueFunction,
    record: &[u8],
    enough: fn(&PreciseFloat) -> bool,
) -> Result<TrueCall, String> {
    let mut last = Err("no precision was tried".to_owned());
    for precision in PRECISIONS {
        last = call(of, record, precision);
        if let Ok(call) = &last
            && call.is_certified
        {
            return confirmed(of, record, call.clone());
        }
    }
    let mut call = last?;
    for float in &mut call.floats {
        *float = float.take().filter(|float| call.is_decided && enough(float));
    }
    match call.floats.iter().any(Option::is_some) {
        true => Ok(call),
        false => Err(format!("{} bits do not settle it", PRECISIONS[PRECISIONS.len() - 1])),
    }
}

/// A certified call, if a run at twice the precision rounds to the same floats. Where that takes too long the enclosure stands alone.
fn confirmed(of: &mut dyn TrueFunction, record: &[u8], first: TrueCall) -> Result<TrueCall, String> {
    let precision = 2 * first.precision;
    let Ok(again) = call(of, record, precision) else { return Ok(first) };
    let is_same = |pair: (&Option<PreciseFloat>, &Option<PreciseFloat>)| match pair {
        (Some(a), Some(b)) => {
            let [a, b] = [a, b].map(|float| float.nearest().value);
            a.is_nan() && b.is_nan() || a.to_u128() == b.to_u128()
        }
        (a, b) => a.is_none() && b.is_none(),
    };
    match again.is_certified && again.integers == first.integers && first.floats.iter().zip(&again.floats).all(is_same)
    {
        true => Ok(TrueCall { confirmed: Some(precision), ..first }),
        false => Err(format!("{} and {precision} bits do not agree on it", first.precision)),
    }
}

/// x·∂f/∂x for each float input x (an index into the input record's leaves, not zero and finite) and each output, in the order of
/// outputs.
pub(super) fn derivatives(
    of: &mut dyn TrueFunction,
    record: &[u8],
    how: Slopes,
    deadline: Option<Instant>,
) -> Result<Vec<(usize, Vec<rug::Float>)>, String> {
    let Slopes { precision, step: power } = how;
    let leaves = of.inputs().leaves;
    let at = call(of, record, precision)?;
    let mut all = Vec::new();
    for (index, moved) in leaves.iter().enumerate() {
        let Some(value) = float_of(moved, record).filter(|value| value.is_normal()) else { continue };
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err("there was no time for its derivatives".to_owned());
        }
        let step = value.clone() << power;
        let beside = rug::Float::with_val(precision, &value + &step);
        let run = of.call_on(precision, &mut |leaf| {
            if leaf.offset != moved.offset {
                return datum_of(leaf, record);
            }
            let format = match leaf.scalar {
                ScalarType::Float(float) => float.format(),
                _ => return datum_of(leaf, record),
            };
            Datum::Float(PreciseFloat::new(beside.clone(), format))
        })?;
        let slope = |(from, to): (&Option<PreciseFloat>, &Option<PreciseFloat>)| match (from, to) {
            (Some(from), Some(to)) => rug::Float::with_val(precision, to.value() - from.value()) >> power,
            _ => rug::Float::with_val(precision, rug::float::Special::Nan),
        };
        all.push((index, at.floats.iter().zip(&run.floats).map(slope).collect()));
    }
    Ok(all)
}

/// The number that a leaf of a record has; none where it is no float or no number.
pub fn float_of(leaf: &Leaf, record: &[u8]) -> Option<rug::Float> {
    match datum_of(leaf, record) {
        Datum::Float(float) if float.value().is_finite() => Some(float.value().clone()),
        _ => None,
    }
}

/// Whether only one float is nearest to what a number encloses.
pub(super) fn is_settled(float: &PreciseFloat) -> bool {
    float.radius().is_bounded() && float.rounds_alike()
}

/// Whether what a number encloses is nearest to one of at most two floats next to each other: a zero or a tie that only the reals know to be one.
pub(super) fn is_between_neighbours(float: &PreciseFloat) -> bool {
    // One place is both zeros', and NaN has none.
    let places = float.nearest_to_ends().map(|end| end.ordinal().filter(|_| end.is_finite()));
    match places {
        [Some(low), Some(high)] => float.radius().is_bounded() && high - low <= 1.into(),
        _ => false,
    }
}
