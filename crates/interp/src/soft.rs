//! The concrete domain: IEEE 754 in software, with status flags and the operations that raised them.

use labrys_elementary::Function;
use labrys_float::{Class, Environment, Flags, Float, Format, Rounded};
use labrys_program::{BlockId, FloatCall, FunctionId, LocationId};

use crate::value::WORD_BITS;
use crate::{
    ClassMask, Domain, FloatComparison, FloatOperation, Int, IntOperation, Never, Place, Stop, ToInteger, host, wide,
};

/// Concrete floats computed by [`labrys_float`].
#[derive(Clone, Debug)]
pub struct Soft {
    /// Rounding, tininess and the flush modes.
    pub environment: Environment,
    /// The exceptions that are worth an event.
    pub watched: Flags,
    /// How many events are kept; later ones only set flags.
    pub max_events: usize,
}

/// What a path raised.
#[derive(Clone, Debug, Default)]
pub struct SoftPath {
    /// Every exception raised so far.
    pub flags: Flags,
    /// The operations that raised a watched one, in order.
    pub events: Vec<SoftEvent>,
}

/// One operation that raised exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoftEvent {
    /// The exceptions.
    pub flags: Flags,
    /// The function of the program.
    pub function: FunctionId,
    /// Its block.
    pub block: BlockId,
    /// The instruction's position in the block.
    pub instruction: u32,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    /// The operation: `fadd`, `fdiv`, `fcmp`, `fconvert`, a library function's name.
    pub operator: &'static str,
}

impl Soft {
    /// The domain of an environment, recording the four notable exceptions.
    pub fn new(environment: Environment) -> Soft {
        Soft { environment, watched: Flags::NOTABLE, max_events: 1 << 16 }
    }

    fn raise(&self, path: &mut SoftPath, place: &Place, flags: Flags, operator: &'static str) {
        path.flags |= flags;
        if flags.intersects(self.watched) && path.events.len() < self.max_events {
            let Place { function, block, instruction, location, .. } = *place;
            let operator = if place.is_power { FloatCall::IntegerPower.operator() } else { operator };
            path.events.push(SoftEvent { flags, function, block, instruction, location, operator });
        }
    }

    /// x < y ? x : y or its mirror, as x86's SSE instructions do it: the second operand unless the first is strictly
    /// beyond it; invalid for any NaN.
    fn x86_extreme(&self, a: &Float, b: &Float, wanted: std::cmp::Ordering) -> Rounded {
        let (order, flags) = self.environment.compare_signaling(a, b);
        let value = if order == Some(wanted) { a.clone() } else { b.clone() };
        Rounded { value, flags }
    }

    /// minimumNumber and maximumNumber: a NaN operand is ignored, −0 < +0.
    fn number(&self, a: &Float, b: &Float, is_minimum: bool) -> Rounded {
        let flags = if a.is_signaling_nan() || b.is_signaling_nan() { Flags::INVALID } else { Flags::empty() };
        let value = match (a.is_nan(), b.is_nan()) {
            (true, true) => Float::nan(a.format()),
            (true, false) => b.clone(),
            (false, true) => a.clone(),
            (false, false) if is_minimum => self.environment.minimum(a, b).value,
            (false, false) => self.environment.maximum(a, b).value,
        };
        Rounded { value, flags }
    }

    /// A conversion to an integer: the result, whether it is poison, the flags. Out of range and not saturating, the
    /// result is what x86 gives, its "integer indefinite"; in LLVM's terms that is poison.
    pub fn convert_to_int<S>(&self, conversion: ToInteger, value: &Float) -> (Int<S>, bool, Flags) {
        let ToInteger { bits, signed, mode, saturating } = conversion;
        let mode = mode.unwrap_or(self.environment.rounding);
        let (int, flags) = self.environment.to_integer(value, mode, bits, signed);
        let flags = flags_of_instructions(bits, flags);
        match int {
            Some(int) => (wide::of_integer(bits, &int), false, flags),
            None if saturating => (saturated(value, bits, signed), false, flags),
            None => (Int::least(bits), true, flags),
        }
    }

    /// C's frexp. Exact: a fraction in [½, 1) is a normal number of every format.
    pub fn fraction_and_exponent(&self, value: &Float) -> (Float, i64) {
        match value.exponent() {
            Some(exponent) => (Environment::default().scale(value, -(exponent + 1)).value, exponent + 1),
            None if value.is_nan() => (Float::nan(value.format()), 0),
            None => (value.clone(), 0),
        }
    }

