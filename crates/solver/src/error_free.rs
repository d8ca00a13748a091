//! Sums of a rounded sum and its rounding error, which are what the sum was of.
//!
//! Circuits of a sum, of its error by three to five further operations and of both added up in a wider format are as hard as any;
//! that the result is the sum of the operands is a theorem.
//!
//! **Lemmas** (of any format, to nearest even; Knuth, "The Art of Computer Programming", volume 2, 1997, section 4.2.2; Muller et al., "Handbook of
//! Floating-Point Arithmetic", 2018, algorithms 4.3 and 4.4). Let s = x ⊕ y.
//!
//! - 2Sum: with b = s ⊖ x and e = (x ⊖ (s ⊖ b)) ⊕ (y ⊖ b), s + e = x + y if e is finite. Where no operation overflows that is Knuth's theorem; where one
//!   does, or an operand is none of the finite numbers, an infinity or a NaN reaches e.
//! - Fast2Sum: with e = y ⊖ (s ⊖ x), s + e = x + y if e is finite and |x| ≥ |y|.
//!
//! **Claim.** Where the conditions that [`rewritten`] gives hold, the rewritten conjuncts hold on the same inputs as the given ones.
//!
//! **Argument.** In a format that has all numbers of the first, s and e and x and y are converted exactly, so that s + e and x + y are sums of one real
//! number each, rounded alike: the same number, up to the sign of zero, which comparisons do not tell. Only what comparisons compare is replaced.

use labrys_float::{Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A sum s with its error e: s + e = x + y if e is finite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub sum: TermId,
    pub x: TermId,
    pub y: TermId,
    /// And if the size of the first one is at least that of the second.
    pub ordered: Option<[TermId; 2]>,
}

/// The conjuncts with sums of sums and their errors replaced in comparisons, and the conditions under which that may be done; `None` if there are none.
pub fn rewritten(store: &mut Store, conjuncts: &[TermId]) -> Option<(Vec<TermId>, Vec<TermId>)> {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut conditions = Vec::new();
    for term in store.reachable(conjuncts) {
        let node = store.node(term).clone();
        let is_comparison = matches!(node.op, Op::FpEq | Op::FpLt | Op::FpLe);
        let mut args: SmallVec<[TermId; 4]> = SmallVec::new();
        for arg in &node.args {
            let replaced = if is_comparison { replaced(store, *arg) } else { None };
            match replaced {
                Some((sum, condition)) => {
                    conditions.push(condition);
                    args.push(sum);
                }
                None => args.push(done[arg]),
            }
        }
        let new = if args[..] == node.args[..] { term } else { store.mk(node.op, &args) };
        done.insert(term, new);
    }
    conditions.sort_unstable();
    conditions.dedup();
    (!conditions.is_empty()).then(|| (conjuncts.iter().map(|term| done[term]).collect(), conditions))
}

/// The sum of the operands for the sum of a sum and its error, with the condition.
fn replaced(store: &mut Store, term: TermId) -> Option<(TermId, TermId)> {
    let node = store.node(term).clone();
    let (Op::FpAdd, Sort::Float(format), &[mode, a, b]) = (&node.op, &node.sort, &node.args[..]) else { return None };
    let (first, second) = (widened(store, a, *format)?, widened(store, b, *format)?);
    let (split, error) = [(first, second), (second, first)]
        .into_iter()
        .find_map(|(sum, error)| Some((split(store, sum, error)?, error)))?;
    let condition = condition(store, &split, error);
    let Split { x, y, .. } = split;
    let nearest = store.rounding_mode(RoundingMode::NearestEven);
    let [x, y] = [x, y].map(|part| store.mk(Op::FpFromFloat(*format), &[nearest, part]));
    Some((store.mk(Op::FpAdd, &[mode, x, y]), condition))
}

/// What a number of a format was converted from, where that format has no number that this one has not.
fn widened(store: &Store, term: TermId, format: Format) -> Option<TermId> {
    let node = store.node(term);
    let (Op::FpFromFloat(_), &[_, inner]) = (&node.op, &node.args[..]) else { return None };
    let Sort::Float(narrow) = *store.sort(inner) else { return None };
    format.holds_all(narrow).then_some(inner)
}

