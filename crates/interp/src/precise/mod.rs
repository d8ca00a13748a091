//! The arbitrary-precision twin of an execution: the same operations on MPFR's numbers.
//!
//! After Barr, Vo, Le, Su, "Automatic Detection of Floating-Point Exceptions" (POPL 2013), section 6.4: the function is
//! re-executed in arbitrary precision with the same input, and what it then returns is what it should have returned.
//!
//! # What is true
//!
//! Every float operation is computed with [`Precise::precision`] bits and exponents up to 2^30; conversions between
//! formats change nothing. The twin follows *its own* control flow: comparisons compare true values, so that a branch
//! that catches an overflow is not taken where there is none. Integers and pointers are the machine's, exactly as
//! wide as the program has them; a true value that is converted to an integer is rounded as the program says.
//!
//! So the twin tells what the program's own formulas give without rounding and without limits of range. It does not tell
//! what mathematics says that the function should be: a truncated series stays truncated, a loop that stops at machine
//! epsilon stops there. Code that works *by* rounding (adding and subtracting 1.5·2^52, error-free transformations) means
//! something else without it.
//!
//! # Where it is at its end
//!
//! # What is certain
//!
//! Every number carries a radius around it in which the true value lies (`bounds.rs` has the argument): rounding to the precision adds to
//! it, operations spread it. Where no decision of the run hung on what a radius leaves open, the outputs' radii are proved bounds;
//! an output whose radius is zero is exact.
//!
//! [`Marks`] say what a caller must distrust: a float was made of the bits of a value that no float equals, or a value
//! left the exponents of MPFR. What cannot be done at all ends the run with a [`Stop`].

mod bounds;
mod cost;
mod encoding;
mod number;
mod operation;
mod radius;
mod rounding;
mod twin;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use labrys_elementary::rug::float::Round;
use labrys_elementary::rug::{self, Assign};
use labrys_elementary::{Function, to_precise};
use labrys_float::{Float, Format, RoundingMode};
use labrys_program::{BlockId, FunctionId};
use rustc_hash::FxHasher;

pub use encoding::Encoding;
pub use number::PreciseFloat;
pub use radius::Radius;
pub use rounding::{Executed, Executions, Instruction, Rounding};
pub use twin::{PreciseExecution, Twin, datum_of};

use crate::{ClassMask, Domain, FloatComparison, FloatOperation, Int, IntOperation, Place, Stop, ToInteger, bits};

/// Exponents from which on periodic functions are not evaluated: reducing their arguments needs as many bits.
const MAX_PERIODIC_EXPONENT: i32 = 1 << 16;

/// Binary exponents that remainders may bridge.
const MAX_REMAINDER_BITS: i64 = 1 << 20;

