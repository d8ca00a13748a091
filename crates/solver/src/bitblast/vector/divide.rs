//! Quotients and remainders, by restoring division: the schoolbook's method in base two.

use super::{Bits, is_zero, mux, negate_if, sign, sub};
use crate::bitblast::{Gates, Lit};

/// Quotient and remainder of unsigned words. Division by zero gives all ones, and leaves the dividend: SMT-LIB's
/// meaning, which the method has by itself, as zero can always be subtracted.
pub fn divide(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let width = a.len();
    let mut quotient = vec![Lit::FALSE; width];
    // The remainder so far, below b, so that with the next bit it has at most one bit more than b.
    let mut rest: Bits = Vec::with_capacity(width + 1);
    for place in (0..width).rev() {
        rest.insert(0, a[place]);
        // Bits of b above the rest must be zero for it to fit.
        let reach = rest.len().min(width);
        let above = gates.any(&b[reach..]);
        let mut divisor = b[..reach].to_vec();
        divisor.resize(rest.len(), Lit::FALSE);
        let (difference, at_least) = sub(gates, &rest, &divisor);
        let fits = gates.and(at_least, !above);
        quotient[place] = fits;
        rest = mux(gates, fits, &difference, &rest);
        rest.truncate(width);
    }
    (quotient, rest)
}

/// The quotient of words in two's complement, truncated.
pub fn signed_divide(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Bits {
    let (magnitude, divisor) = (magnitude(gates, a), magnitude(gates, b));
    let (quotient, _) = divide(gates, &magnitude, &divisor);
    let negative = gates.xor(sign(a), sign(b));
    negate_if(gates, negative, &quotient)
}

/// The remainder of words in two's complement, of the dividend's sign.
pub fn signed_remainder(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Bits {
    let (magnitude, divisor) = (magnitude(gates, a), magnitude(gates, b));
    let (_, rest) = divide(gates, &magnitude, &divisor);
    negate_if(gates, sign(a), &rest)
}

/// The remainder of words in two's complement, of the divisor's sign.
pub fn signed_modulo(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Bits {
    let rest = signed_remainder(gates, a, b);
    // It differs from the remainder, by b, where that is not zero and the signs differ.
    let differ = gates.xor(sign(a), sign(b));
    let zero = is_zero(gates, &rest);
    let corrected = gates.and(differ, !zero);
    let addend = super::mask(gates, corrected, b);
    super::add(gates, &rest, &addend, Lit::FALSE).0
}

fn magnitude(gates: &mut Gates, a: &[Lit]) -> Bits {
    negate_if(gates, sign(a), a)
}