    /// The operation's result and flags.
    pub fn compute(&self, operation: FloatOperation, operands: &[Float]) -> Result<Rounded, Stop> {
        let environment = &self.environment;
        let quiet = |value: Float| Rounded { value, flags: Flags::empty() };
        Ok(match (operation, operands) {
            (FloatOperation::Add, [a, b]) => environment.add(a, b),
            (FloatOperation::Sub, [a, b]) => environment.sub(a, b),
            (FloatOperation::Mul, [a, b]) => environment.mul(a, b),
            (FloatOperation::Div, [a, b]) => environment.div(a, b),
            (FloatOperation::Rem, [a, b]) => environment.fmod(a, b),
            (FloatOperation::IeeeRemainder, [a, b]) => environment.ieee_remainder(a, b),
            (FloatOperation::Fma, [a, b, c]) => environment.fma(a, b, c),
            (FloatOperation::Sqrt, [a]) => environment.sqrt(a),
            (FloatOperation::Neg, [a]) => quiet(a.neg()),
            (FloatOperation::Abs, [a]) => quiet(a.abs()),
            (FloatOperation::CopySign, [a, b]) => quiet(a.copysign(b)),
            (FloatOperation::RoundToIntegral { mode, inexact }, [a]) => {
                environment.round_to_integral(a, mode.unwrap_or(environment.rounding), inexact)
            }
            (FloatOperation::Convert(format), [a]) => environment.convert(a, format),
            (FloatOperation::MinNum, [a, b]) => environment.min_num(a, b),
            (FloatOperation::MaxNum, [a, b]) => environment.max_num(a, b),
            (FloatOperation::Minimum, [a, b]) => environment.minimum(a, b),
            (FloatOperation::Maximum, [a, b]) => environment.maximum(a, b),
            (FloatOperation::MinimumNumber, [a, b]) => self.number(a, b, true),
            (FloatOperation::MaximumNumber, [a, b]) => self.number(a, b, false),
            (FloatOperation::X86Min, [a, b]) => self.x86_extreme(a, b, std::cmp::Ordering::Less),
            (FloatOperation::X86Max, [a, b]) => self.x86_extreme(a, b, std::cmp::Ordering::Greater),
            (FloatOperation::Canonicalize, [a]) => {
                let flags = if a.is_signaling_nan() { Flags::INVALID } else { Flags::empty() };
                let value = if a.is_nan() { Float::nan(a.format()) } else { a.clone() };
                Rounded { value, flags }
            }
            _ => return Err(Stop::unsupported("a float operation with these operands")),
        })
    }
}

/// The class of a float as a bit of [`ClassMask`].
pub fn class_of(value: &Float) -> ClassMask {
    match (value.class(), value.is_negative()) {
        (Class::Nan, _) if value.is_signaling_nan() => ClassMask::SIGNALING_NAN,
        (Class::Nan, _) => ClassMask::QUIET_NAN,
        (Class::Infinite, true) => ClassMask::NEGATIVE_INFINITY,
        (Class::Infinite, false) => ClassMask::POSITIVE_INFINITY,
        (Class::Zero, true) => ClassMask::NEGATIVE_ZERO,
        (Class::Zero, false) => ClassMask::POSITIVE_ZERO,
        (Class::Subnormal, true) => ClassMask::NEGATIVE_SUBNORMAL,
        (Class::Subnormal, false) => ClassMask::POSITIVE_SUBNORMAL,
        (Class::Normal, true) => ClassMask::NEGATIVE_NORMAL,
        (Class::Normal, false) => ClassMask::POSITIVE_NORMAL,
    }
}

impl Domain for Soft {
    type Float = Float;
    type Symbol = Never;
    type Path = SoftPath;

    fn float_constant(&mut self, value: &Float) -> Float {
        value.clone()
    }

    fn float_format(&self, value: &Float) -> Format {
        value.format()
    }

    fn float_operation(
        &mut self,
        path: &mut SoftPath,
        place: &Place,
        operation: FloatOperation,
        operands: &[Float],
    ) -> Result<Float, Stop> {
        let Rounded { value, flags } = self.compute(operation, operands)?;
        self.raise(path, place, flags, operation.operator());
        Ok(value)
    }

