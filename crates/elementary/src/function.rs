//! The functions of libm that are not one correctly rounded operation.

use labrys_float::Flags;

/// A function of C's `math.h`, whatever the format of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is the C function of that name")]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Exp2,
    Exp10,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Logb,
    Pow,
    Cbrt,
    Hypot,
    Erf,
    Erfc,
    Tgamma,
    Lgamma,
    J0,
    J1,
    Y0,
    Y1,
}

/// What is known of a function beside its values.
struct Row {
    function: Function,
    /// The C function on doubles.
    name: &'static str,
    arity: usize,
    /// Bounds of its results where they are not NaN.
    bounds: Option<(f64, f64)>,
    /// How far glibc's results may lie from the correctly rounded ones, in steps from float to float.
    ulps: u32,
}

const fn row(function: Function, name: &'static str, arity: usize, bounds: Option<(f64, f64)>, ulps: u32) -> Row {
    Row { function, name, arity, bounds, ulps }
}

const NOT_NEGATIVE: Option<(f64, f64)> = Some((0.0, f64::INFINITY));

/// In the order of the variants.
///
/// Bounds are those of the mathematical functions, widened where rounding to any format can leave them (π/2 and π, which
/// round up in binary32), and where `image` does not assume that libms keep to them: j0 may be a few floats above 1.
///
/// The distances are glibc's "Known Maximum Errors in Math Functions" (manual, section 19.7) on x86-64 and AArch64 for
/// float, double and long double, doubled because a step below a power of two is half an ulp above it, and not below 4.
const TABLE: [Row; 33] = [
    row(Function::Sin, "sin", 1, Some((-1.0, 1.0)), 4),
    row(Function::Cos, "cos", 1, Some((-1.0, 1.0)), 4),
    row(Function::Tan, "tan", 1, None, 4),
    row(Function::Asin, "asin", 1, Some((-1.6, 1.6)), 4),
    row(Function::Acos, "acos", 1, Some((0.0, 3.2)), 4),
    row(Function::Atan, "atan", 1, Some((-1.6, 1.6)), 4),
    row(Function::Atan2, "atan2", 2, Some((-3.2, 3.2)), 4),
    row(Function::Sinh, "sinh", 1, None, 8),
    row(Function::Cosh, "cosh", 1, Some((1.0, f64::INFINITY)), 8),
    row(Function::Tanh, "tanh", 1, Some((-1.0, 1.0)), 8),
    row(Function::Asinh, "asinh", 1, None, 8),
    row(Function::Acosh, "acosh", 1, NOT_NEGATIVE, 8),
    row(Function::Atanh, "atanh", 1, None, 8),
    row(Function::Exp, "exp", 1, NOT_NEGATIVE, 4),
    row(Function::Exp2, "exp2", 1, NOT_NEGATIVE, 4),
    row(Function::Exp10, "exp10", 1, NOT_NEGATIVE, 4),
    row(Function::Expm1, "expm1", 1, Some((-1.0, f64::INFINITY)), 8),
    row(Function::Log, "log", 1, None, 4),
    row(Function::Log2, "log2", 1, None, 8),
    row(Function::Log10, "log10", 1, None, 4),
    row(Function::Log1p, "log1p", 1, None, 8),
    row(Function::Logb, "logb", 1, None, 0),
    row(Function::Pow, "pow", 2, None, 4),
    row(Function::Cbrt, "cbrt", 1, None, 8),
    row(Function::Hypot, "hypot", 2, NOT_NEGATIVE, 4),
    row(Function::Erf, "erf", 1, Some((-1.0, 1.0)), 4),
    row(Function::Erfc, "erfc", 1, Some((0.0, 2.0)), 16),
    row(Function::Tgamma, "tgamma", 1, None, 24),
    row(Function::Lgamma, "lgamma", 1, None, 32),
    row(Function::J0, "j0", 1, Some((-1.1, 1.1)), 24),
    row(Function::J1, "j1", 1, Some((-1.0, 1.0)), 24),
    row(Function::Y0, "y0", 1, None, 24),
    row(Function::Y1, "y1", 1, None, 24),
];

impl Function {
    /// Every function, in a fixed order.
    pub fn all() -> impl Iterator<Item = Function> {
        TABLE.iter().map(|row| row.function)
    }

