//! Numbers in conditions over the reals.

use labrys_float::{Float, Format};
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

/// x = 0.
pub(super) fn is_zero(store: &mut Store, x: TermId) -> TermId {
    let zero = constant(store, BigRational::zero());
    store.mk(Op::Eq, &[x, zero])
}

/// 0 < x.
pub(super) fn positive(store: &mut Store, x: TermId) -> TermId {
    let zero = constant(store, BigRational::zero());
    store.mk(Op::RealLt, &[zero, x])
}

/// A number.
pub(super) fn constant(store: &mut Store, value: BigRational) -> TermId {
    store.real_const(value)
}

/// An integer.
pub(super) fn integer(store: &mut Store, value: BigInt) -> TermId {
    store.real_const(BigRational::from_integer(value))
}

/// Ω.
pub(super) fn largest(format: Format) -> BigRational {
    finite(&Float::max_finite(format))
}

/// ω.
pub(super) fn smallest_normal(format: Format) -> BigRational {
    finite(&Float::min_normal(format))
}

/// The value of a number that is known to be finite.
fn finite(value: &Float) -> BigRational {
    value.to_rational().unwrap_or_else(BigRational::zero)
}
