//! The true outputs of calls, certified: what the program's own formulas give without rounding.
//!
//! **Claim.** A certified output is the true one to the last bit of its format: a run in arbitrary precision enclosed it so narrowly that
//! both ends of the enclosure round to the same float, and no decision of that run hung on what enclosures leave open
//! ([`labrys_interp::precise`] has the argument). Precision rises until that is so; where it never is, nothing is said.

use labrys_elementary::rug;
use labrys_interp::precise::{Executed, PreciseExecution, PreciseFloat, Rounding, Twin, datum_of};
use labrys_interp::{Datum, DatumOf, Limits};
use labrys_program::{FunctionId, Leaf, ScalarType, Signature};

use super::classifier::reason;
use crate::target::analysed::Analysed;

/// Bits of the twin's significands, tried in turn: with 2,304 a sum of any two doubles is exact.
const PRECISIONS: [u32; 5] = [256, 512, 1024, 2304, 4608];
/// Bits for a guess: enough for what guides a search.
const GUESS: u32 = PRECISIONS[0];

/// So many floats are moved one by one.
const MOST_MOVED: usize = 40;

/// How closely derivatives are looked at: by differences, with so many bits, of inputs that are moved by a power of two of themselves.
#[derive(Clone, Copy, Debug)]
pub struct Slopes {
    precision: u32,
    step: i32,
}

impl Slopes {
    /// For a search.
    pub const GUESS: Slopes = Slopes { precision: 256, step: -80 };
    /// For a report.
    pub const FINE: Slopes = Slopes { precision: 1024, step: -320 };
}

/// The outputs of one run in arbitrary precision.
#[derive(Clone, Debug)]
pub struct TrueCall {
    /// The value of each leaf of the output record; none for an integer, or where it depends on what is undefined.
    pub floats: Vec<Option<PreciseFloat>>,
    /// Equal where two runs went the same way.
    pub control: u64,
    /// Equal where the sums of two runs have the same signs.
    pub signs: u64,
    /// Bits of the run.
    pub precision: u32,
    /// Whether every float is certified.
    pub is_certified: bool,
    /// Whether the run's decisions are those of the true one: then what is certified of its floats is so, though others are not.
    is_decided: bool,
}

/// Computes true outputs of calls of one function.
pub struct Oracle<'p> {
    twin: Twin<'p>,
    analysed: &'p Analysed,
    signature: &'p Signature,
}