    fn float_compare(
        &mut self,
        path: &mut SoftPath,
        place: &Place,
        comparison: FloatComparison,
        lhs: &Float,
        rhs: &Float,
    ) -> Result<Int<Never>, Stop> {
        let (order, flags) = if comparison.signaling {
            self.environment.compare_signaling(lhs, rhs)
        } else {
            self.environment.compare_quiet(lhs, rhs)
        };
        self.raise(path, place, flags, "fcmp");
        let predicate = comparison.predicate;
        let holds = match order {
            Some(std::cmp::Ordering::Less) => predicate.less,
            Some(std::cmp::Ordering::Equal) => predicate.equal,
            Some(std::cmp::Ordering::Greater) => predicate.greater,
            None => predicate.unordered,
        };
        Ok(Int::bool(holds))
    }

    fn float_class(&mut self, value: &Float, mask: ClassMask) -> Int<Never> {
        Int::bool(mask.contains(class_of(value)))
    }

    fn float_to_int(
        &mut self,
        path: &mut SoftPath,
        place: &Place,
        conversion: ToInteger,
        value: &Float,
    ) -> Result<(Int<Never>, bool), Stop> {
        let (int, is_poison, flags) = self.convert_to_int(conversion, value);
        self.raise(path, place, flags, "fconvert");
        Ok((int, is_poison))
    }

    fn int_to_float(
        &mut self,
        path: &mut SoftPath,
        place: &Place,
        value: &Int<Never>,
        signed: bool,
        format: Format,
    ) -> Result<Float, Stop> {
        let int = value.known_integer(signed).unwrap_or_default();
        let bits = value.bits();
        let Rounded { value, flags } = self.environment.from_integer(&int, format);
        let flags = flags_of_instructions(bits, flags);
        self.raise(path, place, flags, "fconvert");
        Ok(value)
    }

    fn float_scale(
        &mut self,
        path: &mut SoftPath,
        place: &Place,
        value: &Float,
        exponent: &Int<Never>,
    ) -> Result<Float, Stop> {
        // Beyond a million every finite number overflows or vanishes in every format.
        let exponent = exponent.signed().unwrap_or_default().clamp(-1_000_000, 1_000_000) as i64;
        let Rounded { value: scaled, flags } = self.environment.scale(value, exponent);
        self.raise(path, place, flags, FloatCall::Scale.operator());
        Ok(scaled)
    }

    fn fraction_exponent(
        &mut self,
        path: &mut SoftPath,
        place: &Place,
        value: &Float,
    ) -> Result<(Float, Int<Never>), Stop> {
        if value.is_signaling_nan() {
            self.raise(path, place, Flags::INVALID, FloatCall::FractionExponent.operator());
        }
        let (fraction, exponent) = self.fraction_and_exponent(value);
        Ok((fraction, Int::new(32, exponent as u128)))
    }

    fn elementary(
        &mut self,
        path: &mut SoftPath,
        place: &Place,
        function: Function,
        operands: &[Float],
    ) -> Result<Float, Stop> {
        let Rounded { value, flags } = host::call(function, operands)?;
        self.raise(path, place, flags, function.name());
        Ok(value)
    }

    fn float_to_bits(&mut self, value: &Float) -> Int<Never> {
        Int::new(value.format().width(), value.to_u128().unwrap_or_default())
    }

    fn float_from_bits(&mut self, bits: &Int<Never>, format: Format) -> Float {
        Float::from_bits(format, bits.concrete().unwrap_or_default())
    }

    fn float_select(&mut self, condition: &Never, _: &Float, _: &Float) -> Float {
        match *condition {}
    }

    fn int_operation(&mut self, symbol: &Never, _: IntOperation, _: &[Int<Never>]) -> Int<Never> {
        match *symbol {}
    }

    fn known_value(&self, _: &SoftPath, symbol: &Never) -> Option<u128> {
        match *symbol {}
    }

    fn stride(&self, symbol: &Never) -> (u64, u64) {
        match *symbol {}
    }
}

/// The nearest integer of a width to a number out of its range; 0 for NaN.
pub fn saturated<S>(value: &Float, bits: u32, signed: bool) -> Int<S> {
    if value.is_nan() {
        return Int::new(bits, 0);
    }
    match (signed, value.is_negative()) {
        (true, true) => Int::least(bits),
        (true, false) => Int::greatest(bits),
        (false, true) => Int::new(bits, 0),
        (false, false) => Int::minus_one(bits),
    }
}

/// What a conversion between a float and an integer raises: code generation computes those of more than 128 bits without instructions for floats.
fn flags_of_instructions(bits: u32, flags: Flags) -> Flags {
    if bits > WORD_BITS { Flags::empty() } else { flags }
}
