//! Operations on floats as terms.
//!
//! An operation of the processor is one operator in the path's rounding mode; signs are choices among their operands, so that
//! encodings follow ([`super::encoding`]), as are minima and maxima ([`super::extremes`]).

use labrys_float::{Float, Format, RoundingMode};
use labrys_interp::{FloatOperation, Stop};
use labrys_symex::int_terms::{ite, not};
use labrys_term::{Op, Store, TermId};

use super::concrete::{is_modelled, refuse};
use super::encoding::{Encodings, format};
use super::environment::Raising;
use super::nan::{self, reads_fields, refuse_odd, refuse_unusual};

/// An operation's result and what may raise exceptions.
pub(super) struct Applied {
    pub(super) result: TermId,
    pub(super) raising: Option<Raising>,
}

/// The term of an operation in a rounding mode.
pub(super) fn operation(
    store: &mut Store,
    encodings: &mut Encodings,
    operation: FloatOperation,
    mode: RoundingMode,
    operands: &[TermId],
) -> Result<Applied, Stop> {
    let quiet = |result: TermId| Ok(Applied { result, raising: None });
    match (operation, operands) {
        (FloatOperation::Neg, &[a]) => return quiet(negated(store, a)),
        (FloatOperation::Abs, &[a]) => return quiet(store.mk(Op::FpAbs, &[a])),
        (FloatOperation::CopySign, &[a, b]) => {
            let magnitude = store.mk(Op::FpAbs, &[a]);
            let negative = store.mk(Op::FpNeg, &[magnitude]);
            let sign = encodings.sign(store, b);
            return quiet(ite(store, sign, negative, magnitude));
        }
        _ => {}
    }
    let of = operands.first().map_or(Format::BINARY64, |&operand| format(store, operand));
    if !is_modelled(of) {
        return Err(refuse(of));
    }
    refuse_unusual(operation, of)?;
    if of.has_explicit_leading_bit()
        && reads_fields(operation)
        && operands.iter().any(|&operand| encodings.may_be_odd(store, operand))
    {
        return Err(refuse_odd());
    }
    let rounded = |store: &mut Store, op: Op, mode: RoundingMode| {
        let mut args = vec![store.rounding_mode(mode)];
        args.extend(operands);
        store.mk(op, &args)
    };
    let result = match operation {
        FloatOperation::Add => rounded(store, Op::FpAdd, mode),
        FloatOperation::Sub => rounded(store, Op::FpSub, mode),
        FloatOperation::Mul => rounded(store, Op::FpMul, mode),
        FloatOperation::Div => rounded(store, Op::FpDiv, mode),
        FloatOperation::Fma => rounded(store, Op::FpFma, mode),
        FloatOperation::Sqrt => rounded(store, Op::FpSqrt, mode),
        FloatOperation::Convert(to) if to == of => return quiet(operands[0]),
        FloatOperation::Convert(to) if !is_modelled(to) => return Err(refuse(to)),
        FloatOperation::Convert(to) => rounded(store, Op::FpFromFloat(to), exact_mode(of, to, mode)),
        FloatOperation::Rem => store.mk(Op::FpFmod, operands),
        // What is raised is what IEEE 754's remainder raises.
        FloatOperation::IeeeRemainder => {
            let result = store.mk(Op::FpRem, operands);
            let raising = Some(Raising::Operation(result));
            let result = match of {
                Format::BINARY64 => with_zero_of_tiny(store, operands, result),
                _ if nan::has_zeros_of_differences(of, mode) => with_zero_of_difference(store, operands, result),
                _ => result,
            };
            return Ok(Applied { result, raising });
        }
        FloatOperation::RoundToIntegral { mode: own, inexact } => {
            let result = rounded(store, Op::FpRoundToIntegral, own.unwrap_or(mode));
            let raising =
                if inexact { Raising::Operation(result) } else { Raising::Signaling(operands[0], operands[0]) };
            return Ok(Applied { result, raising: Some(raising) });
        }
        // A product by 1, as code generation has it.
        FloatOperation::Canonicalize => {
            let one = store.float_const(Float::one(of));
            let mode = store.rounding_mode(mode);
            store.mk(Op::FpMul, &[mode, operands[0], one])
        }
        _ => return Err(Stop::unsupported("a float operation with these operands")),
    };
    Ok(Applied { result, raising: Some(Raising::Operation(result)) })
}

/// glibc's remainder of binary64, whose zeros have the sign of the first of two remainders where the divisor is tiny ([`nan::LEAST_DIVISOR`]).
fn with_zero_of_tiny(store: &mut Store, operands: &[TermId], result: TermId) -> TermId {
    let (x, y) = (operands[0], operands[1]);
    if let Op::FloatConst(divisor) = &store.node(y).op
        && !nan::is_tiny_divisor(divisor.to_u128().unwrap_or_default())
    {
        return result;
    }
    let of = Format::BINARY64;
    let nearest = store.rounding_mode(RoundingMode::NearestEven);
    let size = store.mk(Op::FpAbs, &[y]);
    let [limit, factor] = [nan::LEAST_DIVISOR, nan::FACTOR_OF_TINY]
        .map(|number| store.float_const(Float::from_f64(f64::from_bits(number))));
    let multiple = store.mk(Op::FpMul, &[nearest, size, factor]);
    let first = store.mk(Op::FpRem, &[x, multiple]);
    let negative = store.mk(Op::FpIsNegative, &[first]);
    let [plus, minus] = [false, true].map(|negative| store.float_const(Float::zero(of, negative)));
    let zero = ite(store, negative, minus, plus);
    let parts = [store.mk(Op::FpLt, &[size, limit]), store.mk(Op::FpIsZero, &[result])];
    let is_own = store.and(&parts);
    ite(store, is_own, zero, result)
}

/// The remainder where [`nan::has_zeros_of_differences`].
fn with_zero_of_difference(store: &mut Store, operands: &[TermId], result: TermId) -> TermId {
    let nearest = store.rounding_mode(RoundingMode::NearestEven);
    let [x, y] = [operands[0], operands[1]].map(|operand| store.mk(Op::FpAbs, &[operand]));
    let twice = store.mk(Op::FpAdd, &[nearest, y, y]);
    let rest = store.mk(Op::FpFmod, &[x, twice]);
    let is_even = store.mk(Op::FpIsZero, &[rest]);
    let is_one = store.mk(Op::FpEq, &[x, y]);
    let parts = [store.mk(Op::FpIsZero, &[result]), not(store, is_even), not(store, is_one)];
    let is_other = store.and(&parts);
    let other = negated(store, result);
    ite(store, is_other, other, result)
}

/// −x; −(−x) is x.
fn negated(store: &mut Store, a: TermId) -> TermId {
    let node = store.node(a);
    if node.op == Op::FpNeg { node.args[0] } else { store.mk(Op::FpNeg, &[a]) }
}

/// The mode of a conversion; those that are exact have one for all, so that their terms are equal.
fn exact_mode(from: Format, to: Format, mode: RoundingMode) -> RoundingMode {
    let holds = to.precision() >= from.precision() && to.exponent_bits() >= from.exponent_bits();
    if holds { RoundingMode::NearestEven } else { mode }
}
