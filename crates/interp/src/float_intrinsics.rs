//! Intrinsics on floats: elementwise operations, reductions, conversions, classification.

use labrys_float::RoundingMode;
use labrys_program::{Constant, Instruction, Operand};

use crate::float_call::INTEGER_POWER;
use crate::intrinsics::malformed;
use crate::machine::{HaltOf, ScalarOf, ValueOf, float_of, int_of};
use crate::{
    ClassMask, Domain, FloatOperation, Machine, Place, Scalar, ScalarKind, State, Stop, ToInteger, library, types,
};

const fn round(mode: Option<RoundingMode>, inexact: bool) -> FloatOperation {
    FloatOperation::RoundToIntegral { mode, inexact }
}

/// Intrinsics that are one operation, elementwise, with their operand counts.
const OPERATIONS: [(&str, usize, FloatOperation); 25] = [
    ("fma", 3, FloatOperation::Fma),
    ("sqrt", 1, FloatOperation::Sqrt),
    ("fabs", 1, FloatOperation::Abs),
    ("copysign", 2, FloatOperation::CopySign),
    ("minnum", 2, FloatOperation::MinNum),
    ("maxnum", 2, FloatOperation::MaxNum),
    ("minimum", 2, FloatOperation::Minimum),
    ("maximum", 2, FloatOperation::Maximum),
    ("minimumnum", 2, FloatOperation::MinimumNumber),
    ("maximumnum", 2, FloatOperation::MaximumNumber),
    ("floor", 1, round(Some(RoundingMode::TowardNegative), false)),
    ("ceil", 1, round(Some(RoundingMode::TowardPositive), false)),
    ("trunc", 1, round(Some(RoundingMode::TowardZero), false)),
    ("rint", 1, round(None, true)),
    ("nearbyint", 1, round(None, false)),
    ("round", 1, round(Some(RoundingMode::NearestAway), false)),
    ("roundeven", 1, round(Some(RoundingMode::NearestEven), false)),
    ("canonicalize", 1, FloatOperation::Canonicalize),
    ("fadd", 2, FloatOperation::Add),
    ("fsub", 2, FloatOperation::Sub),
    ("fmul", 2, FloatOperation::Mul),
    ("fdiv", 2, FloatOperation::Div),
    ("frem", 2, FloatOperation::Rem),
    ("x86.min", 2, FloatOperation::X86Min),
    ("x86.max", 2, FloatOperation::X86Max),
];

/// The name in [`OPERATIONS`] of an intrinsic: constrained operations are read in the default environment, x86's
/// packed minimum and maximum are two names for all widths.
pub(crate) fn plain_name(name: &str) -> &str {
    let name = name.strip_prefix("llvm.").unwrap_or(name);
    let name = name.strip_prefix("experimental.constrained.").unwrap_or(name);
    let is_packed = |name: &str| name.contains(".ps") || name.contains(".pd");
    match name.strip_prefix("x86.") {
        Some(rest) if rest.contains(".min.p") && is_packed(rest) => "x86.min",
        Some(rest) if rest.contains(".max.p") && is_packed(rest) => "x86.max",
        _ => name,
    }
}

/// The operation that an intrinsic is, with its operand count.
pub(crate) fn operation(plain: &str) -> Option<(usize, FloatOperation)> {
    OPERATIONS.iter().find(|(known, ..)| *known == plain).map(|(_, count, operation)| (*count, *operation))
}

/// How an intrinsic that gives integers rounds; `None` for the current mode.
pub(crate) fn integer_rounding(plain: &str) -> Option<RoundingMode> {
    match plain {
        "lrint" | "llrint" => None,
        "lround" | "llround" => Some(RoundingMode::NearestAway),
        _ => Some(RoundingMode::TowardZero),
    }
}

/// The operation of a reduction of floats.
pub(crate) fn reduction_operation(name: &str) -> Option<FloatOperation> {
    Some(match name.strip_prefix("llvm.vector.reduce.")? {
        "fadd" => FloatOperation::Add,
        "fmul" => FloatOperation::Mul,
        "fmin" => FloatOperation::MinNum,
        "fmax" => FloatOperation::MaxNum,
        "fminimum" => FloatOperation::Minimum,
        "fmaximum" => FloatOperation::Maximum,
        _ => return None,
    })
}

