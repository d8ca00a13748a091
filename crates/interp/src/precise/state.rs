//! What a run in arbitrary precision keeps: its precision, its decisions, and what makes its results doubtful.

use std::hash::{Hash, Hasher};

use labrys_elementary::rug::{self, Assign};
use labrys_float::RoundingMode;
use rustc_hash::{FxHashSet, FxHasher};

use super::number::PreciseFloat;
use super::rounding::{self, Executions, Instruction, Rounding};
use crate::{FloatOperation, Place};

/// Numbers of arbitrary precision.
#[derive(Clone, Debug)]
pub struct Precise {
    /// Bits of every result's significand.
    pub precision: u32,
    /// What happened that makes results doubtful.
    pub marks: Marks,
    /// Which results are rounded as the program's are; none where the true values are wanted.
    pub rounding: Rounding,
    /// Sums that round where nothing else does, if an operand says that they are meant to ([`Twin::keep_purposeful_rounding`]).
    ///
    /// [`Twin::keep_purposeful_rounding`]: super::Twin::keep_purposeful_rounding
    pub(super) purposeful_sums: FxHashSet<Instruction>,
    /// Operations that round where nothing else does, whatever their operands are (`splits.rs`).
    pub(super) splittings: FxHashSet<Instruction>,
    /// What is executed, where somebody wants to know.
    pub executions: Option<Executions>,
    /// A hash of what the run decided: the edges that it took, comparisons, roundings to integers.
    pub control: u64,
    /// The same of the signs of the sums that it made: between runs that differ in it a sum cancels altogether.
    pub signs: u64,
    /// What elementary functions have cost so far, in microseconds of an ordinary machine; see [`super::cost`].
    pub(super) spent: u64,
}

/// Why the result of a run may not be the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// A float was made of bits that depend on the encoding of a value that is no float of its format.
    pub rounded_encoding: bool,
    /// A finite result was beyond 2^(2^30) or below 2^−(2^30), and became an infinity or a zero.
    pub beyond_exponents: bool,
    /// A nonzero operand of a sum was so small beside the other that nothing of it is left in the result, or a function
    /// took a value for one from which the true one differs by as little. What cancels the rest later would have shown it;
    /// more bits may.
    pub absorbed: bool,
    /// A comparison, a conversion to an integer or a look at an encoding hung on what a value's radius leaves open: the true run may
    /// have gone another way.
    pub undecided: bool,
}

impl Precise {
    /// A domain of numbers with `precision` bits.
    pub fn new(precision: u32) -> Precise {
        Precise {
            precision,
            marks: Marks::default(),
            rounding: Rounding::Nowhere,
            purposeful_sums: FxHashSet::default(),
            splittings: FxHashSet::default(),
            executions: None,
            control: 0,
            signs: 0,
            spent: 0,
        }
    }

    /// Forgets what happened, and computes with `precision` bits from now on, rounding what was rounded.
    pub fn restart(&mut self, precision: u32) {
        let rounding = std::mem::take(&mut self.rounding);
        let executions = self.executions.as_ref().map(|_| Executions::default());
        let purposeful_sums = std::mem::take(&mut self.purposeful_sums);
        let splittings = std::mem::take(&mut self.splittings);
        *self = Precise { rounding, executions, purposeful_sums, splittings, ..Precise::new(precision) };
    }

    /// A result as the run keeps it.
    pub(super) fn kept(&mut self, place: &Place, result: PreciseFloat) -> PreciseFloat {
        match &self.rounding {
            Rounding::WithoutLimits => rounding::rounded_without_limits(&result),
            rounding if rounding.applies_to(place) => rounding::rounded(&result),
            _ => result,
        }
    }

    /// Whether the program means this operation to round, so that its true result is a rounded one.
    pub(super) fn rounds_on_purpose(
        &self,
        place: &Place,
        operation: FloatOperation,
        operands: &[PreciseFloat],
    ) -> bool {
        let instruction = rounding::instruction_of(place);
        match (operation, operands) {
            (FloatOperation::Add | FloatOperation::Sub, [a, b]) if self.purposeful_sums.contains(&instruction) => {
                rounding::rounds_on_purpose(a, b) || rounding::rounds_on_purpose(b, a)
            }
            _ => self.splittings.contains(&instruction),
        }
    }

