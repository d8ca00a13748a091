//! What a libm may return and raise, for operands in ranges of floats.
//!
//! **Claim.** For each choice of operands in the ranges, [`image`] holds every result and its flags every exception of a libm
//! with these properties:
//!
//! 1. its results lie at most `ulps` floats from the correctly rounded ones, or [`Function::ulps`] where that is more and `ulps` is
//!    not 0, and have the exact value's sign;
//! 2. it keeps to the bounds of the mathematical functions: |sin|, |cos|, |tanh|, |erf| ≤ 1, cosh ≥ 1, erfc ≤ 2, expm1 ≥ −1; exp, exp2 and
//!    exp10 are at most 1 at x ≤ 0, and at least 1 at x ≥ 0 (an error below 1 ulp does not reach beyond: below 1 floats lie twice as close);
//! 3. zeros, infinities and NaNs that C's Annex F specifies it returns as specified, at zero and infinite operands
//!    everything that is specified there;
//! 4. it raises invalid and divbyzero only as Annex F says, overflow only with an infinite or nearly infinite result
//!    (within `ulps` of infinity), underflow only with a tiny one (at most the smallest normal number, within `ulps`). It may raise
//!    inexact at will. This is what glibc's manual promises ("Errors in Math Functions": no spurious exceptions but
//!    inexact, except close to the thresholds);
//! 5. sin, tan, asin, atan, sinh, tanh, asinh, atanh, expm1, log1p and erf return zero only at zero (libms return x, or c·x, where it
//!    is tiny);
//! 6. Bessel's functions, beyond 1 in 2^(6−p)/√|x| of the exact value where that is more: near their zeros glibc's results have an
//!    absolute error, of any number of floats and any sign.
//!
//! **Argument.** Operands are split where they are zero or infinite, and between, so that the function is monotone on each
//! piece in each operand (`pieces`, `pairs`). The correctly rounded value of a monotone function is monotone, so the ends of a piece
//! give the least and the greatest; the steps of assumption 1 widen them. Pieces where values change sign are cut there between two
//! floats, so that zero and the tiny numbers are members only if a float's value comes near them.

use labrys_float::{Flags, Format};

use crate::parts::{Part, parts};
use crate::{Function, Image, Range, pairs, pieces};

/// A superset of what a libm within `ulps` floats of the correctly rounded results may return and raise for operands in
/// the ranges; the module's documentation says what else is assumed. Operands that are missing, of different formats or of a format of more than
/// 128 bits give everything.
///
/// ```
/// use labrys_elementary::{Function, Range, image};
/// use labrys_float::{Flags, Float};
///
/// let range = |low, high| Range::new(Float::from_f64(low), Float::from_f64(high)).unwrap();
/// let log = image(Function::Log, &[range(0.5, 2.0)], 4);
/// assert!(log.contains(&Float::from_f64(0.0)) && !log.contains(&Float::from_f64(0.7)));
/// assert_eq!(log.flags, Flags::INEXACT);
/// ```
pub fn image(function: Function, operands: &[Range], ulps: u32) -> Image {
    let mut image = Image::default();
    let ulps = function.steps(ulps);
    match operands {
        [x] if function.arity() == 1 => {
            for part in parts(x) {
                match part {
                    Part::Special(x) => image.add_special(function, x, ulps),
                    Part::Finite(low, high) => pieces::add(&mut image, function, x.format(), (low, high), ulps),
                }
            }
        }
        [x, y] if function.arity() == 2 && x.format() == y.format() => pairs::add(&mut image, function, x, y, ulps),
        _ => {
            let format = operands.first().map_or(Format::BINARY64, Range::format);
            image.ranges.extend(Range::numbers(format));
            image.nan = true;
            image.flags = Flags::all();
        }
    }
    image
}

/// The exceptions that such a libm may raise: [`image`]'s flags.
pub fn may_raise(function: Function, operands: &[Range], ulps: u32) -> Flags {
    image(function, operands, ulps).flags
}