impl<D: Domain> Machine<'_, D> {
    /// Executes an intrinsic on floats; `None` if it is none.
    pub(crate) fn float_intrinsic(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        name: &str,
        operands: &[Operand],
    ) -> Result<Option<ValueOf<D>>, HaltOf<D>> {
        let plain = plain_name(name);
        if let Some((count, operation)) = operation(plain) {
            let values = self.values(state, operands, count)?;
            return self.operate_lanes(state, place, operation, &values).map(Some);
        }
        if let Some(function) = library::elementary(plain)
            && name != plain
        {
            let values = self.values(state, operands, function.arity)?;
            let mut result = ValueOf::<D>::new();
            for lane in 0..values.iter().map(|value| value.len()).min().unwrap_or(0) {
                let scalars: Vec<ScalarOf<D>> = values.iter().map(|value| value[lane].clone()).collect();
                result.push(self.elementary_call(state, &place.at_lane(lane), function, &scalars)?);
            }
            return Ok(Some(result));
        }
        Ok(Some(match plain {
            "fmuladd" => self.multiply_add(state, place, operands)?,
            "powi" => self.integer_power(state, place, operands)?,
            "ldexp" => self.scale_lanes(state, place, operands)?,
            "is.fpclass" => self.class_lanes(state, operands)?,
            "sincos" => {
                let values = self.values(state, operands, 1)?;
                let mut result = ValueOf::<D>::new();
                for name in ["sin", "cos"] {
                    let function = library::elementary(name).ok_or_else(|| malformed(name))?;
                    for (lane, scalar) in values[0].iter().enumerate() {
                        let scalar = std::slice::from_ref(scalar);
                        result.push(self.elementary_call(state, &place.at_lane(lane), function, scalar)?);
                    }
                }
                result
            }
            // A struct of fractions, then exponents.
            "frexp" => {
                let values = self.values(state, operands, 1)?;
                let (mut result, mut exponents) = (ValueOf::<D>::new(), ValueOf::<D>::new());
                for (lane, scalar) in values[0].iter().enumerate() {
                    let place = place.at_lane(lane);
                    let (fraction, exponent) =
                        self.domain.fraction_exponent(&mut state.path, &place, float_of(scalar)?)?;
                    result.push(Scalar::float(fraction).taint(scalar.tainted));
                    exponents.push(Scalar::int(exponent).taint(scalar.tainted));
                }
                result.extend(exponents);
                result
            }
            // A struct of fractions, then integral parts.
            "modf" => {
                let values = self.values(state, operands, 1)?;
                let (mut result, mut integrals) = (ValueOf::<D>::new(), ValueOf::<D>::new());
                for (lane, scalar) in values[0].iter().enumerate() {
                    let kind = ScalarKind::Float(self.domain.float_format(float_of(scalar)?));
                    let (fraction, integral) = self.split_number(state, &place.at_lane(lane), scalar, kind)?;
                    result.push(fraction);
                    integrals.push(integral);
                }
                result.extend(integrals);
                result
            }
            "lrint" | "llrint" | "lround" | "llround" | "fptosi.sat" | "fptoui.sat" | "fptosi" | "fptoui" => {
                self.integer_lanes(state, place, instruction, plain, operands)?
            }
            "sitofp" | "uitofp" => {
                let values = self.values(state, operands, 1)?;
                let kind = types::element_kind(&instruction.ty)?;
                let mut result = ValueOf::<D>::new();
                for (lane, scalar) in values[0].iter().enumerate() {
                    result.push(self.int_to_float(state, &place.at_lane(lane), scalar, plain == "sitofp", kind)?);
                }
                result
            }
            "fpext" | "fptrunc" => {
                let values = self.values(state, operands, 1)?;
                let format = crate::machine::format_of(types::element_kind(&instruction.ty)?)?;
                self.operate_lanes(state, place, FloatOperation::Convert(format), &values)?
            }
            _ => return Ok(None),
        }))
    }

    /// A call of a function without a model on scalars.
    pub(crate) fn elementary_call(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        function: &crate::Elementary,
        operands: &[ScalarOf<D>],
    ) -> Result<ScalarOf<D>, HaltOf<D>> {
        let tainted = operands.iter().any(|operand| operand.tainted);
        let place = Place { tainted: tainted | place.tainted, ..*place };
        let floats = operands.iter().map(|operand| float_of(operand).cloned()).collect::<Result<Vec<_>, Stop>>()?;
        let result = self.domain.elementary(&mut state.path, &place, function, &floats)?;
        Ok(Scalar::float(result).taint(tainted))
    }

    /// `llvm.fmuladd`: fused if the target has the instruction, else a product and a sum.
    fn multiply_add(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, 3)?;
        if self.function(place.function)?.features.fma {
            return self.operate_lanes(state, place, FloatOperation::Fma, &values);
        }
        let mut result = ValueOf::<D>::new();
        for (lane, ((a, b), c)) in values[0].iter().zip(&values[1]).zip(&values[2]).enumerate() {
            let place = place.at_lane(lane);
            let product = self.operate(state, &place, FloatOperation::Mul, &[a, b])?;
            result.push(self.operate(state, &place.at_part(1), FloatOperation::Add, &[&product, c])?);
        }
        Ok(result)
    }

    /// `llvm.powi`, multiplied out as compiler-rt's `__powidf2` does it: squares from the lowest bit on, the reciprocal
    /// last.
    fn integer_power(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, 2)?;
        let exponent = values[1].first().ok_or_else(|| malformed("llvm.powi"))?;
        if exponent.tainted {
            return Err(Stop::Undefined.into());
        }
        let int = int_of(exponent)?;
        let width = int.bits();
        let exponent = self.concrete(state, int, |_, _| {
            (0..=8).chain((1..=4u128).map(|n| n.wrapping_neg() & crate::value::mask(width))).collect()
        })?;
        let exponent = crate::value::sign_extended(width, exponent & crate::value::mask(width));
        let mut result = ValueOf::<D>::new();
        for (lane, base) in values[0].iter().enumerate() {
            let place = place.at_lane(lane).as_operator(INTEGER_POWER);
            let one = self.one_like(base)?;
            let (mut power, mut base, mut rest) = (one.clone(), base.clone(), exponent);
            let mut part = 0;
            loop {
                if rest & 1 != 0 {
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
            result.push(power);
        }
        Ok(result)
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
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, 2)?;
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
    fn class_lanes(&mut self, state: &mut State<D>, operands: &[Operand]) -> Result<ValueOf<D>, HaltOf<D>> {
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

    fn integer_lanes(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        name: &str,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let values = self.values(state, operands, 1)?;
        let ScalarKind::Int(bits) = types::element_kind(&instruction.ty)? else {
            return Err(malformed(name).into());
        };
        let mode = integer_rounding(name);
        let (signed, saturating) = (!name.starts_with("fptoui"), name.ends_with(".sat"));
        let conversion = ToInteger { bits, signed, mode, saturating };
        let mut result = ValueOf::<D>::new();
        for (lane, scalar) in values[0].iter().enumerate() {
            result.push(self.float_to_int(state, &place.at_lane(lane), conversion, scalar)?);
        }
        Ok(result)
    }

    /// `llvm.vector.reduce.*`: from the first lane to the last. Reassociable sums are taken in this order too, one of
    /// the orders that the flag allows.
    pub(crate) fn reduction(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        name: &str,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        let kind = name.trim_start_matches("llvm.vector.reduce.");
        let Some(operation) = reduction_operation(name) else {
            return self.int_reduction(state, kind, operands);
        };
        let has_start = matches!(kind, "fadd" | "fmul");
        let values = self.values(state, operands, if has_start { 2 } else { 1 })?;
        let lanes = values.last().ok_or_else(|| malformed(name))?;
        // −0 + x and 1 · x are x, exactly and without a flag; machine code does not compute them.
        let start = match operands.first() {
            Some(Operand::Constant(constant)) if has_start && is_neutral(kind, constant) => None,
            _ if has_start => values[0].first().cloned(),
            _ => None,
        };
        let mut all = start.into_iter().chain(lanes.iter().cloned());
        let mut result = all.next().ok_or_else(|| malformed(name))?;
        for (part, scalar) in all.enumerate() {
            result = self.operate(state, &place.at_part(part), operation, &[&result, &scalar])?;
        }
        Ok(crate::state::single(result))
    }
}

/// Whether a constant is the neutral element of a reduction.
fn is_neutral(kind: &str, constant: &Constant) -> bool {
    let Constant::Float(float) = constant else { return false };
    match kind {
        "fadd" => float.is_negative() && float.class() == labrys_float::Class::Zero,
        _ => {
            let one = labrys_float::Environment::default().from_integer(&1.into(), float.format());
            *float == one.value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stripped_to_operations() {
        assert_eq!(plain_name("llvm.experimental.constrained.fadd"), "fadd");
        assert_eq!(plain_name("llvm.x86.sse2.min.pd"), "x86.min");
        assert_eq!(plain_name("llvm.x86.avx.max.ps.256"), "x86.max");
        assert_eq!(plain_name("llvm.fma"), "fma");
    }
}