    /// Notes an operation.
    pub(super) fn note_execution(
        &mut self,
        place: &Place,
        operation: FloatOperation,
        operands: &[PreciseFloat],
        result: &PreciseFloat,
    ) {
        let Some(executions) = &mut self.executions else { return };
        let executed = executions.note(place, operation.operator());
        match (operation, operands) {
            (FloatOperation::Add | FloatOperation::Sub, [a, b]) => {
                executed.note_sum(a.value(), b.value(), result.value(), result.format());
            }
            (FloatOperation::Fma, [a, b, c]) => {
                let product = rug::Float::with_val(64, a.value() * b.value());
                executed.note_sum(&product, c.value(), result.value(), result.format());
            }
            _ => {}
        }
    }

    /// What a run of so many instructions may have cost, in microseconds.
    pub(super) fn work(&self, instructions: u64) -> u64 {
        // Measured: 0.15 µs an instruction at 256 bits, about 1 µs at 4,608.
        self.spent.saturating_add(instructions.saturating_mul(512 + u64::from(self.precision)) / 5120)
    }

    /// Notes a result that only the limits of MPFR's exponents made an infinity or a zero: infinite although no operand
    /// is and nothing was divided by zero, or zero although a product or quotient of nonzero numbers never is.
    pub(super) fn note_exponents(
        &mut self,
        operands: &[PreciseFloat],
        result: &rug::Float,
        has_pole: bool,
        has_zero: bool,
    ) {
        let finite = operands.iter().all(|operand| operand.value().is_finite());
        let nonzero = operands.iter().all(|operand| !operand.value().is_zero());
        let overflowed = result.is_infinite() && !has_pole;
        let vanished = result.is_zero() && !has_zero && nonzero;
        self.marks.beyond_exponents |= finite && (overflowed || vanished);
    }

    /// Notes a sum of numbers so far apart that the result has no bit of the smaller.
    pub(super) fn note_absorption(&mut self, a: Option<i32>, b: Option<i32>) {
        if let (Some(a), Some(b)) = (a, b) {
            self.marks.absorbed |= a.abs_diff(b) > self.precision;
        }
    }

    /// Notes a comparison whose outcome the operands' radii leave open.
    pub(super) fn note_comparison(&mut self, a: &PreciseFloat, b: &PreciseFloat) {
        let radius = a.radius().plus(b.radius());
        if !radius.is_zero() {
            let precision = a.value().prec().max(b.value().prec()) + 64;
            let apart = rug::Float::with_val(precision, a.value() - b.value());
            self.marks.undecided |= !radius.is_below(&apart);
        }
    }

    /// Rounds a number to an integral value; notes where its radius leaves that open.
    pub(super) fn decided_integral(
        &mut self,
        number: &PreciseFloat,
        value: &rug::Float,
        mode: RoundingMode,
    ) -> rug::Float {
        let integral = self.integral(value, mode);
        if !number.radius().is_zero() {
            let is_same = |end: &rug::Float| end.is_finite() && self.integral(end, mode) == integral;
            self.marks.undecided |= !number.ends().iter().all(is_same);
        }
        // Which step of a staircase it is decides as a branch does.
        self.control = hash(&(self.control, integral.to_f64().to_bits()));
        integral
    }

    /// Rounds a float to an integral value as `mode` says; exact.
    pub(super) fn integral(&self, value: &rug::Float, mode: RoundingMode) -> rug::Float {
        let mut result = rug::Float::new(value.prec() + 1);
        match mode {
            RoundingMode::NearestEven => result.assign(value.round_even_ref()),
            RoundingMode::NearestAway => result.assign(value.round_ref()),
            RoundingMode::TowardPositive => result.assign(value.ceil_ref()),
            RoundingMode::TowardNegative => result.assign(value.floor_ref()),
            RoundingMode::TowardZero => result.assign(value.trunc_ref()),
        }
        result
    }
}

/// A hash of decisions.
pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
