//! When library functions raise, over the reals.
//!
//! Elementary functions are not expressible over the reals; their domains and ranges are (Barr, Vo, Le, Su, POPL 2013,
//! section 3.1 and figure 5). Functions of one operand raise in intervals of it, whose ends are floats found with MPFR
//! ([`triggers`]): every float inside raises. atan2 and hypot have polynomial conditions.
//!
//! What this misses, being only a source of candidates: Γ's poles beyond −4; of pow the bases so near 1 that exponents beyond
//! a million are needed, a factor of three in log x^y, and exponents between other neighbouring integers than −3 … 3 for an invalid
//! power of a negative number.

use labrys_elementary::{Function, Sense, triggers};
use labrys_float::{Flags, Format};
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::ConditionError;
use super::number::{constant, integer, is_zero, largest, smallest_normal};
use crate::LibraryOperator;

/// When `function` applied to `operands` raises `exception`; `None` if never.
///
/// # Errors
///
/// For functions that are not modelled.
pub(super) fn raises(
    store: &mut Store,
    function: &LibraryOperator,
    operands: &[TermId],
    format: Format,
    exception: Flags,
) -> Result<Option<TermId>, ConditionError> {
    let opaque = || Err(ConditionError::Opaque(function.name().into()));
    let LibraryOperator::Elementary(elementary) = *function else { return opaque() };
    match (elementary, operands) {
        (elementary, _) if !elementary.possible().contains(exception) => Ok(None),
        (Function::Pow, &[x, y]) => Ok(Some(power(store, x, y, format, exception))),
        (Function::Atan2, &[y, x]) => Ok(Some(angle_is_tiny(store, y, x, format))),
        (Function::Hypot, &[x, y]) => Ok(Some(length(store, x, y, format, exception))),
        (elementary, &[x]) => Ok(unary(store, elementary, x, format, exception)),
        _ => opaque(),
    }
}

/// The operand lies in one of the intervals where every libm raises.
fn unary(store: &mut Store, function: Function, x: TermId, format: Format, exception: Flags) -> Option<TermId> {
    let triggers = triggers(function, format, exception, 1, Sense::Must)?;
    let mut cases = Vec::new();
    for range in &triggers.ranges {
        let (low, high) = (range.low(), range.high());
        // Reals are finite, and a number next to zero stands for all numbers next to it.
        let tiny = |end: &labrys_float::Float| end.is_finite() && !end.is_zero() && end.next_down().abs().is_zero();
        let mut parts = Vec::new();
        if tiny(low) {
            let zero = integer(store, BigInt::zero());
            parts.push(store.mk(Op::RealLt, &[zero, x]));
        } else if let Some(low) = low.to_rational().filter(|low| *low > -largest(format)) {
            let low = constant(store, low);
            parts.push(store.mk(Op::RealLe, &[low, x]));
        }
        if tiny(&high.neg()) {
            let zero = integer(store, BigInt::zero());
            parts.push(store.mk(Op::RealLt, &[x, zero]));
        } else if let Some(high) = high.to_rational().filter(|high| *high < largest(format)) {
            let high = constant(store, high);
            parts.push(store.mk(Op::RealLe, &[x, high]));
        }
        // Nothing bounds an infinity alone, and it is no real.
        if !parts.is_empty() {
            cases.push(store.and(&parts));
        }
    }
    if triggers.negative_integers {
        for pole in 1..=4 {
            let pole = integer(store, BigInt::from(-pole));
            cases.push(store.mk(Op::Eq, &[x, pole]));
        }
    }
    (!cases.is_empty()).then(|| store.or(&cases))
}

/// y/x is tiny and x positive: so is the angle.
fn angle_is_tiny(store: &mut Store, y: TermId, x: TermId, format: Format) -> TermId {
    let (zero, bound) = (integer(store, BigInt::zero()), constant(store, smallest_normal(format)));
    let size = store.mk(Op::RealAbs, &[y]);
    let scaled = store.mk(Op::RealMul, &[x, bound]);
    let parts =
        [store.mk(Op::RealLt, &[zero, x]), store.mk(Op::RealLt, &[zero, size]), store.mk(Op::RealLt, &[size, scaled])];
    store.and(&parts)
}

