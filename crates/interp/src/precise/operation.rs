//! The operations of IEEE 754 on numbers of arbitrary precision.

use std::cmp::Ordering;

use labrys_elementary::rug;
use labrys_elementary::rug::float::Round;
use labrys_elementary::rug::ops::AssignRound;

use super::number::PreciseFloat;
use super::state::Precise;
use super::{bounds, quotients};
use crate::{FloatOperation, Stop};

/// Binary exponents that remainders may bridge.
const MAX_REMAINDER_BITS: i64 = 1 << 20;

impl Precise {
    /// The operation's result. Exceptions do not exist here.
    pub(super) fn compute(
        &mut self,
        operation: FloatOperation,
        operands: &[PreciseFloat],
    ) -> Result<PreciseFloat, Stop> {
        use FloatOperation as Op;
        let format = operands.first().map(PreciseFloat::format);
        let format = format.ok_or_else(|| Stop::unsupported("a float operation without operands"))?;
        // Operations that give one of their operands or change no digit.
        match (operation, operands) {
            (Op::Convert(to), [a]) => return Ok(a.in_format(to)),
            (Op::Canonicalize, [a]) => return Ok(a.clone()),
            (Op::MinNum | Op::MinimumNumber, [a, b]) => return Ok(either(number(a, b, Ordering::Less), a, b)),
            (Op::MaxNum | Op::MaximumNumber, [a, b]) => return Ok(either(number(a, b, Ordering::Greater), a, b)),
            (Op::Minimum, [a, b]) => return Ok(either(extreme(a, b, Ordering::Less), a, b)),
            (Op::Maximum, [a, b]) => return Ok(either(extreme(a, b, Ordering::Greater), a, b)),
            (Op::X86Min, [a, b]) => return Ok(either(first_if(a, b, Ordering::Less), a, b)),
            (Op::X86Max, [a, b]) => return Ok(either(first_if(a, b, Ordering::Greater), a, b)),
            _ => {}
        }
        let values: Vec<&rug::Float> = operands.iter().map(PreciseFloat::value).collect();
        let mut result = rug::Float::new(self.precision);
        let order = match (operation, &values[..]) {
            (Op::Add, [a, b]) => result.assign_round(*a + *b, Round::Nearest),
            (Op::Sub, [a, b]) => result.assign_round(*a - *b, Round::Nearest),
            (Op::Mul, [a, b]) => result.assign_round(*a * *b, Round::Nearest),
            (Op::Div, [a, b]) => result.assign_round(*a / *b, Round::Nearest),
            (Op::Rem, [a, b]) => {
                remainder_is_near(a, b)?;
                result.assign_round(*a % *b, Round::Nearest)
            }
            (Op::IeeeRemainder, [a, b]) => {
                remainder_is_near(a, b)?;
                result.assign_round(a.remainder_ref(b), Round::Nearest)
            }
            (Op::Fma, [a, b, c]) => result.assign_round(a.mul_add_ref(b, c), Round::Nearest),
            (Op::Sqrt, [a]) => result.assign_round(a.sqrt_ref(), Round::Nearest),
            (Op::Neg, [a]) => {
                result = -(*a).clone();
                Ordering::Equal
            }
            (Op::Abs, [a]) => {
                result = (*a).clone().abs();
                Ordering::Equal
            }
            (Op::CopySign, [a, b]) => {
                self.marks.undecided |= !operands[1].has_sign();
                result = (*a).clone().copysign(b);
                Ordering::Equal
            }
            (Op::RoundToIntegral { mode, .. }, [a]) => {
                let integral = self.decided_integral(&operands[0], a, mode.unwrap_or_default());
                return Ok(PreciseFloat::new(integral, format));
            }
            _ => return Err(Stop::unsupported("a float operation with these operands")),
        };
        match (operation, &values[..]) {
            (Op::Add | Op::Sub, [a, b]) => self.note_absorption(a.get_exp(), b.get_exp()),
            (Op::Fma, [a, b, c]) => {
                let product = a.get_exp().zip(b.get_exp()).map(|(a, b)| a.saturating_add(b));
                self.note_absorption(product, c.get_exp());
            }
            _ => {}
        }
        let has_pole = operation == Op::Div && values.get(1).is_some_and(|divisor| divisor.is_zero());
        let has_zero = !matches!(operation, Op::Mul | Op::Div);
        self.note_exponents(operands, &result, has_pole, has_zero);
        let radius = bounds::of_operation(operation, operands, &result, order == Ordering::Equal);
        if !radius.is_zero()
            && self.precision >= quotients::FROM_PRECISION
            && let Some(quotient) = quotients::of_operation(operation, operands)
        {
            return Ok(PreciseFloat::of_quotient(quotient, self.precision, format));
        }
        Ok(PreciseFloat::within(result, radius, format))
    }
}

/// One of two numbers, of which either may be the one that is meant: those that are, as far as it matters, are apart by their radii.
fn either(chosen: PreciseFloat, a: &PreciseFloat, b: &PreciseFloat) -> PreciseFloat {
    if quotients::quotients(a, b).is_some() {
        return chosen;
    }
    let radius = a.radius().max(b.radius());
    PreciseFloat::within(chosen.value().clone(), radius, chosen.format())
}

/// Refuses remainders of numbers too many binary orders apart.
fn remainder_is_near(a: &rug::Float, b: &rug::Float) -> Result<(), Stop> {
    match (a.get_exp(), b.get_exp()) {
        (Some(high), Some(low)) if i64::from(high) - i64::from(low) > MAX_REMAINDER_BITS => {
            Err(Stop::unsupported("a remainder of numbers too far apart in arbitrary precision"))
        }
        _ => Ok(()),
    }
}

/// The smaller (`wanted` is less) or larger; −0 is below +0, a NaN wins.
fn extreme(a: &PreciseFloat, b: &PreciseFloat, wanted: Ordering) -> PreciseFloat {
    let order = match quotients::order(a, b) {
        // Equal but for the sign of zeros.
        Some(Ordering::Equal) => b.value().is_sign_negative().cmp(&a.value().is_sign_negative()),
        Some(order) => order,
        None if a.value().is_nan() => return a.clone(),
        None => return b.clone(),
    };
    if order == wanted { a.clone() } else { b.clone() }
}

/// As [`extreme`], but a number wins against NaN.
fn number(a: &PreciseFloat, b: &PreciseFloat, wanted: Ordering) -> PreciseFloat {
    match (a.value().is_nan(), b.value().is_nan()) {
        (true, _) => b.clone(),
        (false, true) => a.clone(),
        (false, false) => extreme(a, b, wanted),
    }
}

/// The second unless the first is strictly beyond it.
fn first_if(a: &PreciseFloat, b: &PreciseFloat, wanted: Ordering) -> PreciseFloat {
    if quotients::order(a, b) == Some(wanted) { a.clone() } else { b.clone() }
}
