//! How far results are from the true ones where operands are near theirs.
//!
//! **Claim.** If each operand's true value is within its radius, the true result is within the radius computed here of the
//! result that was computed, and rounded by at most half a unit in its last place. Elementary functions are bounded by their
//! derivatives on the operands' balls; where nothing is known there is no bound.

use labrys_elementary::{Function, rug};

use super::number::PreciseFloat;
use super::radius::Radius;
use crate::FloatOperation;

/// Half a unit in the last place of a result that was rounded to nearest.
pub(super) fn rounding(result: &rug::Float) -> Radius {
    match result.get_exp() {
        Some(exponent) => Radius::power_of_two(i64::from(exponent) - i64::from(result.prec()) - 1),
        // Only what left MPFR's exponents is rounded to a zero or an infinity.
        None => Radius::UNBOUNDED,
    }
}

/// The radius of an arithmetic operation's result; `is_exact` where rounding changed nothing.
pub(super) fn of_operation(
    operation: FloatOperation,
    operands: &[PreciseFloat],
    result: &rug::Float,
    is_exact: bool,
) -> Radius {
    use FloatOperation as Op;
    let rounding = if is_exact { Radius::ZERO } else { rounding(result) };
    if operands.iter().all(|operand| operand.radius().is_zero()) {
        return rounding;
    }
    if !result.is_finite() {
        return Radius::UNBOUNDED;
    }
    let radius = |index: usize| operands.get(index).map_or(Radius::UNBOUNDED, PreciseFloat::radius);
    let size = |index: usize| operands.get(index).map_or(Radius::UNBOUNDED, |of| Radius::of_precise(of.value()));
    let product = || size(0).times(radius(1)).plus(size(1).times(radius(0))).plus(radius(0).times(radius(1)));
    let spread = match operation {
        Op::Add | Op::Sub => radius(0).plus(radius(1)),
        Op::Mul => product(),
        Op::Fma => product().plus(radius(2)),
        // |a/b − â/b̂| = |(a − â) − (a/b)… | ≤ (r_a + |â/b̂| r_b) / |b|
        Op::Div => match operands {
            [_, divisor] => {
                let above = radius(0).plus(Radius::of_precise(result).plus(rounding).times(radius(1)));
                above.divided(divisor.value(), divisor.radius())
            }
            _ => Radius::UNBOUNDED,
        },
        // |√a − √â| = |a − â| / (√a + √â) ≤ r / √â
        Op::Sqrt => match operands {
            [a] if a.radius().is_below(a.value()) => radius(0).divided(result, rounding),
            _ => Radius::UNBOUNDED,
        },
        Op::Neg | Op::Abs | Op::CopySign => radius(0),
        Op::Rem | Op::IeeeRemainder => of_remainder(operation, operands, result),
        _ => Radius::UNBOUNDED,
    };
    spread.plus(rounding)
}

/// a − n·b for the same integer n, as long as neither end of its range is near.
fn of_remainder(operation: FloatOperation, operands: &[PreciseFloat], result: &rug::Float) -> Radius {
    let [a, b] = operands else { return Radius::UNBOUNDED };
    if !a.value().is_finite() || !b.value().is_finite() || b.value().is_zero() {
        return Radius::UNBOUNDED;
    }
    let quotient = Radius::of_precise(a.value()).divided(b.value(), Radius::ZERO).plus(Radius::of(1.0));
    let spread = a.radius().plus(quotient.times(b.radius()));
    let precision = result.prec() + 64;
    let mut end = rug::Float::with_val(precision, b.value().abs_ref());
    if operation == FloatOperation::IeeeRemainder {
        end >>= 1;
    }
    let left = rug::Float::with_val(precision, &end - &rug::Float::with_val(precision, result.abs_ref()));
    let is_inside = left.is_sign_positive() && spread.plus(b.radius()).is_below(&left);
    // Truncated quotients change where the remainder is zero, too.
    let is_off_zero = operation == FloatOperation::IeeeRemainder || spread.is_below(result);
    if is_inside && is_off_zero { spread } else { Radius::UNBOUNDED }
}

/// The radius of an elementary function's value; `is_exact` where rounding changed nothing.
pub(super) fn of_function(
    function: Function,
    operands: &[PreciseFloat],
    result: &rug::Float,
    is_exact: bool,
) -> Radius {
    let rounding = if is_exact { Radius::ZERO } else { rounding(result) };
    if operands.iter().all(|operand| operand.radius().is_zero()) {
        return rounding;
    }
    if !result.is_finite() || operands.iter().any(|operand| !operand.value().is_finite()) {
        return Radius::UNBOUNDED;
    }
    let value = Radius::of_precise(result).plus(rounding);
    let spread = match operands {
        [x] => of_one(function, x, value),
        [x, y] => of_two(function, x, y, value),
        _ => Radius::UNBOUNDED,
    };
    spread.plus(rounding)
}

