//! Correctly rounded values in a floating-point format, with the exceptions IEEE 754 and C's Annex F ask for.
//!
//! **Claim.** [`evaluate`] returns the format's number nearest to the exact value, ties to even, subnormals and overflow
//! included, and raises what an operation of IEEE 754-2019, section 9.2, raises.
//!
//! **Argument.** MPFR cuts the exact value off toward zero at two bits more than the format's precision and says whether
//! that changed it. If it did, the exact value lies strictly between two neighbours of that precision, and so does the number with
//! one more bit set. Everything at which rounding to the format changes its mind, halfway points and the bound of tininess
//! included, has one bit more than the format, so none lies between. Hence one rounding of that number is the
//! rounding of the exact value: no table maker's dilemma is left, MPFR's own loop (Ziv, TOMS 1991) has met it.

use std::cmp::Ordering;

use labrys_float::{Environment, Flags, Float, Rounded};
use rug::float::Round;

use crate::Function;
use crate::convert::{round, to_precise};

/// The function's value rounded to nearest in the format of its first operand, with the exceptions raised.
///
/// ```
/// use labrys_elementary::{Function, evaluate};
/// use labrys_float::{Flags, Float};
///
/// let pole = evaluate(Function::Log, &[Float::from_f64(0.0)]);
/// assert_eq!((pole.value.to_f64(), pole.flags), (Some(f64::NEG_INFINITY), Flags::DIVBYZERO));
/// ```
pub fn evaluate(function: Function, operands: &[Float]) -> Rounded {
    evaluate_in(function, operands, &Environment::default())
}

/// The same under another rounding direction, tininess or flush mode. Without operands: NaN of binary64, invalid.
pub fn evaluate_in(function: Function, operands: &[Float], environment: &Environment) -> Rounded {
    let format = operands.first().map_or(labrys_float::Format::BINARY64, Float::format);
    let invalid = || Rounded { value: Float::nan(format), flags: Flags::INVALID };
    if operands.len() != function.arity() || operands.iter().any(Float::is_signaling_nan) {
        return invalid();
    }
    let precise: Vec<rug::Float> = operands.iter().map(to_precise).collect();
    let (value, order) = function.rounded(&precise, format.precision() + 2, Round::Zero);
    if value.is_nan() && !operands.iter().any(Float::is_nan) {
        return invalid();
    }
    let mut rounded = round(&value, order != Ordering::Equal, format, environment);
    if value.is_infinite() && operands.iter().all(Float::is_finite) {
        rounded.flags |= Flags::DIVBYZERO;
    }
    rounded
}

#[cfg(test)]
mod tests {
    use labrys_float::{Format, RoundingMode};

    use super::*;

    fn double(function: Function, operands: &[f64]) -> (f64, Flags) {
        let operands: Vec<Float> = operands.iter().map(|x| Float::from_f64(*x)).collect();
        let rounded = evaluate(function, &operands);
        (rounded.value.to_f64().unwrap(), rounded.flags)
    }

