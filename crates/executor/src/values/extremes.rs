//! Minima and maxima, as concrete values and as terms.
//!
//! - `minsd` and `maxsd`: the second operand unless the first is strictly beyond it.
//! - `llvm.minnum` and `llvm.maxnum`, which clang makes of C's fmin and fmax: in SSE formats `minsd` with the operands exchanged,
//!   and the second operand where the first is a NaN; any NaN raises invalid, and none is quieted. For x87's type glibc's
//!   fminl and fmaxl are called: the first operand where both are equal or the second is a quiet NaN, the second where only
//!   the first is a NaN; two NaNs, or a signaling one, are added.
//! - The others are IEEE 754-2019's, with −0 below +0; NaNs as by an addition.

use std::cmp::Ordering;

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use labrys_interp::FloatOperation;

use super::concrete::Computed;
use super::nan::Encoding;

/// Whether an operation is one of these, and whether it looks for the smaller operand.
pub(super) fn is_minimum(operation: FloatOperation) -> Option<bool> {
    match operation {
        FloatOperation::X86Min
        | FloatOperation::MinNum
        | FloatOperation::Minimum
        | FloatOperation::MinimumNumber => Some(true),
        FloatOperation::X86Max
        | FloatOperation::MaxNum
        | FloatOperation::Maximum
        | FloatOperation::MaximumNumber => Some(false),
        _ => None,
    }
}

/// The extreme of two known floats; `None` for other operations.
pub(super) fn concrete(operation: FloatOperation, format: Format, a: u128, b: u128) -> Option<Computed> {
    let wanted = if is_minimum(operation)? { Ordering::Less } else { Ordering::Greater };
    let encoding = Encoding::of(format);
    let (x, y) = (Float::from_bits(format, a), Float::from_bits(format, b));
    let environment = Environment::default();
    let order = x.compare(&y);
    let any_nan = if order.is_none() { Flags::INVALID } else { Flags::empty() };
    let signaling =
        if encoding.is_signaling(a) || encoding.is_signaling(b) { Flags::INVALID } else { Flags::empty() };
    let (a_is_nan, b_is_nan) = (encoding.is_nan(a), encoding.is_nan(b));
    let sum = || super::concrete::compute(FloatOperation::Add, RoundingMode::NearestEven, format, &[a, b]);
    let (bits, flags) = match operation {
        FloatOperation::X86Min | FloatOperation::X86Max => (if order == Some(wanted) { a } else { b }, any_nan),
        FloatOperation::MinNum | FloatOperation::MaxNum if encoding.leading == 0 => {
            let first = !a_is_nan && order != Some(wanted.reverse());
            (if first { a } else { b }, any_nan)
        }
        FloatOperation::MinNum | FloatOperation::MaxNum => {
            if signaling.is_empty() && !(a_is_nan && b_is_nan) {
                let first = !a_is_nan && order != Some(wanted.reverse());
                (if first { a } else { b }, Flags::empty())
            } else {
                (sum().ok()?.bits, signaling)
            }
        }
        FloatOperation::MinimumNumber | FloatOperation::MaximumNumber if a_is_nan != b_is_nan => {
            (if a_is_nan { b } else { a }, signaling)
        }
        _ if a_is_nan || b_is_nan => (sum().ok()?.bits, signaling),
        _ => {
            let least = environment.minimum(&x, &y).value;
            let is_first = (least.to_u128() == Some(a)) == (wanted == Ordering::Less);
            (if is_first { a } else { b }, Flags::empty())
        }
    };
    Some(Computed { bits, flags })
}
