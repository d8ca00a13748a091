//! The true outputs of calls, certified: what the program's own formulas give without rounding, or what a reference does.
//!
//! **Claim.** A certified output is the true one to the last bit of its format: a run in arbitrary precision enclosed it so narrowly that
//! both ends of the enclosure round to the same float, and no decision of that run hung on what enclosures leave open
//! ([`labrys_interp::precise`] has the argument; MPFR's functions are correctly rounded). Precision rises until that is so; where it never is,
//! nothing is said. A second run at twice the precision must round to the same.

use std::time::Instant;

use labrys_elementary::rug;
use labrys_float::Format;
use labrys_interp::precise::{Executed, PreciseFloat, Rounding, datum_of};
use labrys_interp::{Datum, Limits};
use labrys_program::{FunctionId, ScalarType, Signature};

use super::formulas::Formulas;
use super::mpfr::MpfrCall;
use super::true_call::{
    PRECISIONS, Slopes, TrueCall, TrueFunction, call, certified, derivatives, float_of, is_between_neighbours,
    is_settled,
};
use crate::target::analysed::Analysed;

/// Bits for a guess: enough for what guides a search.
const GUESS: u32 = PRECISIONS[0];

/// Bits beside a record: so many decide of sums and of quotients whether they are zero.
const BESIDE: u32 = PRECISIONS[4];

/// So many floats are moved one by one.
const MOST_MOVED: usize = 40;

/// What results are compared with instead of the program's own formulas.
pub enum Reference<'p> {
    /// Another function's formulas.
    Function(Box<Formulas<'p>>),
    /// One of MPFR's functions.
    Mpfr(Box<MpfrCall>),
}

impl Reference<'_> {
    fn function(&mut self) -> &mut dyn TrueFunction {
        match self {
            Reference::Function(formulas) => &mut **formulas,
            Reference::Mpfr(call) => &mut **call,
        }
    }
}

/// Computes true outputs of calls of one function.
pub struct Oracle<'p> {
    formulas: Formulas<'p>,
    reference: Option<Reference<'p>>,
    /// When derivatives must be there: they take a run for every input.
    deadline: Option<Instant>,
}