impl<'p> Oracle<'p> {
    /// The oracle of a function; `init` is called once before everything else.
    pub fn new(
        analysed: &'p Analysed,
        signature: &'p Signature,
        init: Option<FunctionId>,
        limits: Limits,
    ) -> Oracle<'p> {
        let mut twin = Twin::new(&analysed.program, init, limits);
        twin.keep_purposeful_rounding();
        Oracle { twin, analysed, signature }
    }

    /// The outputs at one precision, certified or not: a guide.
    ///
    /// # Errors
    ///
    /// Why there are none, as the end of a sentence.
    pub fn guess(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        self.run(record, GUESS)
    }

    /// The certified outputs; of those that no precision settles, as zeros that only the reals know to be zero, there is nothing.
    ///
    /// # Errors
    ///
    /// Why there are none, as the end of a sentence.
    pub fn certified(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        let mut last = Err("no precision was tried".to_owned());
        for precision in PRECISIONS {
            last = self.run(record, precision);
            if last.as_ref().is_ok_and(|call| call.is_certified) {
                return last;
            }
        }
        let mut call = last?;
        for float in &mut call.floats {
            *float = float.take().filter(|float| call.is_decided && is_settled(float));
        }
        match call.floats.iter().any(Option::is_some) {
            true => Ok(call),
            false => Err(format!("{} bits do not settle it", PRECISIONS[PRECISIONS.len() - 1])),
        }
    }

    /// How the program itself goes, all operations rounded, and what it then returns.
    ///
    /// # Errors
    ///
    /// As [`Oracle::guess`].
    pub fn as_program(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        self.rounding(record, Rounding::Except(Default::default()))
    }

    /// Whether the true run goes this way on some input next to a record's: one float moved by half a unit in its last place, or all.
    pub fn goes_nearby(&mut self, record: &[u8], control: u64) -> bool {
        let leaves = self.signature.input_layout().leaves;
        let floats: Vec<Option<usize>> = (0..leaves.len())
            .filter(|index| float_of(&leaves[*index], record).is_some_and(|value| value.is_normal()))
            .take(MOST_MOVED)
            .map(Some)
            .chain([None])
            .collect();
        floats.into_iter().flat_map(|moved| [(moved, 1), (moved, -1)]).any(|(moved, sign)| {
            let run = self.run_on(PRECISIONS[1], &mut |leaf| match (leaf.scalar, float_of(leaf, record)) {
                (ScalarType::Float(float), Some(value))
                    if value.is_normal() && moved.is_none_or(|moved| leaves[moved].offset == leaf.offset) =>
                {
                    let format = float.format();
                    let half = rug::Float::with_val(PRECISIONS[1], &value * sign) >> format.precision() as i32;
                    Datum::Float(PreciseFloat::new(half + &value, format))
                }
                _ => datum_of(leaf, record),
            });
            run.is_ok_and(|run| run.control == control)
        })
    }

    /// The outputs with some operations rounded as the program's are.
    ///
    /// # Errors
    ///
    /// As [`Oracle::guess`].
    pub fn rounding(&mut self, record: &[u8], rounding: Rounding) -> Result<TrueCall, String> {
        self.twin.set_rounding(rounding);
        let call = self.run(record, PRECISIONS[2]);
        self.twin.set_rounding(Rounding::Nowhere);
        call
    }

    /// The instructions on floats that the program executes.
    pub fn executions(&mut self, record: &[u8]) -> Vec<Executed> {
        self.twin.keep_executions();
        // What it executes until it ends counts, however it ends.
        let _ = self.as_program(record);
        self.twin.take_executions()
    }

    /// x·∂f/∂x for each float input x (an index into the input record's leaves, not zero and finite) and each output, in the order of
    /// outputs.
    ///
    /// # Errors
    ///
    /// As [`Oracle::guess`].
    pub fn derivatives(&mut self, record: &[u8], how: Slopes) -> Result<Vec<(usize, Vec<rug::Float>)>, String> {
        let Slopes { precision, step: power } = how;
        let leaves = self.signature.input_layout().leaves;
        let at = self.run(record, precision)?;
        let mut all = Vec::new();
        for (index, moved) in leaves.iter().enumerate() {
            let Some(value) = float_of(moved, record).filter(|value| value.is_normal()) else { continue };
            let step = value.clone() << power;
            let beside = rug::Float::with_val(precision, &value + &step);
            let run = self.run_on(precision, &mut |leaf| {
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

    fn run(&mut self, record: &[u8], precision: u32) -> Result<TrueCall, String> {
        self.run_on(precision, &mut |leaf| datum_of(leaf, record))
    }

    fn run_on(
        &mut self,
        precision: u32,
        input: &mut dyn FnMut(&Leaf) -> DatumOf<labrys_interp::precise::Precise>,
    ) -> Result<TrueCall, String> {
        let Analysed { function, binding, .. } = self.analysed;
        let run = self.twin.call_on(*function, binding, self.signature, precision, input);
        true_call(run, precision)
    }
}

/// The number that a leaf of a record has; none where it is no float or no number.
pub fn float_of(leaf: &Leaf, record: &[u8]) -> Option<rug::Float> {
    match datum_of(leaf, record) {
        Datum::Float(float) if float.value().is_finite() => Some(float.value().clone()),
        _ => None,
    }
}

fn true_call(run: PreciseExecution, precision: u32) -> Result<TrueCall, String> {
    let PreciseExecution { outputs, marks, control, signs, .. } = run;
    let outputs = outputs.map_err(|stop| reason(&stop))?;
    if marks.rounded_encoding {
        return Err("the code makes a number of bits of another one's encoding".to_owned());
    }
    let float = |scalar: &labrys_interp::ScalarOf<labrys_interp::precise::Precise>| match &scalar.datum {
        Datum::Float(float) if !scalar.tainted => Some(float.clone()),
        _ => None,
    };
    let floats: Vec<Option<PreciseFloat>> = outputs.iter().map(float).collect();
    let is_decided = !marks.undecided && !marks.beyond_exponents;
    let is_certified = is_decided && floats.iter().flatten().all(is_settled);
    Ok(TrueCall { floats, control, signs, precision, is_certified, is_decided })
}

/// Whether only one float is nearest to what a number encloses.
fn is_settled(float: &PreciseFloat) -> bool {
    float.radius().is_bounded() && float.rounds_alike()
}