/// How far the value of a function of one operand may be off; `value` bounds the computed one.
fn of_one(function: Function, x: &PreciseFloat, value: Radius) -> Radius {
    use Function::*;
    let r = x.radius();
    let one = Radius::of(1.0);
    let size = Radius::of_precise(x.value()).plus(r);
    // r / (1 ± x), where that is known to be positive.
    let over = |sum: rug::Float| if sum > 0 { r.divided(&sum, r) } else { Radius::UNBOUNDED };
    let sum = |constant: i32| rug::Float::with_val(x.value().prec() + 64, x.value() + constant);
    // e^r − 1 ≤ 2r
    let grows = |factor: f64, r: Radius| if is_at_most_one(r) { r.scaled(factor) } else { Radius::UNBOUNDED };
    match function {
        Sin | Cos | Tanh | Atan | Asinh | J0 | J1 => r,
        Erf | Erfc => r.scaled(1.13),
        // tan(x + h) − tan x = tan h (1 + tan² x) / (1 − tan x tan h), and tan h ≤ 2 h.
        Tan => {
            let steep = one.plus(value);
            match is_at_most_one(r.times(steep).scaled(4.0)) {
                true => r.times(steep.times(steep)).scaled(4.0),
                false => Radius::UNBOUNDED,
            }
        }
        // Steepest at ±1, where asin 1 − asin(1 − d) ≤ π √(d/2); d is the whole ball.
        Asin | Acos if is_within_one(x) => r.root().scaled(3.15),
        // Steepest at 1: acosh(1 + d) ≤ √(2d).
        Acosh if !is_below_one(x) => r.scaled(4.0).root(),
        Atanh if is_within_one(x) => over(sum(1)).plus(over(-sum(-1))),
        Sinh | Cosh | Expm1 => grows(2.0, r).times(value.plus(one)).scaled(2.0),
        Exp | Exp2 => grows(2.0, r).times(value),
        Exp10 => grows(2.0, r.scaled(2.31)).times(value),
        Log | Log2 | Log10 if x.value().is_sign_positive() => r.divided(x.value(), r).scaled(1.45),
        Log1p => over(sum(1)),
        // ∛ is steepest at zero: |∛a − ∛b| ≤ 2 ∛(|a − b| / 2); elsewhere its slope is f/(3x).
        Cbrt if r.shifted(1).is_below(x.value()) => value.scaled(2.0).times(r.divided(x.value(), r)),
        // |ψ(x)| ≤ |log x| + 1/x + 1 for positive x, and |log x| ≤ x + 1/x.
        Tgamma | Lgamma if x.value().is_sign_positive() => {
            let steep = r.times(size.plus(one)).plus(r.divided(x.value(), r).scaled(2.0));
            match function {
                Lgamma => steep,
                _ => grows(2.0, steep).times(value),
            }
        }
        // |Y0'| = |Y1| ≤ 1 + 1/x, and |Y1'| ≤ |Y0| + |Y1|/x ≤ 2 (1 + 1/x)².
        Y0 | Y1 if x.value().is_sign_positive() => {
            let inverse = one.plus(one.divided(x.value(), r));
            r.times(inverse.times(inverse)).scaled(2.0)
        }
        _ => Radius::UNBOUNDED,
    }
}

/// The same for two operands.
fn of_two(function: Function, x: &PreciseFloat, y: &PreciseFloat, value: Radius) -> Radius {
    match function {
        Function::Hypot => x.radius().plus(y.radius()),
        // The gradient's length is 1/√(x² + y²). The first operand is the ordinate.
        Function::Atan2 => {
            let is_off_cut =
                y.value().is_sign_positive() && y.radius().is_below(y.value()) || x.radius().is_below(x.value());
            let far = if x.value().cmp_abs(y.value()) == Some(std::cmp::Ordering::Less) { y } else { x };
            match is_off_cut {
                true => x.radius().plus(y.radius()).divided(far.value(), far.radius()),
                false => Radius::UNBOUNDED,
            }
        }
        // x^y = e^(y log x): the exponent is off by at most r_y |log x| + (|y| + r_y) r_x / x, and |log x| ≤ |x| + 1/|x|.
        Function::Pow if !x.value().is_zero() && (x.value().is_sign_positive() || y.radius().is_zero()) => {
            let one = Radius::of(1.0);
            let logarithm = Radius::of_precise(&rug::Float::with_val(64, x.value().abs_ref()).ln())
                .plus(x.radius().divided(x.value(), x.radius()))
                .plus(Radius::power_of_two(-40));
            let size = Radius::of_precise(y.value()).plus(y.radius());
            let off = y.radius().times(logarithm).plus(size.times(x.radius().divided(x.value(), x.radius())));
            let is_small = off.max(one) == one;
            if is_small { off.scaled(2.0).times(value) } else { Radius::UNBOUNDED }
        }
        _ => Radius::UNBOUNDED,
    }
}

fn is_at_most_one(radius: Radius) -> bool {
    radius.max(Radius::of(1.0)) == Radius::of(1.0)
}

/// Whether a ball lies within [−1, 1].
fn is_within_one(x: &PreciseFloat) -> bool {
    let [low, high] = x.ends();
    low >= -1 && high <= 1
}

/// Whether some of a ball is below 1.
fn is_below_one(x: &PreciseFloat) -> bool {
    let [low, _] = x.ends();
    low.is_nan() || low < 1
}
