//! Ranges of integers that the comparisons on a path leave: enough to see that an index that was checked is inside its
//! table, and that a counted loop is over.
//!
//! Ranges are of signed values. What is read off a term holds on the path: the range of a sum or product is that of its
//! parts only where it cannot wrap, everything else has the range of its sort.

use labrys_program::IntPredicate;
use labrys_term::{Op, Sort, Store, TermId};
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

use crate::int_facts::possible_ones;
use crate::path::TermPath;

/// How deep terms are looked into.
const DEPTH: u32 = 8;

/// Bounds of a signed value, both inclusive.
pub type Range = (i128, i128);

/// Widths whose values and products fit into 128 bits.
fn width(store: &Store, term: TermId) -> Option<u32> {
    match store.sort(term) {
        Sort::BitVec(width) if *width <= 64 => Some(*width),
        _ => None,
    }
}

fn whole(bits: u32) -> Range {
    (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

fn literal(store: &Store, term: TermId) -> Option<i128> {
    let bits = width(store, term)?;
    match &store.node(term).op {
        Op::BitVecConst(value) => {
            let shift = 128 - bits;
            Some((value.to_u128()? << shift) as i128 >> shift)
        }
        _ => None,
    }
}

/// The range of a BitVec term of at most 64 bits on a path.
pub(crate) fn range(store: &Store, path: &TermPath, term: TermId) -> Option<Range> {
    range_within(store, path, term, DEPTH)
}

fn range_within(store: &Store, path: &TermPath, term: TermId, depth: u32) -> Option<Range> {
    let bits = width(store, term)?;
    if let Some(value) = literal(store, term) {
        return Some((value, value));
    }
    let all = whole(bits);
    let mut found = path.range_of(term).unwrap_or(all);
    let ones = possible_ones(store, term) as i128;
    if ones <= all.1 {
        found = (found.0.max(0), found.1.min(ones));
    }
    if depth > 0
        && let Some(built) = built_range(store, path, term, depth - 1)
        && built.0 >= all.0
        && built.1 <= all.1
    {
        found = (found.0.max(built.0), found.1.min(built.1));
    }
    // A path that contradicts itself has no range; whatever is said of it is true.
    Some(if found.0 <= found.1 { found } else { all })
}

/// The range of an operation by its operands', as if it could not wrap.
fn built_range(store: &Store, path: &TermPath, term: TermId, depth: u32) -> Option<Range> {
    let node = store.node(term);
    let of = |i: usize| range_within(store, path, node.args[i], depth);
    match &node.op {
        Op::BvAdd => {
            let ((a, b), (c, d)) = (of(0)?, of(1)?);
            Some((a + c, b + d))
        }
        Op::BvSub => {
            let ((a, b), (c, d)) = (of(0)?, of(1)?);
            Some((a - d, b - c))
        }
        Op::BvMul => {
            let ((a, b), (c, d)) = (of(0)?, of(1)?);
            let corners = [a * c, a * d, b * c, b * d];
            Some((corners.into_iter().min()?, corners.into_iter().max()?))
        }
        Op::SignExtend(_) => of(0),
        Op::ZeroExtend(_) => of(0).filter(|range| range.0 >= 0),
        Op::Ite => {
            let ((a, b), (c, d)) = (of(1)?, of(2)?);
            Some((a.min(c), b.max(d)))
        }
        _ => None,
    }
}

/// Whether `a predicate b` holds for all values in the ranges, or for none.
pub(crate) fn decided(predicate: IntPredicate, a: Range, b: Range) -> Option<bool> {
    let both_positive = a.0 >= 0 && b.0 >= 0;
    match predicate {
        IntPredicate::Eq if a.1 < b.0 || b.1 < a.0 => Some(false),
        IntPredicate::Eq if a.0 == a.1 && a == b => Some(true),
        IntPredicate::Slt => below(a, b, true),
        IntPredicate::Sle => below(a, b, false),
        IntPredicate::Ult if both_positive => below(a, b, true),
        IntPredicate::Ule if both_positive => below(a, b, false),
        _ => None,
    }
}

fn below(a: Range, b: Range, strict: bool) -> Option<bool> {
    let (always, never) = if strict { (a.1 < b.0, a.0 >= b.1) } else { (a.1 <= b.0, a.0 > b.1) };
    if always {
        Some(true)
    } else if never {
        Some(false)
    } else {
        None
    }
}

/// What a comparison that holds, or does not, says of the terms in it: terms with bounds on their signed values.
pub(crate) fn implied(store: &Store, comparison: TermId, holds: bool) -> Vec<(TermId, Range)> {
    let node = store.node(comparison);
    let [a, b] = node.args[..] else { return Vec::new() };
    let Some(bits) = width(store, a) else { return Vec::new() };
    let (least, most) = whole(bits);
    // a < b or a ≤ b, also for the negations with the sides exchanged.
    let (low, high, strict) = match (&node.op, holds) {
        (Op::BvSlt, true) => (a, b, true),
        (Op::BvSle, true) => (a, b, false),
        (Op::BvSlt, false) => (b, a, false),
        (Op::BvSle, false) => (b, a, true),
        (Op::BvUlt, true) | (Op::BvUle, true) => return unsigned(store, a, b, node.op == Op::BvUlt),
        // Not a < b is b ≤ a.
        (Op::BvUlt, false) | (Op::BvUle, false) => return unsigned(store, b, a, node.op == Op::BvUle),
        (Op::Eq, true) => {
            return match (literal(store, a), literal(store, b)) {
                (_, Some(value)) => vec![(a, (value, value))],
                (Some(value), _) => vec![(b, (value, value))],
                _ => Vec::new(),
            };
        }
        _ => return Vec::new(),
    };
    let step = i128::from(strict);
    match (literal(store, low), literal(store, high)) {
        (None, Some(bound)) => extended(store, low, (least, bound - step)),
        (Some(bound), None) => extended(store, high, (bound + step, most)),
        _ => Vec::new(),
    }
}

/// What conjuncts that compare integers of at most 64 bits with literals say of their signed values.
pub fn signed_bounds(store: &Store, conjuncts: &[TermId]) -> FxHashMap<TermId, Range> {
    let mut bounds: FxHashMap<TermId, Range> = FxHashMap::default();
    for &conjunct in conjuncts {
        let (comparison, holds) = match store.node(conjunct).op {
            Op::Not => (store.node(conjunct).args[0], false),
            _ => (conjunct, true),
        };
        for (term, (low, high)) in implied(store, comparison, holds) {
            let known = bounds.entry(term).or_insert((low, high));
            *known = (known.0.max(low), known.1.min(high));
        }
    }
    bounds
}

/// A term's bounds, and where it is an extension those of what it extends.
fn extended(store: &Store, term: TermId, (low, high): Range) -> Vec<(TermId, Range)> {
    let mut found = vec![(term, (low, high))];
    let node = store.node(term);
    let inner = node.args.first().and_then(|&inner| Some((inner, whole(width(store, inner)?))));
    match (&node.op, inner) {
        (Op::SignExtend(_), Some((inner, all))) => found.push((inner, (low.max(all.0), high.min(all.1)))),
        // Above the largest signed number the extension's value and the inner's differ.
        (Op::ZeroExtend(_), Some((inner, all))) if high <= all.1 => found.push((inner, (low.max(0), high))),
        _ => {}
    }
    found
}

/// a < b or a ≤ b as unsigned numbers, with b a literal that is not negative: then a is not negative either.
fn unsigned(store: &Store, a: TermId, b: TermId, strict: bool) -> Vec<(TermId, Range)> {
    match literal(store, b) {
        Some(bound) if bound >= 0 => extended(store, a, (0, bound - i128::from(strict))),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compared_bounds_what_is_computed() {
        let mut store = Store::new();
        let n = store.variable("n", Sort::BitVec(32));
        let (zero, limit, truth) = (store.bv_const(32, 0u8), store.bv_const(32, 170u8), store.bool_const(true));
        let negative = store.mk(Op::BvSlt, &[n, zero]);
        let large = store.mk(Op::BvSlt, &[limit, n]);
        let mut path = TermPath::new(truth);
        assert_eq!(range(&store, &path, n), Some((i128::from(i32::MIN), i128::from(i32::MAX))));
        path.choose(&store, negative, 0, truth);
        path.choose(&store, large, 0, truth);
        assert_eq!(range(&store, &path, n), Some((0, 170)));
        let wide = store.mk(Op::SignExtend(32), &[n]);
        let eight = store.bv_const(64, 8u8);
        let offset = store.mk(Op::BvMul, &[wide, eight]);
        assert_eq!(range(&store, &path, offset), Some((0, 1360)));
        // A sum that can wrap has no bounds.
        let most = store.bv_const(32, i32::MAX as u32);
        let sum = store.mk(Op::BvAdd, &[n, most]);
        assert_eq!(range(&store, &path, sum), Some((i128::from(i32::MIN), i128::from(i32::MAX))));
        // What bounds an extension bounds what it extends.
        let m = store.variable("m", Sort::BitVec(32));
        let (long, size) = (store.mk(Op::ZeroExtend(32), &[m]), store.bv_const(64, 101u8));
        let below = store.mk(Op::BvUlt, &[long, size]);
        path.choose(&store, below, 1, truth);
        assert_eq!(range(&store, &path, m), Some((0, 100)));
        assert_eq!(decided(IntPredicate::Ult, (0, 170), (171, 171)), Some(true));
        assert_eq!(decided(IntPredicate::Ult, (-1, 170), (171, 171)), None);
        assert_eq!(decided(IntPredicate::Eq, (0, 3), (4, 9)), Some(false));
    }
}