/// Numbers of arbitrary precision.
#[derive(Clone, Debug)]
pub struct Precise {
    /// Bits of every result's significand.
    pub precision: u32,
    /// What happened that makes results doubtful.
    pub marks: Marks,
    /// Which results are rounded as the program's are; none where the true values are wanted.
    pub rounding: Rounding,
    /// Whether sums that are meant to round are rounded where nothing else is.
    pub keeps_purposeful_rounding: bool,
    /// What is executed, where somebody wants to know.
    pub executions: Option<Executions>,
    /// A hash of what the run decided: the edges that it took, comparisons, roundings to integers.
    pub control: u64,
    /// The same of the signs of the sums that it made: between runs that differ in it a sum cancels altogether.
    pub signs: u64,
    /// What elementary functions have cost so far, in microseconds of an ordinary machine; see [`cost`].
    spent: u64,
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
            keeps_purposeful_rounding: false,
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
        let keeps_purposeful_rounding = self.keeps_purposeful_rounding;
        *self = Precise { rounding, executions, keeps_purposeful_rounding, ..Precise::new(precision) };
    }

    /// A result as the run keeps it.
    fn kept(&mut self, place: &Place, result: PreciseFloat) -> PreciseFloat {
        if self.rounding.applies_to(place) { rounding::rounded(&result) } else { result }
    }

    /// Notes an operation.
    fn note_execution(
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
    fn work(&self, instructions: u64) -> u64 {
        // Measured: 0.15 µs an instruction at 256 bits, about 1 µs at 4,608.
        self.spent.saturating_add(instructions.saturating_mul(512 + u64::from(self.precision)) / 5120)
    }

    /// Notes a result that only the limits of MPFR's exponents made an infinity or a zero: infinite although no operand
    /// is and nothing was divided by zero, or zero although a product or quotient of nonzero numbers never is.
    fn note_exponents(&mut self, operands: &[PreciseFloat], result: &rug::Float, has_pole: bool, has_zero: bool) {
        let finite = operands.iter().all(|operand| operand.value().is_finite());
        let nonzero = operands.iter().all(|operand| !operand.value().is_zero());
        let overflowed = result.is_infinite() && !has_pole;
        let vanished = result.is_zero() && !has_zero && nonzero;
        self.marks.beyond_exponents |= finite && (overflowed || vanished);
    }

    /// Notes a sum of numbers so far apart that the result has no bit of the smaller.
    fn note_absorption(&mut self, a: Option<i32>, b: Option<i32>) {
        if let (Some(a), Some(b)) = (a, b) {
            self.marks.absorbed |= a.abs_diff(b) > self.precision;
        }
    }

    /// Notes a comparison whose outcome the operands' radii leave open.
    fn note_comparison(&mut self, a: &PreciseFloat, b: &PreciseFloat) {
        let radius = a.radius().plus(b.radius());
        if !radius.is_zero() {
            let precision = a.value().prec().max(b.value().prec()) + 64;
            let apart = rug::Float::with_val(precision, a.value() - b.value());
            self.marks.undecided |= !radius.is_below(&apart);
        }
    }

    /// Rounds a number to an integral value; notes where its radius leaves that open.
    fn decided_integral(&mut self, number: &PreciseFloat, value: &rug::Float, mode: RoundingMode) -> rug::Float {
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
    fn integral(&self, value: &rug::Float, mode: RoundingMode) -> rug::Float {
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

/// Whether values at some finite arguments are infinite.
fn has_pole(function: Function) -> bool {
    use Function::*;
    matches!(function, Log | Log2 | Log10 | Log1p | Logb | Atanh | Tgamma | Lgamma | Pow | Y0 | Y1)
}

/// Whether values are positive wherever they are defined (of `pow` at positive bases), however small.
fn is_never_zero(function: Function) -> bool {
    use Function::*;
    matches!(function, Exp | Exp2 | Exp10 | Pow | Erfc | Tgamma)
}

/// Whether arguments are reduced by multiples of π, at least some.
fn is_periodic(function: Function) -> bool {
    use Function::*;
    matches!(function, Sin | Cos | Tan | Tgamma | Lgamma | J0 | J1 | Y0 | Y1)
}

impl Domain for Precise {
    type Float = PreciseFloat;
    type Symbol = Encoding;
    type Path = ();

    fn float_constant(&mut self, value: &Float) -> PreciseFloat {
        PreciseFloat::exact(value)
    }

    fn float_format(&self, value: &PreciseFloat) -> Format {
        value.format()
    }

    fn float_operation(
        &mut self,
        _: &mut (),
        place: &Place,
        operation: FloatOperation,
        operands: &[PreciseFloat],
    ) -> Result<PreciseFloat, Stop> {
        let result = self.compute(operation, operands)?;
        if matches!(operation, FloatOperation::Add | FloatOperation::Sub | FloatOperation::Fma) {
            self.signs = hash(&(self.signs, result.value().is_sign_negative()));
        }
        self.note_execution(place, operation, operands, &result);
        if self.keeps_purposeful_rounding
            && let (FloatOperation::Add | FloatOperation::Sub, [a, b]) = (operation, operands)
            && (rounding::rounds_on_purpose(a, b) || rounding::rounds_on_purpose(b, a))
        {
            self.marks.undecided |= !result.rounds_alike();
            return Ok(rounding::rounded(&result));
        }
        Ok(self.kept(place, result))
    }

    fn float_compare(
        &mut self,
        _: &mut (),
        _: &Place,
        comparison: FloatComparison,
        lhs: &PreciseFloat,
        rhs: &PreciseFloat,
    ) -> Result<Int<Encoding>, Stop> {
        let predicate = comparison.predicate;
        self.note_comparison(lhs, rhs);
        let outcome = match lhs.value().partial_cmp(rhs.value()) {
            Some(Ordering::Less) => predicate.less,
            Some(Ordering::Equal) => predicate.equal,
            Some(Ordering::Greater) => predicate.greater,
            None => predicate.unordered,
        };
        self.control = hash(&(self.control, outcome));
        Ok(Int::bool(outcome))
    }

    fn float_class(&mut self, value: &PreciseFloat, mask: ClassMask) -> Int<Encoding> {
        let smallest = to_precise(&Float::min_normal(value.format()));
        let is_decided = value.has_sign() && value.is_apart_from(&smallest) && value.is_apart_from(&-smallest);
        self.marks.undecided |= !is_decided;
        Int::bool(mask.contains(value.class()))
    }

    fn float_to_int(
        &mut self,
        _: &mut (),
        _: &Place,
        conversion: ToInteger,
        value: &PreciseFloat,
    ) -> Result<(Int<Encoding>, bool), Stop> {
        let ToInteger { bits, signed, mode, saturating } = conversion;
        let number = value.value();
        let in_reach = number.is_finite() && number.get_exp().is_none_or(|exponent| exponent <= 130);
        let int = in_reach
            .then(|| self.decided_integral(value, number, mode.unwrap_or_default()))
            .and_then(|integral| integral.to_integer())
            .filter(|int| fits(int, bits, signed));
        Ok(match int {
            Some(int) => (Int::new(bits, int.to_u128_wrapping()), false),
            None if saturating => (Int::new(bits, crate::saturated(&value.nearest().value, bits, signed)), false),
            None => (Int::new(bits, 1 << (bits - 1)), true),
        })
    }

    fn int_to_float(
        &mut self,
        _: &mut (),
        place: &Place,
        value: &Int<Encoding>,
        signed: bool,
        format: Format,
    ) -> Result<PreciseFloat, Stop> {
        let value = known(value);
        let number = if signed {
            rug::Float::with_val(128, value.signed().unwrap_or_default())
        } else {
            rug::Float::with_val(128, value.concrete().unwrap_or_default())
        };
        Ok(self.kept(place, PreciseFloat::new(number, format)))
    }

    fn float_scale(
        &mut self,
        _: &mut (),
        place: &Place,
        value: &PreciseFloat,
        exponent: &Int<Encoding>,
    ) -> Result<PreciseFloat, Stop> {
        // As far as MPFR's exponents go, from the smallest number to the largest.
        let exponent = known(exponent).signed().unwrap_or_default().clamp(-(1 << 30), 1 << 30) as i32;
        let result = value.value().clone() << exponent;
        self.note_exponents(std::slice::from_ref(value), &result, false, false);
        let radius = value.radius().shifted(i64::from(exponent));
        Ok(self.kept(place, PreciseFloat::within(result, radius, value.format())))
    }

    fn fraction_exponent(
        &mut self,
        _: &mut (),
        _: &Place,
        value: &PreciseFloat,
    ) -> Result<(PreciseFloat, Int<Encoding>), Stop> {
        let exponent = value.value().get_exp().unwrap_or_default();
        let binade = rug::Float::with_val(2, 1) << exponent;
        let is_decided = [binade.clone() >> 1, binade]
            .iter()
            .all(|end| value.is_apart_from(end) && value.is_apart_from(&rug::Float::with_val(2, -end)));
        self.marks.undecided |= !(is_decided && value.has_sign());
        let radius = value.radius().shifted(-i64::from(exponent));
        let fraction = PreciseFloat::within(value.value().clone() >> exponent, radius, value.format());
        Ok((fraction, Int::new(32, exponent as u128)))
    }

    fn elementary(
        &mut self,
        _: &mut (),
        place: &Place,
        function: Function,
        operands: &[PreciseFloat],
    ) -> Result<PreciseFloat, Stop> {
        let name = function.name();
        let Some(first) = operands.first().filter(|_| operands.len() == function.arity()) else {
            return Err(Stop::unsupported(format!("{name} in arbitrary precision")));
        };
        self.spent += cost::of(function, first.value(), self.precision);
        if self.spent > cost::LIMIT {
            return Err(Stop::unsupported("elementary functions that take too long in arbitrary precision"));
        }
        let exponent = first.value().get_exp().unwrap_or_default();
        if exponent > MAX_PERIODIC_EXPONENT && is_periodic(function) {
            return Err(Stop::unsupported(format!("{name} of a number beyond 2^{MAX_PERIODIC_EXPONENT}")));
        }
        let values: Vec<rug::Float> = operands.iter().map(|operand| operand.value().clone()).collect();
        let (result, order) = function.rounded(&values, self.precision, Round::Nearest);
        self.note_exponents(operands, &result, has_pole(function), !is_never_zero(function));
        // cos, exp, erf, ... near their limits.
        let is_limit = result == 1u32 || result == -1i32 || result == 2u32;
        self.marks.absorbed |= is_limit && operands.iter().all(|operand| !operand.value().is_zero());
        let radius = bounds::of_function(function, operands, &result, order == Ordering::Equal);
        if let Some(executions) = &mut self.executions {
            executions.note(place, name);
        }
        Ok(self.kept(place, PreciseFloat::within(result, radius, first.format())))
    }

    fn float_to_bits(&mut self, value: &PreciseFloat) -> Int<Encoding> {
        let nearest = value.nearest().value;
        let width = value.format().width();
        let bits = nearest.to_u128().unwrap_or_default();
        // The integer is that of the value as it was computed; whoever makes a float of it has an exact one.
        let is_exact = value.radius().is_zero();
        self.marks.undecided |= !value.rounds_alike() || (!is_exact && value.equals(&nearest));
        if nearest.is_nan() || value.equals(&nearest) {
            Int::new(width, bits)
        } else {
            Int::symbolic(width, Encoding::of(value, bits))
        }
    }

    fn float_from_bits(&mut self, bits: &Int<Encoding>, format: Format) -> PreciseFloat {
        let encoding = bits.symbol();
        if let Some(copied) = encoding.and_then(|encoding| encoding.copied(format)) {
            return copied.clone();
        }
        self.marks.rounded_encoding |= encoding.is_some();
        PreciseFloat::exact(&Float::from_bits(format, known(bits).concrete().unwrap_or_default()))
    }

    fn float_select(&mut self, condition: &Encoding, if_true: &PreciseFloat, if_false: &PreciseFloat) -> PreciseFloat {
        if condition.value() != 0 { if_true.clone() } else { if_false.clone() }
    }

    fn int_operation(&mut self, _: &Encoding, operation: IntOperation, operands: &[Int<Encoding>]) -> Int<Encoding> {
        if let (IntOperation::Select, [condition, if_true, if_false]) = (operation, operands) {
            return if known(condition).concrete() == Some(0) { if_false.clone() } else { if_true.clone() };
        }
        let operands: Vec<Int<Encoding>> = operands.iter().map(known).collect();
        // Divisions come here only after the machine has asked whether they trap.
        let result = bits::evaluate(operation, &operands).unwrap_or_else(|| operands[0].clone());
        match operation {
            // A truth value decides; no float is made of it.
            IntOperation::Compare(_) => result,
            _ => Int::symbolic(result.bits(), Encoding::derived(result.concrete().unwrap_or_default())),
        }
    }

    fn known_value(&self, (): &(), symbol: &Encoding) -> Option<u128> {
        Some(symbol.value())
    }

    fn stride(&self, _: &Encoding) -> (u64, u64) {
        (1, 0)
    }

    fn edge(&mut self, (): &mut (), function: FunctionId, _: usize, from: BlockId, to: BlockId) -> Result<(), Stop> {
        self.control = hash(&(self.control, function, from, to));
        Ok(())
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The same integer, its value known.
fn known(int: &Int<Encoding>) -> Int<Encoding> {
    match int.symbol() {
        Some(symbol) => Int::new(int.bits(), symbol.value()),
        None => int.clone(),
    }
}

/// Whether an integer is in the range of a type.
fn fits(int: &rug::Integer, bits: u32, signed: bool) -> bool {
    match (signed, int.cmp0()) {
        (false, Ordering::Less) => false,
        (false, _) => int.significant_bits() <= bits,
        // In two's complement, a sign bit included.
        (true, _) => int.signed_bits() <= bits,
    }
}