/// Where s + e = x + y.
fn condition(store: &mut Store, split: &Split, error: TermId) -> TermId {
    let (nan, infinite) = (store.mk(Op::FpIsNan, &[error]), store.mk(Op::FpIsInfinite, &[error]));
    let either = store.or(&[nan, infinite]);
    let finite = store.not(either);
    match split.ordered {
        None => finite,
        Some(operands) => {
            let [large, small] = operands.map(|operand| store.mk(Op::FpAbs, &[operand]));
            let ordered = store.mk(Op::FpLe, &[small, large]);
            store.and(&[ordered, finite])
        }
    }
}

/// Reads a term as the error of a sum that is part of it, or as its opposite, as Kahan's compensation is; whether it is the opposite.
pub(crate) fn error_of_sum(store: &Store, error: TermId) -> Option<(Split, bool)> {
    let sums = |part: TermId| differences(store, part).into_iter().map(|(sum, _)| sum);
    if let Some((a, b)) = operands(store, error, &Op::FpAdd) {
        let parts = [a, b].into_iter().flat_map(|side| differences(store, side)).map(|(_, part)| part);
        if let Some(split) = parts.flat_map(sums).find_map(|sum| slow(store, sum, error)) {
            return Some((split, false));
        }
    }
    differences(store, error).into_iter().find_map(|(a, b)| {
        let fast = |y: TermId, part: TermId| sums(part).find_map(|sum| fast(store, sum, (y, part)));
        fast(a, b).map(|split| (split, false)).or_else(|| fast(b, a).map(|split| (split, true)))
    })
}

/// Reads `error` as the error of `sum`.
fn split(store: &Store, sum: TermId, error: TermId) -> Option<Split> {
    slow(store, sum, error)
        .or_else(|| differences(store, error).into_iter().find_map(|operands| fast(store, sum, operands)))
}

/// By 2Sum.
fn slow(store: &Store, sum: TermId, error: TermId) -> Option<Split> {
    let (p, q) = operands(store, sum, &Op::FpAdd)?;
    let (a, b) = operands(store, error, &Op::FpAdd)?;
    let is_found = |(x, y): (TermId, TermId), [of_x, of_y]: [TermId; 2]| {
        let rests = differences(store, of_x).into_iter().filter(|(again, _)| *again == x).map(|(_, rest)| rest);
        let parts = differences(store, of_y).into_iter().filter(|(again, _)| *again == y).map(|(_, part)| part);
        let parts: Vec<TermId> = parts.filter(|part| differences(store, *part).contains(&(sum, x))).collect();
        rests.into_iter().any(|rest| parts.iter().any(|part| differences(store, rest).contains(&(sum, *part))))
    };
    let found =
        [(p, q), (q, p)].into_iter().any(|pair| [[a, b], [b, a]].into_iter().any(|sides| is_found(pair, sides)));
    found.then_some(Split { sum, x: p, y: q, ordered: None })
}

/// By Fast2Sum, y ⊖ part.
fn fast(store: &Store, sum: TermId, (y, part): (TermId, TermId)) -> Option<Split> {
    let (p, q) = operands(store, sum, &Op::FpAdd)?;
    let is_other = |x: TermId| differences(store, part).contains(&(sum, x));
    let x = [(p, q), (q, p)].into_iter().find_map(|(x, other)| (other == y && is_other(x)).then_some(x))?;
    Some(Split { sum, x: p, y: q, ordered: Some([x, y]) })
}

/// What a term is the difference of: of the operands of a subtraction, or of one of a sum and what the other one is the opposite of.
fn differences(store: &Store, term: TermId) -> SmallVec<[(TermId, TermId); 2]> {
    if let Some(pair) = operands(store, term, &Op::FpSub) {
        return SmallVec::from_slice(&[pair]);
    }
    let Some((a, b)) = operands(store, term, &Op::FpAdd) else { return SmallVec::new() };
    let negated = |term: TermId| (store.node(term).op == Op::FpNeg).then(|| store.node(term).args[0]);
    [(a, b), (b, a)].into_iter().filter_map(|(one, other)| Some((one, negated(other)?))).collect()
}

/// The operands of an operation to nearest.
fn operands(store: &Store, term: TermId, op: &Op) -> Option<(TermId, TermId)> {
    let node = store.node(term);
    let &[mode, a, b] = &node.args[..] else { return None };
    let is_nearest = store.node(mode).op == Op::RoundingModeConst(RoundingMode::NearestEven);
    (node.op == *op && is_nearest).then_some((a, b))
}

#[cfg(test)]
mod tests {
    use labrys_float::{Environment, Float};
    use labrys_term::{Evaluator, Model, Value};

    use super::*;

