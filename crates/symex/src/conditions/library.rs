//! When library functions raise, over the reals.
//!
//! Elementary functions are not expressible over the reals; their domains and ranges are, with constants for log Ω and
//! the like (Barr, Vo, Le, Su, POPL 2013, section 3.1). Only a source of candidates, like all of the reals: a constant
//! rounded to a double is good enough. pow is described where both factors of its logarithm are bounded, not everywhere.

use std::sync::Arc;

use labrys_float::{Flags, Format};
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::ConditionError;
use super::real::{constant, integer, is_zero, largest};

/// When `name` applied to `operands` raises `exception`; `None` if never.
///
/// # Errors
///
/// For functions that are not modelled.
pub(super) fn raises(
    store: &mut Store,
    name: &Arc<str>,
    operands: &[TermId],
    format: Format,
    exception: Flags,
) -> Result<Option<TermId>, ConditionError> {
    // C's variants for float and long double; no double function of the list below ends in f or l except these.
    let base = match &**name {
        "erf" | "ceil" | "modf" => name,
        other => other.strip_suffix(['f', 'l']).unwrap_or(other),
    };
    match (base, operands) {
        ("sin" | "cos" | "tan" | "atan" | "atan2" | "tanh" | "asinh" | "cbrt" | "erf", _) => Ok(None),
        ("exp" | "expm1", &[x]) => Ok(exponential(store, x, format, std::f64::consts::LN_2, base == "exp", exception)),
        ("exp2", &[x]) => Ok(exponential(store, x, format, 1.0, true, exception)),
        ("exp10", &[x]) => Ok(exponential(store, x, format, std::f64::consts::LOG10_2, true, exception)),
        ("sinh" | "cosh", &[x]) => Ok((exception == Flags::OVERFLOW).then(|| {
            let size = store.mk(Op::RealAbs, &[x]);
            // Half of exp: overflows one power of two later.
            let bound = approximate(store, (format.max_exponent() + 2) as f64 * std::f64::consts::LN_2);
            store.mk(Op::RealLt, &[bound, size])
        })),
        ("log" | "log2" | "log10", &[x]) => Ok(logarithm(store, x, 0, exception)),
        ("log1p" | "logp1", &[x]) => Ok(logarithm(store, x, -1, exception)),
        ("asin" | "acos", &[x]) => Ok((exception == Flags::INVALID).then(|| exceeds_one(store, x))),
        ("acosh", &[x]) => Ok((exception == Flags::INVALID).then(|| {
            let one = integer(store, BigInt::one());
            store.mk(Op::RealLt, &[x, one])
        })),
        ("atanh", &[x]) => Ok(match exception {
            Flags::INVALID => Some(exceeds_one(store, x)),
            Flags::DIVBYZERO => {
                let (size, one) = (store.mk(Op::RealAbs, &[x]), integer(store, BigInt::one()));
                Some(store.mk(Op::Eq, &[size, one]))
            }
            _ => None,
        }),
        ("hypot", &[x, y]) => Ok((exception == Flags::OVERFLOW).then(|| {
            let (x, y) = (store.mk(Op::RealMul, &[x, x]), store.mk(Op::RealMul, &[y, y]));
            let sum = store.mk(Op::RealAdd, &[x, y]);
            let bound = constant(store, largest(format) * largest(format));
            store.mk(Op::RealLt, &[bound, sum])
        })),
        ("pow", &[x, y]) => Ok(power(store, x, y, format, exception)),
        _ => Err(ConditionError::Opaque(name.clone())),
    }
}

/// base^x with log_base 2 = `unit`: overflows above (emax + 1)·unit, underflows below emin·unit.
fn exponential(
    store: &mut Store,
    x: TermId,
    format: Format,
    unit: f64,
    can_vanish: bool,
    exception: Flags,
) -> Option<TermId> {
    match exception {
        Flags::OVERFLOW => {
            let bound = approximate(store, (format.max_exponent() + 1) as f64 * unit);
            Some(store.mk(Op::RealLt, &[bound, x]))
        }
        Flags::UNDERFLOW if can_vanish => {
            let bound = approximate(store, format.min_exponent() as f64 * unit);
            Some(store.mk(Op::RealLt, &[x, bound]))
        }
        _ => None,
    }
}

/// log(x − pole).
fn logarithm(store: &mut Store, x: TermId, pole: i32, exception: Flags) -> Option<TermId> {
    let pole = integer(store, pole.into());
    match exception {
        Flags::INVALID => Some(store.mk(Op::RealLt, &[x, pole])),
        Flags::DIVBYZERO => Some(store.mk(Op::Eq, &[x, pole])),
        _ => None,
    }
}

fn power(store: &mut Store, x: TermId, y: TermId, format: Format, exception: Flags) -> Option<TermId> {
    let zero = integer(store, BigInt::from(0));
    match exception {
        // Not for integers y, which the reals cannot say; a candidate with y = 1/2 is as good as any.
        Flags::INVALID => {
            let negative = store.mk(Op::RealLt, &[x, zero]);
            let half = constant(store, BigRational::new(BigInt::one(), BigInt::from(2)));
            let root = store.mk(Op::Eq, &[y, half]);
            Some(store.and(&[negative, root]))
        }
        Flags::DIVBYZERO => {
            let (pole, negative) = (is_zero(store, x), store.mk(Op::RealLt, &[y, zero]));
            Some(store.and(&[pole, negative]))
        }
        // |log2 x| ≥ 1 and y beyond the exponent range is enough, not necessary.
        _ => {
            let two = integer(store, BigInt::from(2));
            let range = integer(store, BigInt::from(format.max_exponent() + i64::from(format.precision())));
            let negated = store.mk(Op::RealNeg, &[range]);
            let grows = exception == Flags::OVERFLOW;
            let large = store.mk(Op::RealLe, &[two, x]);
            let up = if grows { [range, y] } else { [y, negated] };
            let up = store.mk(Op::RealLt, &up);
            Some(store.and(&[large, up]))
        }
    }
}

fn exceeds_one(store: &mut Store, x: TermId) -> TermId {
    let (size, one) = (store.mk(Op::RealAbs, &[x]), integer(store, BigInt::one()));
    store.mk(Op::RealLt, &[one, size])
}

/// A constant as good as a double.
fn approximate(store: &mut Store, value: f64) -> TermId {
    constant(store, BigRational::from_float(value).unwrap_or_else(BigRational::one))
}