    #[test]
    fn exceptions_are_those_of_annex_f() {
        use Function::*;
        let inexact = Flags::INEXACT;
        let cases: [(Function, &[f64], f64, Flags); 22] = [
            (Exp, &[0.0], 1.0, Flags::empty()),
            (Exp, &[710.0], f64::INFINITY, Flags::OVERFLOW | inexact),
            (Exp, &[-746.0], 0.0, Flags::UNDERFLOW | inexact),
            (Exp, &[f64::NEG_INFINITY], 0.0, Flags::empty()),
            (Exp2, &[-1074.0], 5e-324, Flags::empty()),
            (Log, &[-1.0], f64::NAN, Flags::INVALID),
            (Log1p, &[-1.0], f64::NEG_INFINITY, Flags::DIVBYZERO),
            (Sin, &[f64::INFINITY], f64::NAN, Flags::INVALID),
            (Sin, &[5e-324], 5e-324, Flags::UNDERFLOW | inexact),
            (Tgamma, &[-2.0], f64::NAN, Flags::INVALID),
            (Tgamma, &[-0.0], f64::NEG_INFINITY, Flags::DIVBYZERO),
            (Tgamma, &[172.0], f64::INFINITY, Flags::OVERFLOW | inexact),
            (Lgamma, &[-2.0], f64::INFINITY, Flags::DIVBYZERO),
            (Lgamma, &[1.0], 0.0, Flags::empty()),
            (Y0, &[0.0], f64::NEG_INFINITY, Flags::DIVBYZERO),
            (Y1, &[1e-310], f64::NEG_INFINITY, Flags::OVERFLOW | inexact),
            (Pow, &[0.0, -1.0], f64::INFINITY, Flags::DIVBYZERO),
            (Pow, &[0.0, f64::NEG_INFINITY], f64::INFINITY, Flags::empty()),
            (Pow, &[-1.0, 0.5], f64::NAN, Flags::INVALID),
            (Pow, &[1.0, f64::NAN], 1.0, Flags::empty()),
            (Hypot, &[f64::INFINITY, f64::NAN], f64::INFINITY, Flags::empty()),
            (Atanh, &[-1.0], f64::NEG_INFINITY, Flags::DIVBYZERO),
        ];
        for (function, operands, value, flags) in cases {
            let (got, raised) = double(function, operands);
            assert!(got == value || got.is_nan() && value.is_nan(), "{} {operands:?}: {got}", function.name());
            assert_eq!(raised, flags, "{} {operands:?}", function.name());
        }
    }

    #[test]
    fn results_of_glibc_are_never_far() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let magnitude = f64::from_bits((state >> 12) | 0x3ff0_0000_0000_0000) - 1.0;
            (magnitude * 80.0 - 40.0).exp2() * if state & 1 == 0 { 1.0 } else { -1.0 }
        };
        type Native = fn(f64) -> f64;
        let functions: [(Function, Native); 16] = [
            (Function::Sin, f64::sin),
            (Function::Cos, f64::cos),
            (Function::Tan, f64::tan),
            (Function::Asin, f64::asin),
            (Function::Atan, f64::atan),
            (Function::Sinh, f64::sinh),
            (Function::Tanh, f64::tanh),
            (Function::Exp, f64::exp),
            (Function::Exp2, f64::exp2),
            (Function::Expm1, f64::exp_m1),
            (Function::Log, f64::ln),
            (Function::Log2, f64::log2),
            (Function::Log10, f64::log10),
            (Function::Log1p, f64::ln_1p),
            (Function::Cbrt, f64::cbrt),
            (Function::Cosh, f64::cosh),
        ];
        for (function, native) in functions {
            for _ in 0..200 {
                let x = random();
                let (ours, theirs) = (evaluate(function, &[Float::from_f64(x)]).value, Float::from_f64(native(x)));
                let near = ours.ulp_distance(&theirs).is_some_and(|steps| steps <= function.ulps().into());
                assert!(near || ours.is_nan() && theirs.is_nan(), "{}({x:e})", function.name());
            }
        }
    }

    #[test]
    fn directed_results_enclose_the_nearest_one() {
        for format in [Format::BINARY16, Format::BINARY32, Format::X87, Format::BINARY128] {
            let x = Float::parse_decimal(format, "1.25").unwrap();
            for function in Function::all().filter(|function| function.arity() == 1) {
                let at =
                    |mode| evaluate_in(function, std::slice::from_ref(&x), &Environment::with_rounding(mode)).value;
                let (down, near, up) =
                    (at(RoundingMode::TowardNegative), at(RoundingMode::NearestEven), at(RoundingMode::TowardPositive));
                if near.is_nan() {
                    continue;
                }
                assert!(down.ordinal() <= near.ordinal() && near.ordinal() <= up.ordinal());
                assert!(down.ulp_distance(&up) <= Some(1u8.into()), "{}", function.name());
            }
        }
    }

    #[test]
    fn huge_operands_take_little_time() {
        let start = std::time::Instant::now();
        for function in Function::all() {
            for text in ["1e4900", "-1e4900", "-1000000.5", "1e-4940", "123456.75"] {
                let x = Float::parse_decimal(Format::X87, text).unwrap();
                evaluate(function, &vec![x; function.arity()]);
            }
        }
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