    /// The function whose C name on doubles this is. What other names there are, `labrys_program`'s table of known functions says.
    ///
    /// ```
    /// use labrys_elementary::Function;
    ///
    /// assert_eq!(Function::named("pow"), Some(Function::Pow));
    /// assert_eq!(Function::named("erf"), Some(Function::Erf));
    /// assert_eq!(Function::named("sqrt"), None); // correctly rounded everywhere
    /// ```
    pub fn named(name: &str) -> Option<Function> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.function)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Its C name on doubles.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How many operands it takes.
    pub fn arity(self) -> usize {
        self.row().arity
    }

    /// Bounds of its results where they are not NaN, inclusive, with any libm and in any format; `None` where it has none.
    pub fn bounds(self) -> Option<(f64, f64)> {
        self.row().bounds
    }

    /// How many floats glibc's results are assumed to lie at most from the correctly rounded ones: twice the greatest
    /// error in ulps that its manual knows of, at least 4.
    pub fn ulps(self) -> u32 {
        self.row().ulps
    }
}

impl Function {
    /// The steps that results are taken to be off at most when `ulps` are asked for: the function's own number where that is
    /// more, none for 0, which means a correctly rounding libm.
    pub fn steps(self, ulps: u32) -> u32 {
        if ulps == 0 { 0 } else { ulps.max(self.ulps()) }
    }

    /// Every exception (inexact left out) that it can raise on some operands that are not NaNs, in the standard formats.
    ///
    /// Underflow near the zeros that are no floats is left out, of sin, cos and tan by the argument of `pieces`, of the Bessel functions
    /// and lgamma because values there are at least about 2^−2p.
    pub fn possible(self) -> Flags {
        use Function::*;
        let domain = match self {
            Sin | Cos | Tan | Asin | Acos | Acosh => Flags::INVALID,
            Log | Log2 | Log10 | Log1p | Atanh | Pow | Tgamma | Y0 | Y1 => Flags::INVALID | Flags::DIVBYZERO,
            Logb | Lgamma => Flags::DIVBYZERO,
            _ => Flags::empty(),
        };
        let range = match self {
            Sin | Tan | Asin | Atan | Tanh | Asinh | Atanh | Log1p | Erf | Erfc | J1 | Atan2 => Flags::UNDERFLOW,
            Exp | Exp2 | Exp10 | Expm1 | Sinh | Pow | Hypot | Tgamma => Flags::OVERFLOW | Flags::UNDERFLOW,
            Cosh | Lgamma | Y1 => Flags::OVERFLOW,
            _ => Flags::empty(),
        };
        domain | range
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::{Float, Format};

    use super::*;
    use crate::{Range, image, may_raise};

    #[test]
    fn possible_exceptions_are_those_of_the_image_of_everything() {
        for function in Function::all() {
            let everything = vec![Range::numbers(Format::BINARY64).unwrap(); function.arity()];
            let image = may_raise(function, &everything, 0) & Flags::NOTABLE;
            // What the image of everything cannot exclude near zeros.
            let unproved = match function {
                Function::J0 | Function::Y0 | Function::Y1 | Function::Lgamma => Flags::UNDERFLOW,
                _ => Flags::empty(),
            };
            assert_eq!(image, function.possible() | unproved, "{}", function.name());
        }
        let half = Float::from_f64(0.5);
        assert!(may_raise(Function::J0, &[Range::only(half).unwrap()], 4) == Flags::INEXACT);
    }

    #[test]
    fn rows_stand_where_their_variants_are() {
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(row.function as usize, place);
            assert_eq!(Function::named(row.name), Some(row.function));
        }
    }

    #[test]
    fn names_of_other_functions_are_not_taken() {
        for name in ["", "fmod", "ceil", "floor", "sinf", "expl", "__sin", "ldexp", "erfcx"] {
            assert_eq!(Function::named(name), None, "{name}");
        }
    }

    /// Symbolic execution took j0 for at most 1, which is not among the assumptions of `image`.
    #[test]
    fn bounds_hold_the_image_of_everything() {
        for function in Function::all() {
            let Some((low, high)) = function.bounds() else { continue };
            for format in [Format::BINARY32, Format::BINARY64] {
                let image = image(function, &vec![Range::numbers(format).unwrap(); function.arity()], 4);
                for range in &image.ranges {
                    let ends =
                        [range.low(), range.high()].map(|end| end.to_f64().or(end.to_f32().map(f64::from)).unwrap());
                    assert!(low <= ends[0] && ends[1] <= high, "{} {ends:?}", function.name());
                }
            }
        }
    }
}
