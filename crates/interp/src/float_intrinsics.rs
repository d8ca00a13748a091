//! Intrinsics on floats: elementwise operations, reductions, conversions, classification.

use labrys_elementary::Function;
use labrys_float::Format;
use labrys_program::{Constant, FloatCall, Instruction, InstructionKind, Operand, reduction_steps};

use crate::intrinsics::malformed;
use crate::machine::{HaltOf, ScalarOf, ValueOf, float_of, int_of};
use crate::state::single;
use crate::{
    ClassMask, Datum, Domain, FloatOperation, Machine, Place, Scalar, ScalarKind, State, Stop, ToInteger, bits, types,
};

/// How the names of intrinsics begin that C's FENV_ACCESS has in the place of others.
const STRICT: &str = "llvm.experimental.constrained.";

impl<D: Domain> Machine<'_, D> {
    /// Executes an intrinsic on floats.
    pub(crate) fn float_intrinsic(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        (name, call): (&str, FloatCall),
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        if let FloatCall::Reduction(operation) = call {
            return self.reduction(state, place, (name, operation), operands);
        }
        let values = self.values(state, operands, call.arity())?;
        match values.first() {
            Some(value)
                if matches!(call, FloatCall::ToInteger { .. } | FloatCall::FromInteger { .. }) && value.len() > 1 =>
            {
                self.refuse_watched(state, "conversions of vectors")?;
            }
            Some(value) => self.refuse_padded(state, value)?,
            None => {}
        }
        Ok(match call {
            FloatCall::Operation(operation) => {
                let place = self.place_of_strict(place, name, operation)?;
                self.operate_lanes(state, &place, operation, &values)?
            }
            FloatCall::Elementary(function) => self.elementary_lanes(state, place, function, &values)?,
            FloatCall::SineCosine => {
                let mut result = self.elementary_lanes(state, place, Function::Sin, &values)?;
                result.extend(self.elementary_lanes(state, place, Function::Cos, &values)?);
                result
            }
            FloatCall::MultiplyAdd => {
                let is_strict = name.starts_with(STRICT);
                self.multiply_add(state, place, operands, &values, is_strict)?
            }
            FloatCall::IntegerPower => self.integer_power(state, place, &values)?,
            FloatCall::Scale => self.scale_lanes(state, place, &values)?,
            FloatCall::FractionExponent => self.fraction_exponent_lanes(state, place, &values[0])?,
            FloatCall::FractionIntegral => self.fraction_integral_lanes(state, place, &values[0])?,
            FloatCall::ToInteger { signed, mode, saturating } => {
                let ScalarKind::Int(bits) = types::element_kind(&instruction.ty)? else {
                    return Err(malformed(name).into());
                };
                let wide = call.converted_bits(bits);
                let conversion = ToInteger { bits: wide, signed, mode, saturating };
                let mut result = ValueOf::<D>::new();
                for (lane, scalar) in values[0].iter().enumerate() {
                    let mut converted = self.float_to_int(state, &place.at_lane(lane), conversion, scalar)?;
                    if wide > bits {
                        let lowest = bits::zero_extend(&mut self.domain, int_of(&converted)?, bits);
                        converted = Scalar { datum: Datum::Int(lowest), ..converted };
                    }
                    result.push(converted);
                }
                result
            }
            FloatCall::FromInteger { signed } => {
                let kind = types::element_kind(&instruction.ty)?;
                let mut result = ValueOf::<D>::new();
                for (lane, scalar) in values[0].iter().enumerate() {
                    result.push(self.int_to_float(state, &place.at_lane(lane), scalar, signed, kind)?);
                }
                result
            }
            FloatCall::Convert => {
                let format = crate::machine::format_of(types::element_kind(&instruction.ty)?)?;
                self.operate_lanes(state, place, FloatOperation::Convert(format), &values)?
            }
            FloatCall::PositiveDifference | FloatCall::Reduction(_) => return Err(malformed(name).into()),
        })
    }

    /// Where an operation is executed: constrained minima and maxima are functions of libm, of which C's are modelled as such.
    fn place_of_strict(&self, place: &Place, name: &str, operation: FloatOperation) -> Result<Place, Stop> {
        match operation {
            _ if !self.checks.accesses || !name.starts_with(STRICT) => Ok(*place),
            FloatOperation::MinNum | FloatOperation::MaxNum => Ok(place.in_library()),
            FloatOperation::Minimum | FloatOperation::Maximum => {
                Err(Stop::unsupported("C23's minima and maxima where the environment is accessed"))
            }
            _ => Ok(*place),
        }
    }

    fn elementary_lanes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        function: Function,
        values: &[ValueOf<D>],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let mut result = ValueOf::<D>::new();
        for lane in 0..values.iter().map(|value| value.len()).min().unwrap_or(0) {
            let scalars: Vec<ScalarOf<D>> = values.iter().map(|value| value[lane].clone()).collect();
            result.push(self.elementary_call(state, &place.at_lane(lane), function, &scalars)?);
        }
        Ok(result)
    }

    /// A struct of fractions, then exponents.
    fn fraction_exponent_lanes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        value: &ValueOf<D>,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let (mut result, mut exponents) = (ValueOf::<D>::new(), ValueOf::<D>::new());
        for (lane, scalar) in value.iter().enumerate() {
            let place = place.at_lane(lane);
            let (fraction, exponent) = self.domain.fraction_exponent(&mut state.path, &place, float_of(scalar)?)?;
            result.push(Scalar::float(fraction).taint(scalar.tainted));
            exponents.push(Scalar::int(exponent).taint(scalar.tainted));
        }
        result.extend(exponents);
        Ok(result)
    }

    /// A struct of fractions, then integral parts.
    fn fraction_integral_lanes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        value: &ValueOf<D>,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let (mut result, mut integrals) = (ValueOf::<D>::new(), ValueOf::<D>::new());
        for (lane, scalar) in value.iter().enumerate() {
            let kind = ScalarKind::Float(self.domain.float_format(float_of(scalar)?));
            let (fraction, integral) = self.split_number(state, &place.at_lane(lane), scalar, kind)?;
            result.push(fraction);
            integrals.push(integral);
        }
        result.extend(integrals);
        Ok(result)
    }

    /// A call of an elementary function on scalars.
    pub(crate) fn elementary_call(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        function: Function,
        operands: &[ScalarOf<D>],
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let tainted = operands.iter().any(|operand| operand.tainted);
        let place = Place { tainted: tainted | place.tainted, ..*place };
        let floats = operands.iter().map(|operand| float_of(operand).cloned()).collect::<Result<Vec<_>, Stop>>()?;
        let result = match self.domain.elementary(&mut state.path, &place, function, &floats) {
            Ok(result) => result,
            Err(refused) => {
                let floats = self.regular(state, &floats, refused)?;
                self.domain.elementary(&mut state.path, &place, function, &floats)?
            }
        };
        Ok(Scalar::float(result).taint(tainted))
    }

    /// `llvm.fmuladd`: fused if the target has the instruction, else a product and a sum. Where a program is executed as its machine code is
    /// (checks of accesses), a difference on the x87 unit is one, though the IR negates an operand: code generation takes both together there,
    /// and rounding to one side tells. Constrained ones are left as they are.
    fn multiply_add(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[Operand],
        values: &[ValueOf<D>],
        is_strict: bool,
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        if self.function(place.function)?.features.fma {
            return self.operate_lanes(state, place, FloatOperation::Fma, values);
        }
        if let ([a], [b], [c]) = (&values[0][..], &values[1][..], &values[2][..])
            && self.checks.accesses
            && !is_strict
            && self.domain.float_format(float_of(c)?) == Format::X87
        {
            let (factor, addend) = (self.unnegated(place, &operands[0])?, self.unnegated(place, &operands[2])?);
            let factor = factor.map(|operand| self.scalar(state, &operand)).transpose()?;
            let addend = addend.map(|operand| self.scalar(state, &operand)).transpose()?;
            let first = if addend.is_none() { factor.as_ref().unwrap_or(a) } else { a };
            let product = self.operate(state, place, FloatOperation::Mul, &[first, b])?;
            let (operation, sum) = match (&factor, &addend) {
                (_, Some(addend)) => (FloatOperation::Sub, [&product, addend]),
                (Some(_), None) => (FloatOperation::Sub, [c, &product]),
                (None, None) => (FloatOperation::Add, [&product, c]),
            };
            return Ok(single(self.operate(state, &place.at_part(1), operation, &sum)?));
        }
        let mut result = ValueOf::<D>::new();
        for (lane, ((a, b), c)) in values[0].iter().zip(&values[1]).zip(&values[2]).enumerate() {
            let place = place.at_lane(lane);
            let product = self.operate(state, &place, FloatOperation::Mul, &[a, b])?;
            result.push(self.operate(state, &place.at_part(1), FloatOperation::Add, &[&product, c])?);
        }
        Ok(result)
    }

    /// What an operand of the instruction at a place is the negative of, where the block says so shortly before.
    fn unnegated(&self, place: &Place, operand: &Operand) -> Result<Option<Operand>, Stop> {
        const NEAR: usize = 8;
        let Operand::Value(value) = operand else { return Ok(None) };
        let instructions = &self.function(place.function)?.blocks[place.block.index()].instructions;
        let before = instructions[..place.instruction as usize].iter().rev().take(NEAR);
        Ok(before.into_iter().find(|candidate| candidate.result == Some(*value)).and_then(|found| match &found.kind {
            InstructionKind::FloatNegate(operand) => Some(operand.clone()),
            _ => None,
        }))
    }

    /// `llvm.powi`, elementwise.
    fn integer_power(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        values: &[ValueOf<D>],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let exponent = values[1].first().ok_or_else(|| malformed("llvm.powi"))?;
        let exponent = self.known_exponent(state, exponent)?;
        let mut result = ValueOf::<D>::new();
        for (lane, base) in values[0].iter().enumerate() {
            result.push(self.power(state, &place.at_lane(lane), base, exponent)?);
        }
        Ok(result)
    }

    /// The exponent of a power, which must be known.
    pub(crate) fn known_exponent(&mut self, state: &State<D>, exponent: &ScalarOf<D>) -> Result<i128, HaltOf<D>> {
        if exponent.tainted {
            return Err(Stop::Undefined.into());
        }
        let int = int_of(exponent)?;
        let width = int.bits();
        let exponent = self.concrete(state, int, |_, _| {
            (0..=8).chain((1..=4u128).map(|n| n.wrapping_neg() & crate::value::mask(width))).collect()
        })?;
        Ok(crate::value::sign_extended(width, exponent & crate::value::mask(width)))
    }

    /// A power by an integer, multiplied out as compiler-rt's and libgcc's `__powidf2` do it: squares from the lowest bit on, the
    /// reciprocal last.
    pub(crate) fn power(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        base: &ScalarOf<D>,
        exponent: i128,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let place = place.in_power();
        let one = self.one_like(base)?;
        let (mut power, mut base, mut rest) = (one.clone(), base.clone(), exponent);
        let mut part = 0;
        loop {
            if rest & 1 != 0 && part == 0 && self.checks.accesses {
                // libgcc begins with the base, which matters to a signaling NaN.
                power = base.clone();
            } else if rest & 1 != 0 {
                power = self.operate(state, &place.at_part(part), FloatOperation::Mul, &[&power, &base])?;
                part += 1;
            }
            rest /= 2;
            if rest == 0 {
                break;
            }
            base = self.operate(state, &place.at_part(part), FloatOperation::Mul, &[&base, &base])?;
            part += 1;
        }
        if exponent < 0 {
            power = self.operate(state, &place.at_part(part), FloatOperation::Div, &[&one, &power])?;
        }
        Ok(power)
    }

    /// 1 in the format of a scalar.
    fn one_like(&mut self, scalar: &ScalarOf<D>) -> Result<ScalarOf<D>, Stop> {
        let format = self.domain.float_format(float_of(scalar)?);
        let environment = labrys_float::Environment::default();
        let one = environment.from_integer(&1.into(), format).value;
        Ok(Scalar::float(self.domain.float_constant(&one)))
    }

    /// `llvm.ldexp`, elementwise.
    fn scale_lanes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        values: &[ValueOf<D>],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let mut result = ValueOf::<D>::new();
        for (lane, scalar) in values[0].iter().enumerate() {
            let exponent = values[1].get(lane).or(values[1].first()).ok_or_else(|| malformed("llvm.ldexp"))?;
            result.push(self.scale(state, &place.at_lane(lane), scalar, exponent)?);
        }
        Ok(result)
    }

    /// x · 2^n.
    pub(crate) fn scale(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        scalar: &ScalarOf<D>,
        exponent: &ScalarOf<D>,
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let tainted = scalar.tainted | exponent.tainted;
        let place = Place { tainted: tainted | place.tainted, ..*place };
        let value = self.domain.float_scale(&mut state.path, &place, float_of(scalar)?, int_of(exponent)?)?;
        Ok(Scalar::float(value).taint(tainted))
    }

    /// `llvm.is.fpclass`, elementwise.
    pub(crate) fn class_lanes(&mut self, state: &mut State<D>, operands: &[Operand]) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, 2)?;
        let mask = values[1].first().ok_or_else(|| malformed("llvm.is.fpclass"))?;
        let mask = int_of(mask)?.concrete().unwrap_or_default() as u32;
        values[0].iter().map(|scalar| Ok(self.classify(scalar, ClassMask::from_bits_truncate(mask))?)).collect()
    }

    /// Whether a scalar is of one of the classes: one bit.
    pub(crate) fn classify(&mut self, scalar: &ScalarOf<D>, mask: ClassMask) -> Result<ScalarOf<D>, Stop> {
        let bit = self.domain.float_class(float_of(scalar)?, mask);
        Ok(Scalar::int(bit).taint(scalar.tainted))
    }

    /// `llvm.vector.reduce.*`, in the order of [`reduction_steps`].
    fn reduction(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        (name, operation): (&str, FloatOperation),
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let count = FloatCall::Reduction(operation).arity();
        let has_start = count == 2;
        let values = self.values(state, operands, count)?;
        let lanes = values.last().ok_or_else(|| malformed(name))?;
        // −0 + x and 1 · x are x, exactly and without a flag; machine code does not compute them.
        let start = match operands.first() {
            Some(Operand::Constant(constant)) if has_start && is_neutral(operation, constant) => None,
            _ if has_start => values[0].first().cloned(),
            _ => None,
        };
        let steps = reduction_steps(lanes.len(), start.is_some(), place.fast_math.allow_reassociation);
        let mut all: Vec<ScalarOf<D>> = start.into_iter().chain(lanes.iter().cloned()).collect();
        for (part, (into, other)) in steps.into_iter().enumerate() {
            all[into] = self.operate(state, &place.at_part(part), operation, &[&all[into], &all[other]])?;
        }
        Ok(crate::state::single(all.into_iter().next().ok_or_else(|| malformed(name))?))
    }
}

/// Whether a constant is the neutral element of a reduction.
fn is_neutral(operation: FloatOperation, constant: &Constant) -> bool {
    let Constant::Float(float) = constant else { return false };
    match operation {
        FloatOperation::Add => float.is_negative() && float.class() == labrys_float::Class::Zero,
        _ => {
            let one = labrys_float::Environment::default().from_integer(&1.into(), float.format());
            *float == one.value
        }
    }
}
