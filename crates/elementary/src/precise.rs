//! Values at any precision, by MPFR.
//!
//! MPFR rounds every function here correctly at the precision asked for (Fousse et al., "MPFR: a multiple-precision binary
//! floating-point library with correct rounding", TOMS 2007), with C's answers at zeros, infinities and poles. Where C and
//! MPFR differ, this file says so.

use std::cmp::Ordering;

use rug::Float;
use rug::float::{Round, Special};
use rug::ops::{CompleteRound, Pow};

use crate::Function;

impl Function {
    /// The value at a precision in bits, rounded to nearest: NaN outside the domain, infinity at a pole. Operands that
    /// are missing make NaN.
    ///
    /// ```
    /// use labrys_elementary::{Function, rug};
    ///
    /// let two = rug::Float::with_val(53, 2);
    /// let root = Function::Exp.precise(&[Function::Log.precise(&[two], 300)], 300);
    /// assert!(rug::Float::with_val(300, root - 2).abs() < 1e-80);
    /// ```
    pub fn precise(self, operands: &[Float], precision: u32) -> Float {
        self.rounded(operands, precision, Round::Nearest).0
    }

    /// The value at a precision in bits, rounded in a direction, and how it compares with the exact one: `Equal` means exact.
    pub fn rounded(self, operands: &[Float], precision: u32, round: Round) -> (Float, Ordering) {
        let precision = precision.clamp(rug::float::prec_min(), rug::float::prec_max());
        let nan = || (Float::with_val(precision, Special::Nan), Ordering::Equal);
        match operands {
            [x] if self.arity() == 1 => self.unary(x, precision, round),
            [x, y] if self.arity() == 2 => match self {
                Function::Atan2 => Float::with_val_round(precision, x.atan2_ref(y), round),
                Function::Hypot => Float::with_val_round(precision, x.hypot_ref(y), round),
                Function::Pow => Float::with_val_round(precision, x.pow(y), round),
                _ => nan(),
            },
            _ => nan(),
        }
    }

    fn unary(self, x: &Float, precision: u32, round: Round) -> (Float, Ordering) {
        macro_rules! value {
            ($incomplete:expr) => {
                Float::with_val_round(precision, $incomplete, round)
            };
        }
        match self {
            Function::Sin => value!(x.sin_ref()),
            Function::Cos => value!(x.cos_ref()),
            Function::Tan => value!(x.tan_ref()),
            Function::Asin => value!(x.asin_ref()),
            Function::Acos => value!(x.acos_ref()),
            Function::Atan => value!(x.atan_ref()),
            Function::Sinh => value!(x.sinh_ref()),
            Function::Cosh => value!(x.cosh_ref()),
            Function::Tanh => value!(x.tanh_ref()),
            Function::Asinh => value!(x.asinh_ref()),
            Function::Acosh => value!(x.acosh_ref()),
            Function::Atanh => value!(x.atanh_ref()),
            Function::Exp => value!(x.exp_ref()),
            Function::Exp2 => value!(x.exp2_ref()),
            Function::Exp10 => value!(x.exp10_ref()),
            Function::Expm1 => value!(x.exp_m1_ref()),
            Function::Log => value!(x.ln_ref()),
            Function::Log2 => value!(x.log2_ref()),
            Function::Log10 => value!(x.log10_ref()),
            Function::Log1p => value!(x.ln_1p_ref()),
            Function::Cbrt => value!(x.cbrt_ref()),
            Function::Erf => value!(x.erf_ref()),
            Function::Erfc => value!(x.erfc_ref()),
            Function::Tgamma => value!(x.gamma_ref()),
            // The sign of Γ, which C keeps in a global variable, is not part of the value.
            Function::Lgamma => {
                let ((value, _), order) = x.ln_abs_gamma_ref().complete_round(precision, round);
                (value, order)
            }
            Function::J0 => value!(x.j0_ref()),
            Function::J1 => value!(x.j1_ref()),
            Function::Y0 => value!(x.y0_ref()),
            Function::Y1 => value!(x.y1_ref()),
            Function::Logb => logb(x, precision, round),
            Function::Atan2 | Function::Hypot | Function::Pow => {
                (Float::with_val(precision, Special::Nan), Ordering::Equal)
            }
        }
    }
}

/// The exponent e of 1.f × 2^e, for subnormals too.
fn logb(x: &Float, precision: u32, round: Round) -> (Float, Ordering) {
    match x.get_exp() {
        // MPFR's significands lie in [1/2, 1).
        Some(exponent) => Float::with_val_round(precision, exponent - 1, round),
        None if x.is_zero() => (Float::with_val(precision, Special::NegInfinity), Ordering::Equal),
        None => (Float::with_val(precision, x.abs_ref()), Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, tables 4, 6, 7 and 9.
    #[test]
    fn values_are_those_of_printed_tables() {
        let near = |function: Function, operands: &[f64], expected: f64| {
            let operands: Vec<Float> = operands.iter().map(|x| Float::with_val(53, *x)).collect();
            let value = function.precise(&operands, 120).to_f64();
            assert!((value - expected).abs() < 1e-9 * expected.abs(), "{} {value}", function.name());
        };
        near(Function::Sin, &[0.5], 0.4794255386);
        near(Function::Cosh, &[1.0], 1.5430806348);
        near(Function::Atan2, &[1.0, -1.0], 2.3561944902);
        near(Function::Exp10, &[0.5], 3.1622776602);
        near(Function::Pow, &[-2.0, 3.0], -8.0);
        near(Function::Hypot, &[3.0, -4.0], 5.0);
        near(Function::Erfc, &[2.0], 0.0046777349810);
        near(Function::Tgamma, &[-1.5], 2.3632718012);
        near(Function::Lgamma, &[-1.5], 0.86004701538);
        near(Function::Lgamma, &[0.5], 0.57236494292);
        near(Function::J0, &[1.0], 0.7651976866);
        near(Function::J1, &[-2.0], -0.5767248078);
        near(Function::Y0, &[1.0], 0.0882569642);
        near(Function::Y1, &[2.0], -0.1070324315);
        near(Function::Logb, &[0.3], -2.0);
    }

    #[test]
    fn every_function_answers_at_every_special_operand() {
        let specials = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, -f64::MAX, f64::MAX];
        for function in Function::all() {
            for x in specials {
                for y in specials {
                    let operands = [Float::with_val(53, x), Float::with_val(53, y)];
                    let value = function.precise(&operands[..function.arity()], 64);
                    assert_eq!(value.prec(), 64);
                    assert!(function.precise(&operands[..2 - function.arity().min(1)], 64).prec() == 64);
                }
            }
        }
        assert!(Function::Y0.precise(&[Float::with_val(53, -1)], 64).is_nan());
        assert!(Function::Sin.precise(&[], 64).is_nan());
    }
}
