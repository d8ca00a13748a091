//! Minima and maxima, as concrete values and as terms.
//!
//! - `minsd` and `maxsd`: the second operand unless the first is strictly beyond it.
//! - `llvm.minnum` and `llvm.maxnum`, which clang makes of C's fmin and fmax: in SSE formats `minsd` with the operands exchanged,
//!   and the second operand where the first is a NaN; any NaN raises invalid, and none is quieted. For x87's type glibc's
//!   fminl and fmaxl are called: of equal operands fminl gives the first, fmaxl the second; the first where the second is a
//!   quiet NaN, the second where only the first is a NaN; two NaNs, or one whose quiet bit is clear, are added. Invalid
//!   encodings are such NaNs.
//! - IEEE 754-2019's four, of SSE formats only: the operands are ordered by the first one's sign, so that `minsd`, which gives the
//!   second of two zeros, gives the right one; NaNs are not quieted either.

use std::cmp::Ordering;

use labrys_float::{Flags, Float, Format, RoundingMode};
use labrys_interp::FloatOperation;

use super::concrete::Computed;
use super::nan::Encoding;

/// Whether an operation is one of these, and whether it looks for the smaller operand.
pub(super) fn is_minimum(operation: FloatOperation) -> Option<bool> {
    match operation {
        FloatOperation::X86Min | FloatOperation::MinNum | FloatOperation::Minimum | FloatOperation::MinimumNumber => {
            Some(true)
        }
        FloatOperation::X86Max | FloatOperation::MaxNum | FloatOperation::Maximum | FloatOperation::MaximumNumber => {
            Some(false)
        }
        _ => None,
    }
}

/// The extreme of two known floats; `None` for other operations.
pub(super) fn concrete(operation: FloatOperation, format: Format, a: u128, b: u128) -> Option<Computed> {
    let wanted = if is_minimum(operation)? { Ordering::Less } else { Ordering::Greater };
    let encoding = Encoding::of(format);
    let (x, y) = (Float::from_bits(format, a), Float::from_bits(format, b));
    let order = x.compare(&y);
    let any_nan = if order.is_none() { Flags::INVALID } else { Flags::empty() };
    let signaling = if encoding.is_signaling(a) || encoding.is_signaling(b) { Flags::INVALID } else { Flags::empty() };
    let (a_is_nan, b_is_nan) = (encoding.is_nan(a), encoding.is_nan(b));
    let sum = || super::concrete::compute(FloatOperation::Add, RoundingMode::NearestEven, format, &[a, b]);
    let (bits, flags) = match operation {
        FloatOperation::X86Min | FloatOperation::X86Max => (if order == Some(wanted) { a } else { b }, any_nan),
        FloatOperation::MinNum | FloatOperation::MaxNum if encoding.leading == 0 => {
            let first = !a_is_nan && order != Some(wanted.reverse());
            (if first { a } else { b }, any_nan)
        }
        FloatOperation::MinNum | FloatOperation::MaxNum => {
            let is_loud = |bits: u128| encoding.is_nan(bits) && bits & encoding.quiet == 0;
            let is_added = is_loud(a) || is_loud(b) || (a_is_nan && b_is_nan);
            if !is_added {
                let is_tie = order == Some(Ordering::Equal) && wanted == Ordering::Greater;
                let first = !a_is_nan && order != Some(wanted.reverse()) && !is_tie;
                (if first { a } else { b }, signaling)
            } else {
                (sum().ok()?.bits, signaling)
            }
        }
        _ => {
            let is_in_order = (a & encoding.sign != 0) == (wanted == Ordering::Greater);
            let ((x, x_is_nan), (y, y_is_nan)) = match is_in_order {
                true => ((a, a_is_nan), (b, b_is_nan)),
                false => ((b, b_is_nan), (a, a_is_nan)),
            };
            let order = if is_in_order { order } else { order.map(Ordering::reverse) };
            let ignores_nan = matches!(operation, FloatOperation::MinimumNumber | FloatOperation::MaximumNumber);
            let first = order == Some(wanted) || if ignores_nan { y_is_nan } else { x_is_nan };
            (if first { x } else { y }, any_nan)
        }
    };
    Some(Computed { bits, flags })
}
