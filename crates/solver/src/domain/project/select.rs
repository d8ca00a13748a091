//! Projections of fp.min; fp.max is its mirror image.
//!
//! The result is one of the operands: the other where one is NaN, else the smaller, and of zeros of different signs either,
//! because the standard leaves that open. So the members of an operand's set that can be the result are those not above
//! everything in the other set, where zeros count as equal.

use crate::domain::FloatDomain;

/// The numbers of `a` that are at most some number of `b`.
fn not_above(a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    match b.max_rank() {
        Some(-1) => a.clip(i128::MIN, 0),
        Some(high) => a.clip(i128::MIN, high),
        None => FloatDomain::empty(a.format),
    }
}

/// The numbers of `a` that are at least some number of `b`.
fn not_below(a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    match b.min_rank() {
        Some(0) => a.clip(-1, i128::MAX),
        Some(low) => a.clip(low, i128::MAX),
        None => FloatDomain::empty(a.format),
    }
}

/// The direct projection.
pub(super) fn min(a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
    let mut results = not_above(a, b).hull(&not_above(b, a));
    if a.nan {
        results = results.hull(b);
    }
    if b.nan {
        results = results.hull(a);
    }
    FloatDomain { nan: a.nan && b.nan, ..results }
}

/// The inverse projection.
pub(super) fn inverse_min(r: &FloatDomain, a: &FloatDomain, b: &FloatDomain) -> (FloatDomain, FloatDomain) {
    let (mut left, mut right) = (FloatDomain::empty(a.format), FloatDomain::empty(b.format));
    let from_left = not_above(&a.intersect(r), b);
    if !from_left.is_empty() {
        left = left.hull(&from_left);
        right = right.hull(&not_below(b, &from_left));
    }
    let from_right = not_above(&b.intersect(r), a);
    if !from_right.is_empty() {
        right = right.hull(&from_right);
        left = left.hull(&not_below(a, &from_right));
    }
    let nan = |domain: &FloatDomain| FloatDomain { nan: true, ..FloatDomain::empty(domain.format) };
    if a.nan && !b.intersect(r).is_empty() {
        left = left.hull(&nan(a));
        right = right.hull(&b.intersect(r));
    }
    if b.nan && !a.intersect(r).is_empty() {
        right = right.hull(&nan(b));
        left = left.hull(&a.intersect(r));
    }
    (left, right)
}