    const WIDE: Format = Format::new(8, 40);

    /// Every pair of numbers of tiny formats, NaNs and infinities too: s + e is x + y exactly where the condition holds, and not always elsewhere.
    #[test]
    fn sums_with_their_errors_are_exact_in_tiny_formats() {
        let env = Environment::default();
        for (exponent, precision) in [(2, 2), (2, 4), (3, 2), (3, 3), (3, 4), (4, 3)] {
            let format = Format::new(exponent, precision);
            let all: Vec<Float> = (0..1u32 << format.width()).map(|bits| Float::from_bits(format, bits)).collect();
            let (mut exact, mut unordered, mut others) = (0, 0, 0);
            for x in &all {
                for y in &all {
                    let s = env.add(x, y).value;
                    let b = env.sub(&s, x).value;
                    let rest = env.sub(&s, &b).value;
                    let e = env.add(&env.sub(x, &rest).value, &env.sub(y, &b).value).value;
                    let fast = env.sub(y, &b).value;
                    let wide = |value: &Float| env.convert(value, WIDE).value;
                    let sum = env.add(&wide(x), &wide(y));
                    let equals = |error: &Float| {
                        let both = env.add(&wide(&s), &wide(error));
                        both.flags.is_empty()
                            && sum.flags.is_empty()
                            && both.value.compare(&sum.value) == Some(std::cmp::Ordering::Equal)
                    };
                    let is_finite = |error: &Float| !error.is_nan() && !error.is_infinite();
                    if is_finite(&e) {
                        assert!(equals(&e), "{x:?} {y:?}");
                        exact += 1;
                    }
                    let is_ordered = y.abs().compare(&x.abs()).is_some_and(|order| order.is_le());
                    if is_finite(&fast) && is_ordered {
                        assert!(equals(&fast), "{x:?} {y:?}");
                    } else if is_finite(&fast) {
                        unordered += usize::from(!equals(&fast));
                    } else {
                        others += usize::from(!equals(&fast));
                    }
                }
            }
            assert!(exact > all.len() && others > 0, "{format:?}");
            // Without the order of the operands Fast2Sum is no theorem.
            assert!(unordered > 0 || precision < 3, "{format:?}");
        }
    }

    /// Terms of both kinds are found and replaced, and the rewritten ones have the same values under the condition.
    #[test]
    fn sums_with_their_errors_are_replaced() {
        let mut store = Store::new();
        let format = Format::new(3, 3);
        let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::Float(format)));
        let nearest = store.rounding_mode(RoundingMode::NearestEven);
        let mut mk = |op: Op, a: TermId, b: TermId| store.mk(op, &[nearest, a, b]);
        let s = mk(Op::FpAdd, x, y);
        let b = mk(Op::FpSub, s, x);
        let rest = mk(Op::FpSub, s, b);
        let (of_x, of_y) = (mk(Op::FpSub, x, rest), mk(Op::FpSub, y, b));
        let slow = mk(Op::FpAdd, of_x, of_y);
        let wrong = mk(Op::FpSub, x, b);
        let widen = |store: &mut Store, term| store.mk(Op::FpFromFloat(WIDE), &[nearest, term]);
        let limit = widen(&mut store, z);
        for (error, is_one) in [(slow, true), (of_y, true), (wrong, false)] {
            let (wide_s, wide_e) = (widen(&mut store, s), widen(&mut store, error));
            let both = store.mk(Op::FpAdd, &[nearest, wide_s, wide_e]);
            let comparison = store.mk(Op::FpLt, &[both, limit]);
            let Some((new, conditions)) = rewritten(&mut store, &[comparison]) else {
                assert!(!is_one);
                continue;
            };
            assert!(is_one && new[0] != comparison);
            let mut held = 0;
            for bits in 0..1u32 << (2 * format.width()) {
                let number = |at: u32| Float::from_bits(format, bits >> at & 0x3f);
                let mut model = Model::new();
                model.set_term(&store, x, Value::float(number(0)));
                model.set_term(&store, y, Value::float(number(6)));
                model.set_term(&store, z, Value::float(Float::from_bits(format, bits % 48)));
                let mut evaluator = Evaluator::new(&store, &model);
                if conditions.iter().all(|condition| evaluator.holds(*condition) == Ok(true)) {
                    held += 1;
                    assert_eq!(evaluator.holds(comparison), evaluator.holds(new[0]), "{bits}");
                }
            }
            assert!(held > 500, "{held}");
        }
    }
}
