use labrys_float::{Format, RoundingMode};
use labrys_term::{Op, TermId};

use super::refutes;
use crate::test_query::Query;
use crate::{Limits, Portfolio, PortfolioConfig};

/// Whether order refutes it.
fn is_refuted(query: &Query) -> bool {
    refutes(&query.store, &query.terms, &mut Portfolio::new(PortfolioConfig::default()), &Limits::default())
}

/// 0 ≤ a ≤ b: the mean a + (b − a)/2 is at most b; below b it may well be.
#[test]
fn means_lie_between() {
    for (strict, refuted) in [(true, true), (false, false)] {
        let mut query = Query::new();
        let (a, b, zero, two) = (query.variable("a"), query.variable("b"), query.number(0.0), query.number(2.0));
        let large = query.number(1e300);
        query.le(zero, a);
        query.le(a, b);
        query.le(b, large);
        let difference = query.op(Op::FpSub, &[b, a]);
        let half = query.op(Op::FpDiv, &[difference, two]);
        let mean = query.op(Op::FpAdd, &[a, half]);
        if strict {
            query.lt(b, mean);
        } else {
            query.lt(mean, b);
        }
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// A product of two numbers lies between the least and the greatest product of their bounds, and may be less than any one of these.
#[test]
fn products_lie_between_those_of_bounds() {
    for (bounds, refuted) in [(4, true), (3, false)] {
        let mut query = Query::new();
        let [a, x, b, c, y, d] = ["a", "x", "b", "c", "y", "d"].map(|name| query.variable(name));
        let (low, high) = (query.number(-100.0), query.number(100.0));
        for [least, number, most] in [[a, x, b], [c, y, d]] {
            query.le(low, least);
            query.le(least, number);
            query.le(number, most);
            query.le(most, high);
        }
        let product = query.op(Op::FpMul, &[x, y]);
        for bounds in [[a, c], [a, d], [b, c], [b, d]].into_iter().take(bounds) {
            let bound = query.op(Op::FpMul, &bounds);
            query.lt(bound, product);
        }
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// A side is at most the hypotenuse; a quotient by it at most 1.
#[test]
fn sides_are_not_longer_than_the_hypotenuse() {
    for (limit, refuted) in [(1.0, true), (0.5, false)] {
        let mut query = Query::new();
        let (a, b) = (query.variable("a"), query.variable("b"));
        let (least, most, limit) = (query.number(0.001), query.number(1000.0), query.number(limit));
        for side in [a, b] {
            query.le(least, side);
            query.le(side, most);
        }
        let squares = [a, b].map(|side| query.op(Op::FpMul, &[side, side]));
        let sum = query.op(Op::FpAdd, &squares);
        let norm = query.op(Op::FpSqrt, &[sum]);
        let cosine = query.op(Op::FpDiv, &[a, norm]);
        query.lt(limit, cosine);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// A query about x, y and z that are finite, each with a sign or without.
fn finite() -> (Query, [TermId; 3]) {
    let mut query = Query::new();
    let variables = ["x", "y", "z"].map(|name| query.variable(name));
    let (low, high) = (query.number(-f64::MAX), query.number(f64::MAX));
    for variable in variables {
        query.le(low, variable);
        query.le(variable, high);
    }
    (query, variables)
}

/// y/2 ≤ x ≤ 2y: x − y is exact, so that y added gives x, and a wider format has the same difference; up to 3y it need not be.
#[test]
fn differences_within_a_factor_of_two_are_exact() {
    for (factor, refuted) in [(2.0, true), (3.0, false)] {
        for is_wide in [false, true] {
            let (mut query, [x, y, _]) = finite();
            let (half, factor, zero) = (query.number(0.5), query.number(factor), query.number(0.0));
            let (least, most) = (query.op(Op::FpMul, &[y, half]), query.op(Op::FpMul, &[y, factor]));
            query.lt(zero, y);
            query.le(least, x);
            query.le(x, most);
            let difference = query.op(Op::FpSub, &[x, y]);
            let sides = if is_wide {
                let [x, y, difference] =
                    [x, y, difference].map(|term| query.op(Op::FpFromFloat(Format::new(15, 64)), &[term]));
                [query.op(Op::FpSub, &[x, y]), difference]
            } else {
                [query.op(Op::FpAdd, &[difference, y]), x]
            };
            query.differ(sides);
            assert_eq!(is_refuted(&query), refuted, "{is_wide}");
        }
    }
}

/// A difference is zero exactly where the operands are equal; |x − y| is |y − x|, and x − y is not y − x.
#[test]
fn differences_tell_operands_apart_and_know_their_signs() {
    let (mut query, [x, y, _]) = finite();
    let (difference, zero) = (query.op(Op::FpSub, &[x, y]), query.number(0.0));
    query.le(difference, zero);
    query.le(zero, difference);
    query.differ([x, y]);
    assert!(is_refuted(&query));
    for takes_sizes in [true, false] {
        let (mut query, [x, y, _]) = finite();
        let mut sides = [[x, y], [y, x]].map(|operands| query.op(Op::FpSub, &operands));
        if takes_sizes {
            sides = sides.map(|side| query.store.mk(Op::FpAbs, &[side]));
        }
        query.differ(sides);
        assert_eq!(is_refuted(&query), takes_sizes);
    }
}

/// What is rounded downwards is at most what is rounded upwards, step by step; and it may be less.
#[test]
fn directed_roundings_are_in_order() {
    for (is_above, refuted) in [(true, true), (false, false)] {
        let (mut query, [x, y, z]) = finite();
        let [low, high] = [RoundingMode::TowardNegative, RoundingMode::TowardPositive].map(|mode| {
            let product = query.op_in(mode, Op::FpMul, &[x, y]);
            let sum = query.op_in(mode, Op::FpAdd, &[product, z]);
            query.op_in(mode, Op::FpAdd, &[sum, x])
        });
        for end in [low, high] {
            let is_nan = query.store.mk(Op::FpIsNan, &[end]);
            query.terms.push(query.store.not(is_nan));
        }
        if is_above {
            query.lt(high, low)
        } else {
            query.lt(low, high)
        }
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// The mean (x + y)/2 of x ≤ y is at most y where the sum is finite, the greatest number included; and it may be above x.
#[test]
fn half_sums_lie_between() {
    for (is_above, refuted) in [(true, true), (false, false)] {
        let (mut query, [x, y, _]) = finite();
        let (half, infinity) = (query.number(0.5), query.number(f64::INFINITY));
        query.le(x, y);
        let sum = query.op(Op::FpAdd, &[x, y]);
        let size = query.store.mk(Op::FpAbs, &[sum]);
        query.lt(size, infinity);
        let mean = query.op(Op::FpMul, &[sum, half]);
        if is_above {
            query.lt(y, mean)
        } else {
            query.lt(x, mean)
        }
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// (x + y)/2 where that sum is finite, else x/2 + y/2: between x and y. The latter alone may leave them where they are tiny.
#[test]
fn middles_that_do_not_overflow_lie_between() {
    for (is_guarded, is_above) in [(true, true), (true, false), (false, true), (false, false)] {
        let (mut query, [x, y, _]) = finite();
        let (half, infinity) = (query.number(0.5), query.number(f64::INFINITY));
        query.le(x, y);
        let sum = query.op(Op::FpAdd, &[x, y]);
        let size = query.store.mk(Op::FpAbs, &[sum]);
        let fits = query.store.mk(Op::FpLt, &[size, infinity]);
        let mean = query.op(Op::FpMul, &[sum, half]);
        let halves = [x, y].map(|of| query.op(Op::FpMul, &[of, half]));
        let of_halves = query.op(Op::FpAdd, &halves);
        let middle = if is_guarded { query.store.mk(Op::Ite, &[fits, mean, of_halves]) } else { of_halves };
        match is_above {
            true => query.lt(y, middle),
            false => query.lt(middle, x),
        }
        assert_eq!(is_refuted(&query), is_guarded);
    }
}

/// |fmod(x, y)| < |y|, and it need not be below |y|/2, as IEEE 754's remainder is.
#[test]
fn remainders_are_smaller_than_divisors() {
    for (op, part, refuted) in
        [(Op::FpFmod, 1.0, true), (Op::FpFmod, 0.5, false), (Op::FpRem, 0.5, true), (Op::FpRem, 0.25, false)]
    {
        let (mut query, [x, y, _]) = finite();
        let (zero, part) = (query.number(0.0), query.number(part));
        query.lt(zero, y);
        let rest = query.store.mk(op.clone(), &[x, y]);
        let size = query.store.mk(Op::FpAbs, &[rest]);
        let limit = query.op(Op::FpMul, &[y, part]);
        if op == Op::FpRem {
            query.lt(limit, size)
        } else {
            query.le(limit, size)
        }
        assert_eq!(is_refuted(&query), refuted, "{op:?}");
    }
}

/// x ≤ y gives fma(z, x, 1) ≤ fma(z, y, 1) for z ≥ 0, and not always the other way round.
#[test]
fn fused_products_are_monotone() {
    for (is_above, refuted) in [(true, true), (false, false)] {
        let (mut query, [x, y, z]) = finite();
        let (zero, one) = (query.number(0.0), query.number(1.0));
        query.le(zero, z);
        query.le(x, y);
        let [low, high] = [x, y].map(|operand| query.op(Op::FpFma, &[z, operand, one]));
        if is_above {
            query.lt(high, low)
        } else {
            query.lt(low, high)
        }
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// x lies at most ½ from the nearest integer.
#[test]
fn integers_are_near() {
    for (limit, refuted) in [(0.5, true), (0.25, false)] {
        let (mut query, [x, ..]) = finite();
        let limit = query.number(limit);
        let integer = query.op(Op::FpRoundToIntegral, &[x]);
        let difference = query.op(Op::FpSub, &[integer, x]);
        query.lt(limit, difference);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// (2x)·y is 2·(x·y) within a range in which neither is rounded at an end; (3x)·y is not always 3·(x·y).
#[test]
fn powers_of_two_pass_through_products() {
    for (factor, refuted) in [(2.0, true), (3.0, false)] {
        let (mut query, [x, y, _]) = finite();
        let (least, most, factor) = (query.number(1e-100), query.number(1e100), query.number(factor));
        for variable in [x, y] {
            query.le(least, variable);
            query.le(variable, most);
        }
        let product = query.op(Op::FpMul, &[x, y]);
        let multiple = query.op(Op::FpMul, &[x, factor]);
        let sides = [query.op(Op::FpMul, &[product, factor]), query.op(Op::FpMul, &[multiple, y])];
        query.differ(sides);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// Truncated to integers numbers keep their order; they may well be equal, or apart.
#[test]
fn truncated_numbers_keep_their_order() {
    for (is_above, refuted) in [(true, true), (false, false)] {
        let (mut query, [x, y, z]) = finite();
        let limit = query.number(1e9);
        let zero = query.number(0.0);
        for variable in [x, y, z] {
            query.le(zero, variable);
            query.le(variable, limit);
        }
        query.le(x, y);
        let toward_zero = query.store.rounding_mode(RoundingMode::TowardZero);
        let [low, high] = [x, y].map(|operand| {
            let half = query.number(0.5);
            let product = query.op(Op::FpMul, &[operand, half]);
            let sum = query.op(Op::FpAdd, &[product, z]);
            query.store.mk(Op::FpToSigned(32), &[toward_zero, sum])
        });
        let (less, more) = if is_above { (high, low) } else { (low, high) };
        query.terms.push(query.store.mk(Op::BvSlt, &[less, more]));
        assert_eq!(is_refuted(&query), refuted);
    }
}
