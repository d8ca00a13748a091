//! The operations of IEEE 754 on numbers of arbitrary precision.

use std::cmp::Ordering;

use labrys_elementary::rug::{self, Assign};

use super::{MAX_REMAINDER_BITS, Precise, PreciseFloat};
use crate::{FloatOperation, Stop};

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
            (Op::MinNum | Op::MinimumNumber, [a, b]) => return Ok(number(a, b, Ordering::Less)),
            (Op::MaxNum | Op::MaximumNumber, [a, b]) => return Ok(number(a, b, Ordering::Greater)),
            (Op::Minimum, [a, b]) => return Ok(extreme(a, b, Ordering::Less)),
            (Op::Maximum, [a, b]) => return Ok(extreme(a, b, Ordering::Greater)),
            (Op::X86Min, [a, b]) => return Ok(first_if(a, b, Ordering::Less)),
            (Op::X86Max, [a, b]) => return Ok(first_if(a, b, Ordering::Greater)),
            _ => {}
        }
        let values: Vec<&rug::Float> = operands.iter().map(PreciseFloat::value).collect();
        let mut result = rug::Float::new(self.precision);
        match (operation, &values[..]) {
            (Op::Add, [a, b]) => result.assign(*a + *b),
            (Op::Sub, [a, b]) => result.assign(*a - *b),
            (Op::Mul, [a, b]) => result.assign(*a * *b),
            (Op::Div, [a, b]) => result.assign(*a / *b),
            (Op::Rem, [a, b]) => {
                remainder_is_near(a, b)?;
                result.assign(*a % *b);
            }
            (Op::IeeeRemainder, [a, b]) => {
                remainder_is_near(a, b)?;
                result.assign(a.remainder_ref(b));
            }
            (Op::Fma, [a, b, c]) => result.assign(a.mul_add_ref(b, c)),
            (Op::Sqrt, [a]) => result.assign(a.sqrt_ref()),
            (Op::Neg, [a]) => result = -(*a).clone(),
            (Op::Abs, [a]) => result = (*a).clone().abs(),
            (Op::CopySign, [a, b]) => result = (*a).clone().copysign(b),
            (Op::RoundToIntegral { mode, .. }, [a]) => result = self.integral(a, mode.unwrap_or_default()),
            _ => return Err(Stop::unsupported("a float operation with these operands")),
        }
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
        Ok(PreciseFloat::new(result, format))
    }
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
    let order = match a.value().partial_cmp(b.value()) {
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
    if a.value().partial_cmp(b.value()) == Some(wanted) { a.clone() } else { b.clone() }
}
