//! Comparisons: what is left of two sets where one holds or does not, and whether it is decided.
//!
//! Each narrowing keeps the members that have a partner, up to the sets' shape. In the order by value both zeros are one
//! place, so bounds on either side of them are moved to include both.

use crate::domain::{BoolDomain, FloatDomain};

/// The least rank of a number equal to the one of this rank.
fn down(rank: i128) -> i128 {
    if rank == 0 { -1 } else { rank }
}

/// The greatest rank of a number equal to the one of this rank.
fn up(rank: i128) -> i128 {
    if rank == -1 { 0 } else { rank }
}

/// Both sets, or none if either is empty.
fn both(a: FloatDomain, b: FloatDomain) -> (FloatDomain, FloatDomain) {
    if a.is_empty() || b.is_empty() { (FloatDomain::empty(a.format), FloatDomain::empty(b.format)) } else { (a, b) }
}

/// The numbers of `a` and `b` with a < b, or a ≤ b if not `strict`.
fn ordered(a: &FloatDomain, b: &FloatDomain, strict: bool) -> (FloatDomain, FloatDomain) {
    let nothing = (FloatDomain::empty(a.format), FloatDomain::empty(b.format));
    let (Some(low), Some(high)) = (a.min_rank(), b.max_rank()) else {
        return nothing;
    };
    if strict {
        both(a.clip(i128::MIN, down(high) - 1), b.clip(up(low) + 1, i128::MAX))
    } else {
        both(a.clip(i128::MIN, up(high)), b.clip(down(low), i128::MAX))
    }
}

/// Where an order does not hold: NaN on either side, or the reverse order.
fn unordered_or(a: &FloatDomain, b: &FloatDomain, reverse: (FloatDomain, FloatDomain)) -> (FloatDomain, FloatDomain) {
    if a.is_empty() || b.is_empty() {
        return (FloatDomain::empty(a.format), FloatDomain::empty(b.format));
    }
    let left = if b.nan { *a } else { FloatDomain { nan: a.nan, ..reverse.0 } };
    let right = if a.nan { *b } else { FloatDomain { nan: b.nan, ..reverse.1 } };
    (left, right)
}

/// `fp.lt` is `truth`.
pub fn less(a: &FloatDomain, b: &FloatDomain, truth: bool) -> (FloatDomain, FloatDomain) {
    if truth {
        return ordered(a, b, true);
    }
    let (right, left) = ordered(b, a, false);
    unordered_or(a, b, (left, right))
}

/// `fp.leq` is `truth`.
pub fn less_equal(a: &FloatDomain, b: &FloatDomain, truth: bool) -> (FloatDomain, FloatDomain) {
    if truth {
        return ordered(a, b, false);
    }
    let (right, left) = ordered(b, a, true);
    unordered_or(a, b, (left, right))
}

/// The set with both zeros if it has one.
fn with_both_zeros(a: &FloatDomain) -> FloatDomain {
    let zero = a.minus_zero || a.plus_zero;
    FloatDomain { minus_zero: zero, plus_zero: zero, ..*a }
}

/// `fp.eq` is `truth`.
pub fn ieee_equal(a: &FloatDomain, b: &FloatDomain, truth: bool) -> (FloatDomain, FloatDomain) {
    if truth {
        let (left, right) = (a.without_nan(), b.without_nan());
        return both(left.intersect(&with_both_zeros(&right)), right.intersect(&with_both_zeros(&left)));
    }
    let without = |a: &FloatDomain, b: &FloatDomain| match (b.min_rank(), b.max_rank()) {
        (Some(low), Some(high)) if down(low) == down(high) && !b.nan => {
            a.without_rank(down(low)).without_rank(up(high))
        }
        _ => *a,
    };
    both(without(a, b), without(b, a))
}

/// SMT-LIB's `=` is `truth`: one NaN, and −0 is not +0.
pub fn same(a: &FloatDomain, b: &FloatDomain, truth: bool) -> (FloatDomain, FloatDomain) {
    if truth {
        let common = a.intersect(b);
        return (common, common);
    }
    let without = |a: &FloatDomain, b: &FloatDomain| match b.as_single_rank() {
        Some(rank) => a.without_rank(rank),
        None if b.nan && !b.has_numbers() => a.without_nan(),
        None => *a,
    };
    both(without(a, b), without(b, a))
}

fn decided(
    narrow: fn(&FloatDomain, &FloatDomain, bool) -> (FloatDomain, FloatDomain),
    a: &FloatDomain,
    b: &FloatDomain,
) -> BoolDomain {
    BoolDomain::of(!narrow(a, b, true).0.is_empty(), !narrow(a, b, false).0.is_empty())
}

/// The values of `fp.lt` on members.
pub fn decide_less(a: &FloatDomain, b: &FloatDomain) -> BoolDomain {
    decided(less, a, b)
}

/// The values of `fp.leq` on members.
pub fn decide_less_equal(a: &FloatDomain, b: &FloatDomain) -> BoolDomain {
    decided(less_equal, a, b)
}

/// The values of `fp.eq` on members.
pub fn decide_ieee_equal(a: &FloatDomain, b: &FloatDomain) -> BoolDomain {
    decided(ieee_equal, a, b)
}

/// The values of `=` on members.
pub fn decide_same(a: &FloatDomain, b: &FloatDomain) -> BoolDomain {
    decided(same, a, b)
}