impl<'p> Oracle<'p> {
    /// Sets when derivatives must be there.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// The oracle of a function; `init` is called once before everything else. The truth is what its own formulas give, or a reference.
    pub fn new(
        analysed: &'p Analysed,
        signature: &'p Signature,
        init: Option<FunctionId>,
        limits: Limits,
        reference: Option<Reference<'p>>,
    ) -> Oracle<'p> {
        Oracle { formulas: Formulas::new(analysed, signature, init, limits), reference, deadline: None }
    }

    /// Whether the truth is a reference's.
    pub fn has_reference(&self) -> bool {
        self.reference.is_some()
    }

    fn truth(&mut self) -> &mut dyn TrueFunction {
        match &mut self.reference {
            Some(reference) => reference.function(),
            None => &mut self.formulas,
        }
    }

    /// The outputs at one precision, certified or not: a guide.
    ///
    /// # Errors
    ///
    /// Why there are none, as the end of a sentence.
    pub fn guess(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        call(self.truth(), record, GUESS)
    }

    /// The certified outputs; of those that no precision settles, as zeros that only the reals know to be zero, there is nothing.
    ///
    /// # Errors
    ///
    /// Why there are none, as the end of a sentence.
    pub fn certified(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        certified(self.truth(), record, is_settled)
    }

    /// The certified outputs, and beside them what encloses those that no precision settles, where only two floats next to each other are
    /// nearest to it: zeros, whose sign is not known then, and ties.
    ///
    /// # Errors
    ///
    /// As [`Oracle::certified`].
    pub fn enclosed(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        certified(self.truth(), record, is_between_neighbours)
    }

    /// What the program's own formulas give without rounding, certified; the truth where there is no reference.
    ///
    /// # Errors
    ///
    /// As [`Oracle::certified`].
    pub fn without_rounding(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        certified(&mut self.formulas, record, is_settled)
    }

    /// How the program itself goes, all operations rounded, and what it then returns.
    ///
    /// # Errors
    ///
    /// As [`Oracle::guess`].
    pub fn as_program(&mut self, record: &[u8]) -> Result<TrueCall, String> {
        self.rounding(record, Rounding::Except(Default::default()))
    }

    /// Whether an output whose true value this is, is zero whatever the inputs are, as far as another input beside a record's tells: what code returns there is made
    /// of its roundings, as the error of a sum is, so that without them it means something else.
    pub fn works_by_rounding(&mut self, record: &[u8], leaf: usize, truth: &PreciseFloat) -> bool {
        let is_zero = |value: &PreciseFloat| value.value().is_zero() || !value.has_sign();
        if !is_zero(truth) {
            return false;
        }
        let run = self.truth().call_on(BESIDE, &mut |leaf| match (leaf.scalar, float_of(leaf, record)) {
            (ScalarType::Float(float), Some(value)) => {
                // No two inputs move alike, and zeros move, too.
                let step = rug::Float::with_val(BESIDE, 1 + leaf.offset * 7919 % 997) >> 80u32;
                let moved = if value.is_zero() { step } else { rug::Float::with_val(BESIDE, &value * step) + &value };
                Datum::Float(PreciseFloat::new(moved, float.format()))
            }
            _ => datum_of(leaf, record),
        });
        run.is_ok_and(|run| run.floats.get(leaf).is_some_and(|float| float.as_ref().is_some_and(is_zero)))
    }

    /// Whether the program without rounding goes this way on some input next to a record's: one float moved by half a unit in its last place, or all.
    pub fn goes_nearby(&mut self, record: &[u8], control: u64) -> bool {
        self.on_neighbours(record, PRECISIONS[1], &mut |run| run.control == control)
    }

    /// Whether on some input next to a record's an output of the program without rounding lies this far from its true value, or further.
    /// Derivatives do not tell, where half an ulp is a long way.
    pub fn moves_nearby(&mut self, record: &[u8], leaf: usize, truth: &PreciseFloat, far: f64) -> bool {
        // What so many bits did not settle there they do not settle here.
        let precision = truth.value().prec().max(PRECISIONS[1]);
        self.on_neighbours(record, precision, &mut |run| {
            let there = run.floats.get(leaf).and_then(Option::as_ref);
            there.is_some_and(|there| {
                let apart = rug::Float::with_val(PRECISIONS[1], there.value() - truth.value()).abs();
                apart.is_infinite() || apart >= far
            })
        })
    }

    /// Whether something shows in a run without rounding on an input next to a record's: one float moved by half a unit in its last
    /// place, or all.
    fn on_neighbours(&mut self, record: &[u8], precision: u32, shows: &mut dyn FnMut(&TrueCall) -> bool) -> bool {
        let leaves = self.formulas.inputs().leaves;
        let floats: Vec<Option<usize>> = (0..leaves.len())
            .filter(|index| float_of(&leaves[*index], record).is_some_and(|value| value.is_normal()))
            .take(MOST_MOVED)
            .map(Some)
            .chain([None])
            .collect();
        floats.into_iter().flat_map(|moved| [(moved, 1), (moved, -1)]).any(|(moved, sign)| {
            let run = self.formulas.call_on(precision, &mut |leaf| match (leaf.scalar, float_of(leaf, record)) {
                (ScalarType::Float(float), Some(value))
                    if value.is_normal() && moved.is_none_or(|moved| leaves[moved].offset == leaf.offset) =>
                {
                    let format = float.format();
                    let half = half_ulp(&value, format) * sign;
                    Datum::Float(PreciseFloat::new(half + &value, format))
                }
                _ => datum_of(leaf, record),
            });
            run.is_ok_and(|run| shows(&run))
        })
    }

    /// The program's outputs with some operations rounded as its own are.
    ///
    /// # Errors
    ///
    /// As [`Oracle::guess`].
    pub fn rounding(&mut self, record: &[u8], rounding: Rounding) -> Result<TrueCall, String> {
        self.formulas.set_rounding(rounding);
        let call = call(&mut self.formulas, record, PRECISIONS[2]);
        self.formulas.set_rounding(Rounding::Nowhere);
        call
    }

    /// The instructions on floats that the program executes.
    pub fn executions(&mut self, record: &[u8]) -> Vec<Executed> {
        self.formulas.keep_executions();
        // What it executes until it ends counts, however it ends.
        let _ = self.as_program(record);
        self.formulas.take_executions()
    }

    /// x·∂f/∂x of the truth for each float input x (an index into the input record's leaves, not zero and finite) and each output, in the
    /// order of outputs.
    ///
    /// # Errors
    ///
    /// As [`Oracle::guess`].
    pub fn derivatives(&mut self, record: &[u8], how: Slopes) -> Result<Vec<(usize, Vec<rug::Float>)>, String> {
        let deadline = self.deadline;
        derivatives(self.truth(), record, how, deadline)
    }
}

/// Half a unit in the last place of a normal number, with its sign: between u/2 and u times it, u = 2^-p. The relative u would reach beyond the middle
/// between two floats, and there to other steps of a function that has some.
fn half_ulp(value: &rug::Float, format: Format) -> rug::Float {
    let exponent = value.get_exp().unwrap_or_default() - 1 - format.precision() as i32;
    let half = rug::Float::with_val(PRECISIONS[1], 1) << exponent;
    if value.is_sign_negative() { -half } else { half }
}