fn length(store: &mut Store, x: TermId, y: TermId, format: Format, exception: Flags) -> TermId {
    let squares = [store.mk(Op::RealMul, &[x, x]), store.mk(Op::RealMul, &[y, y])];
    let sum = store.mk(Op::RealAdd, &squares);
    if exception == Flags::OVERFLOW {
        let bound = constant(store, largest(format) * largest(format));
        return store.mk(Op::RealLt, &[bound, sum]);
    }
    // With a zero operand the length is exact.
    let zeros = [is_zero(store, x), is_zero(store, y)].map(|zero| store.not(zero));
    let bound = constant(store, smallest_normal(format) * smallest_normal(format));
    let tiny = store.mk(Op::RealLt, &[sum, bound]);
    store.and(&[tiny, zeros[0], zeros[1]])
}

fn power(store: &mut Store, x: TermId, y: TermId, format: Format, exception: Flags) -> TermId {
    let zero = integer(store, BigInt::zero());
    match exception {
        Flags::INVALID => {
            let negative = store.mk(Op::RealLt, &[x, zero]);
            let mut between = Vec::new();
            for below in [0, -1, 1, -2, 2, -3] {
                let (below, above) = (integer(store, below.into()), integer(store, (below + 1).into()));
                let parts = [store.mk(Op::RealLt, &[below, y]), store.mk(Op::RealLt, &[y, above])];
                between.push(store.and(&parts));
            }
            let between = store.or(&between);
            store.and(&[negative, between])
        }
        Flags::DIVBYZERO => {
            let (pole, negative) = (is_zero(store, x), store.mk(Op::RealLt, &[y, zero]));
            store.and(&[pole, negative])
        }
        _ => {
            let grows = exception == Flags::OVERFLOW;
            let cases: Vec<TermId> = BANDS.map(|band| power_beyond(store, x, y, format, band, grows)).collect();
            store.or(&cases)
        }
    }
}

/// i such that bases beyond 2^±2^i get their own bound on the exponent.
const BANDS: std::ops::RangeInclusive<i32> = -10..=10;

/// With L = 2^i: x ≥ 2^L or 0 < x ≤ 2^−L, and y so far from zero that L·|y| exceeds the format's exponents.
fn power_beyond(store: &mut Store, x: TermId, y: TermId, format: Format, band: i32, grows: bool) -> TermId {
    let two = BigRational::from_integer(BigInt::from(2));
    let unit = num_traits::Pow::pow(two.clone(), band);
    let base = if band >= 0 {
        num_traits::Pow::pow(two.clone(), BigInt::one() << band)
    } else {
        // (1 + t)^(1/t) ≥ 2 for t ≤ 1.
        BigRational::one() + unit.clone()
    };
    let exponents =
        if grows { format.max_exponent() + 1 } else { 1 - format.min_exponent() + i64::from(format.precision()) };
    let least = BigRational::from_integer(exponents.into()) / unit;
    let (zero, far, near) =
        (integer(store, BigInt::zero()), constant(store, base.clone()), constant(store, base.recip()));
    let (high, low) = (constant(store, least.clone()), constant(store, -least));
    let large = store.mk(Op::RealLe, &[far, x]);
    let small = [store.mk(Op::RealLt, &[zero, x]), store.mk(Op::RealLe, &[x, near])];
    let small = store.and(&small);
    let (up, down) = (store.mk(Op::RealLe, &[high, y]), store.mk(Op::RealLe, &[y, low]));
    let cases = if grows { [[large, up], [small, down]] } else { [[large, down], [small, up]] };
    let cases = cases.map(|parts| store.and(&parts));
    store.or(&cases)
}
