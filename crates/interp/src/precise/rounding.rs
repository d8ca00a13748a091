//! Runs in which some operations round as the program's do, and others do not; and what operations a run executes.
//!
//! Which operation an error comes from is asked by such runs: with one operation rounded alone the result is off by what that one
//! does, and with all others rounded by what would be left if it were exact.

use labrys_elementary::{from_precise, rug};
use labrys_float::{Format, RoundingMode};
use labrys_program::{BlockId, Cast, Constant, FloatBinary, FunctionId, InstructionKind, LocationId, Operand, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::number::PreciseFloat;
use crate::Place;

/// An instruction of the program.
pub type Instruction = (FunctionId, BlockId, u32);

/// Which operations' results are rounded to their formats.
#[derive(Clone, Debug, Default)]
pub enum Rounding {
    /// None: the true values.
    #[default]
    Nowhere,
    /// Those of these instructions.
    Only(FxHashSet<Instruction>),
    /// All but those of these instructions.
    Except(FxHashSet<Instruction>),
    /// All, to as many bits as their formats have, whatever their size: what a program comes to without overflow and underflow.
    WithoutLimits,
}

/// What a run executed of one instruction.
#[derive(Clone, Debug)]
pub struct Executed {
    /// The instruction.
    pub instruction: Instruction,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    /// The operation: `fadd`, `sqrt`, a library function's name.
    pub operator: &'static str,
    /// How often it was executed.
    pub count: u64,
    /// The most leading bits that a sum of it cancelled.
    pub cancelled: u32,
    /// How many sums lost an operand that is not zero: it is below half a unit in the last place of the other.
    pub absorbed: u64,
}

/// The instructions on floats that a run executed, in the order of their first executions.
#[derive(Clone, Debug, Default)]
pub struct Executions {
    at: FxHashMap<Instruction, usize>,
    seen: Vec<Executed>,
}

impl Rounding {
    /// Whether results at a place are rounded.
    pub fn applies_to(&self, place: &Place) -> bool {
        let instruction = instruction_of(place);
        match self {
            Rounding::Nowhere => false,
            Rounding::Only(these) => these.contains(&instruction),
            Rounding::Except(these) => !these.contains(&instruction),
            Rounding::WithoutLimits => true,
        }
    }
}

/// The sums of a program with an operand that may be a number of its own: a constant, what a constant global holds, or what a function other
/// than `entry` is given. Of inputs, and of what is computed, nobody means that they round.
pub(super) fn purposeful_sums(program: &Program, entry: FunctionId) -> FxHashSet<Instruction> {
    let mut sums = FxHashSet::default();
    for (function, body) in program.functions.iter().enumerate() {
        let function = FunctionId(function as u32);
        let mut own = vec![false; body.values.len()];
        let parameters = body.parameters.iter().filter(|_| function != entry).map(|parameter| parameter.value);
        parameters.for_each(|value| own.get_mut(value.index()).into_iter().for_each(|own| *own = true));
        for (block, of_block) in body.blocks.iter().enumerate() {
            for (place, instruction) in of_block.instructions.iter().enumerate() {
                let is_own = |operand: &Operand| match operand {
                    Operand::Constant(_) => true,
                    Operand::Value(value) => own.get(value.index()).copied().unwrap_or_default(),
                };
                let result = match &instruction.kind {
                    InstructionKind::FloatBinary(FloatBinary::Add | FloatBinary::Sub, a, b) => {
                        if is_own(a) || is_own(b) {
                            sums.insert((function, BlockId(block as u32), place as u32));
                        }
                        false
                    }
                    InstructionKind::Load { pointer: Operand::Constant(Constant::Global(global, _)), .. } => {
                        program.globals.get(global.index()).is_some_and(|global| global.is_constant)
                    }
                    InstructionKind::Cast(Cast::FpExt | Cast::FpTrunc, of) => is_own(of),
                    InstructionKind::FloatNegate(of) | InstructionKind::Freeze(of) => is_own(of),
                    InstructionKind::Select(_, a, b) => is_own(a) && is_own(b),
                    InstructionKind::Phi(incoming) => incoming.iter().all(|(_, of)| is_own(of)),
                    _ => false,
                };
                let slot = instruction.result.and_then(|value| own.get_mut(value.index()));
                slot.into_iter().for_each(|own| *own |= result);
            }
        }
    }
    sums
}

/// Whether adding this number to a smaller one is meant to round: 2^52 and its like make integers of doubles, 1.5 · 2^k multiples of
/// what is left of the significand (Hauser, "Handling floating-point exceptions in numeric programs", TOPLAS 1996, has the former). Without
/// the rounding such a sum means something else.
pub(super) fn rounds_on_purpose(number: &PreciseFloat, other: &PreciseFloat) -> bool {
    let precision = i64::from(number.format().precision());
    let (Some(exponent), Some(other)) = (number.value().get_exp(), other.value().get_exp()) else { return false };
    if !number.radius().is_zero() || i64::from(exponent) < precision / 2 || other >= exponent {
        return false;
    }
    // MPFR's significands lie in [1/2, 1).
    let significand = rug::Float::with_val(8, number.value().abs_ref()) >> exponent;
    let is_power = significand == 0.5 && i64::from(exponent) >= precision && i64::from(exponent) <= precision + 1;
    let is_exact = rug::Float::with_val(8, number.value()) == *number.value();
    is_exact && (is_power || significand == 0.75)
}

/// A result as a program keeps it.
pub(super) fn rounded(value: &PreciseFloat) -> PreciseFloat {
    PreciseFloat::exact(&from_precise(value.value(), value.format(), RoundingMode::NearestEven).value)
}

/// The same of a program whose numbers have no limits.
pub(super) fn rounded_without_limits(value: &PreciseFloat) -> PreciseFloat {
    let format = value.format();
    PreciseFloat::new(rug::Float::with_val(format.precision(), value.value()), format)
}

impl Executions {
    /// The instructions.
    pub fn into_vec(self) -> Vec<Executed> {
        self.seen
    }

    /// Counts an execution.
    pub(super) fn note(&mut self, place: &Place, operator: &'static str) -> &mut Executed {
        let instruction = instruction_of(place);
        let index = *self.at.entry(instruction).or_insert_with(|| {
            let location = place.location;
            self.seen.push(Executed { instruction, location, operator, count: 0, cancelled: 0, absorbed: 0 });
            self.seen.len() - 1
        });
        self.seen[index].count += 1;
        &mut self.seen[index]
    }
}

impl Executed {
    /// Notes what a sum of two numbers lost.
    pub(super) fn note_sum(&mut self, a: &rug::Float, b: &rug::Float, sum: &rug::Float, format: Format) {
        let (Some(a), Some(b)) = (a.get_exp(), b.get_exp()) else { return };
        let lost = sum.get_exp().map_or(i64::from(format.precision()), |sum| i64::from(a.max(b)) - i64::from(sum));
        self.cancelled = self.cancelled.max(u32::try_from(lost).unwrap_or(0));
        self.absorbed += u64::from(a.abs_diff(b) > format.precision());
    }
}

/// The instruction at a place.
pub(super) fn instruction_of(place: &Place) -> Instruction {
    (place.function, place.block, place.instruction)
}
