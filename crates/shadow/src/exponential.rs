//! exp on double words: tables and polynomials in place of binary128, which takes ten times as long.
//!
//! **Claim.** For −600 < x < 700 the result is within 2^−99 of eˣ, relative to it, x the double word. **Argument.** x = n·ln 2/32 + r with
//! |r| ≤ ln 2/64 + 2^−40 < 0.011, and eˣ = 2^m · 2^(j/32) · eʳ where n = 32·m + j.
//!
//! - *Reduction.* |n| < 2^15. ln 2/32 is L₁ + L₂ + L₃ to within 2^−150, L₁ a multiple of 2^−41 and so n·L₁ of less than 53 bits; L₂ < 2^−41 a
//!   double, whose product with n is exact as a double word; n·L₃ < 2^−79 is rounded by 2^−132. The sums are of double words, each within 3·2^−106 of what it sums;
//!   what is summed is below 0.011 but for x's lower half, below 2^−44. So r is known to within 2^−110.
//! - *Polynomial.* Σ rᵏ/k! up to k = 12; the rest is below 0.011¹³/13! < 2^−116. From k = 6 on it is summed in doubles, by Horner's rule, of which the first is within 2^−51 of 1/720:
//!   with r⁶/720 < 2^−48 before it, that is 2^−99.4 at most for all, and the lower half of r, left out there, is less. The other coefficients are double words, each within 2^−107 of itself; sums and
//!   products with errors of 3·2^−106 and 5·2^−106 add 2^−102.
//! - *The rest.* 2^(j/32) is a double word within 2^−107 of itself, the last product within 5·2^−106; the power of two is exact, for no half of the
//!   result is subnormal where x > −600.
//!
//! All constants are MPFR's, rounded. Beyond that range the function of binary128 is called. The method is that of Tang, "Table-driven implementation of the exponential function in IEEE
//! floating-point arithmetic", ACM TOMS 15, 1989, with double words for doubles.

use std::fmt::Write as _;

use labrys_elementary::rug::{Float, float::Constant, ops::Pow};

/// Bits of the constants before they are rounded.
const PRECISION: u32 = 400;
/// 2^5 roots of two.
const ROOT_BITS: u32 = 5;
/// Terms of the series from which on doubles are enough, and the last one.
const FIRST_IN_DOUBLES: u32 = 6;
const LAST: u32 = 12;

/// The constants of `runtime/exponential.c`, and the function.
pub(crate) fn text() -> String {
    let mut text = String::new();
    let step = Float::with_val(PRECISION, Constant::Log2) >> ROOT_BITS;
    let inverse = Float::with_val(PRECISION, step.recip_ref()).to_f64();
    let count = 1 << ROOT_BITS;
    let terms = LAST + 1 - FIRST_IN_DOUBLES;
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "enum {{ EXP_ROOT_BITS = {ROOT_BITS}, EXP_ROOT_COUNT = {count}, EXP_TERMS = {terms}, EXP_WORDS = {FIRST_IN_DOUBLES} }};"
    );
    let _ = writeln!(text, "#define EXP_INVERSE {inverse:e}");
    // A multiple of 2^−41, and two doubles.
    let first = (Float::with_val(PRECISION, &step << 41u32).trunc() >> 41u32).to_f64();
    let rest = step - first;
    let second = rest.to_f64();
    let third = (rest - second).to_f64();
    let _ = writeln!(text, "static const double EXP_STEP[] = {{ {first:e}, {second:e}, {third:e} }};");
    let inverse_factorial = |k: u32| Float::with_val(PRECISION, Float::factorial(k)).recip();
    let series: Vec<String> =
        (FIRST_IN_DOUBLES..=LAST).map(|k| format!("{:e}", inverse_factorial(k).to_f64())).collect();
    let _ = writeln!(text, "static const double EXP_SERIES[] = {{ {} }};", series.join(", "));
    let words: Vec<String> = (0..FIRST_IN_DOUBLES).rev().map(|k| word(inverse_factorial(k))).collect();
    let _ = writeln!(text, "static const W EXP_COEFFICIENTS[] = {{ {} }};", words.join(", "));
    let root = |j: u32| Float::with_val(PRECISION, 2).pow(Float::with_val(PRECISION, j) >> ROOT_BITS);
    let roots: Vec<String> = (0..count).map(|j| word(root(j))).collect();
    let _ = writeln!(text, "static const W EXP_ROOTS[] = {{ {} }};", roots.join(", "));
    text.push_str(include_str!("runtime/exponential.c"));
    text
}

/// The nearest double word, as an initialiser.
fn word(number: Float) -> String {
    let high = number.to_f64();
    let low = (number - high).to_f64();
    format!("{{ {high:e}, {low:e} }}")
}
