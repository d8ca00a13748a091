//! Floats that compare equal, and are not both zeros: then they are the same.
//!
//! `a == b` of C holds of −0 and +0, so that it says nothing of bits, and a is not replaced by b. Where another conjunct keeps a or b from
//! zero it is: what a program computes of the bits of equal keys, a hash say, becomes one term.
//!
//! **Claim.** The result is satisfied by the models of the conjunction, and no others.
//!
//! **Argument.** Equal floats are no NaN, and of two numbers that compare equal either both are zeros or neither is. Floats that are no
//! zeros and no NaN compare equal just if they are the same, and just if their encodings are, which this format has one of. So beside a conjunct
//! that denies that a, or b, is zero, and which stays, `fp.eq a b` says what `a = b` says beside `¬isNaN(b)`.

use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashSet;

/// The conjunction with equations for comparisons that define a variable, or `None` if there are none.
pub(super) fn identified(store: &mut Store, conjuncts: &[TermId]) -> Option<Vec<TermId>> {
    let is_equality = |&term: &TermId| store.node(term).op == Op::FpEq;
    if !conjuncts.iter().any(is_equality) {
        return None;
    }
    let not_zero: FxHashSet<TermId> =
        conjuncts.iter().flat_map(|&term| kept_from_zero(store, term)).flatten().collect();
    if not_zero.is_empty() {
        return None;
    }
    let mut result = Vec::with_capacity(conjuncts.len() + 1);
    let mut changed = false;
    for &conjunct in conjuncts {
        match equation(store, conjunct, &not_zero) {
            Some(parts) => {
                result.extend(parts);
                changed = true;
            }
            None => result.push(conjunct),
        }
    }
    changed.then_some(result)
}

/// `fp.eq a b` with a variable a, or the bits of one: `a = b`, and that b is no NaN.
fn equation(store: &mut Store, conjunct: TermId, not_zero: &FxHashSet<TermId>) -> Option<[TermId; 2]> {
    let node = store.node(conjunct);
    let (Op::FpEq, &[left, right]) = (&node.op, &node.args[..]) else { return None };
    if left == right || !(not_zero.contains(&left) || not_zero.contains(&right)) {
        return None;
    }
    let (equation, other) =
        [(left, right), (right, left)].into_iter().find_map(|(a, b)| Some((defined(store, a, b)?, b)))?;
    let is_nan = store.mk(Op::FpIsNan, &[other]);
    Some([equation, store.not(is_nan)])
}

fn defined(store: &mut Store, float: TermId, other: TermId) -> Option<TermId> {
    if store.as_variable(float).is_some() {
        return Some(store.mk(Op::Eq, &[float, other]));
    }
    let bits = encoding(store, float)?;
    store.as_variable(bits)?;
    let others = encoding(store, other).unwrap_or_else(|| store.mk(Op::FpToBits, &[other]));
    Some(store.mk(Op::Eq, &[bits, others]))
}

/// The bits that a float is made of.
fn encoding(store: &Store, float: TermId) -> Option<TermId> {
    let node = store.node(float);
    matches!(node.op, Op::FpFromBits(_)).then(|| node.args[0])
}

/// The terms that a conjunct says are not zero, where they are no NaN.
fn kept_from_zero(store: &Store, conjunct: TermId) -> [Option<TermId>; 2] {
    let literal = |term: TermId| match &store.node(term).op {
        Op::FloatConst(value) => Some(value),
        _ => None,
    };
    let node = store.node(conjunct);
    match (&node.op, &node.args[..]) {
        (Op::Not, &[denied]) => {
            let node = store.node(denied);
            match (&node.op, &node.args[..]) {
                (Op::FpIsZero, &[a]) => [Some(a), None],
                (Op::FpEq, &[a, b]) => {
                    let is_zero = |term| literal(term).is_some_and(|value| value.is_zero());
                    [is_zero(b).then_some(a), is_zero(a).then_some(b)]
                }
                _ => [None, None],
            }
        }
        (Op::FpIsNormal | Op::FpIsSubnormal | Op::FpIsInfinite, &[a]) => [Some(a), None],
        (Op::FpLt | Op::FpLe, &[a, b]) => {
            let is_strict = node.op == Op::FpLt;
            let is_apart = |bound: TermId, is_negative: bool| {
                literal(bound).is_some_and(|value| match value.is_zero() {
                    true => is_strict,
                    false => !value.is_nan() && value.is_negative() == is_negative,
                })
            };
            [is_apart(b, true).then_some(a), is_apart(a, false).then_some(b)]
        }
        _ => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::{Float, Format, RoundingMode};
    use labrys_term::{Model, Sort, Value, eval};

    use super::*;

    const TINY: Format = Format::new(2, 3);

    /// Every conjunct that may keep from zero, every pair of values, variables of floats and of bits: the result says the same.
    #[test]
    fn equations_say_what_comparisons_did() {
        let values = || (0u32..1 << TINY.width()).map(|bits| Float::from_bits(TINY, bits));
        let mut identified_some = 0;
        for of_bits in [false, true] {
            for literal in values() {
                for shape in 0..9 {
                    let mut store = Store::new();
                    let sort = if of_bits { Sort::BitVec(TINY.width()) } else { Sort::Float(TINY) };
                    let variables = ["x", "y"].map(|name| store.variable(name, sort.clone()));
                    let [a, mut b] = variables.map(|variable| match of_bits {
                        true => store.mk(Op::FpFromBits(TINY), &[variable]),
                        false => variable,
                    });
                    if shape == 8 {
                        let mode = store.rounding_mode(RoundingMode::NearestEven);
                        b = store.mk(Op::FpAdd, &[mode, b, b]);
                    }
                    let literal = store.float_const(literal.clone());
                    let other = match shape {
                        0 => store.mk(Op::FpLt, &[literal, a]),
                        1 => store.mk(Op::FpLt, &[b, literal]),
                        2 => store.mk(Op::FpLe, &[a, literal]),
                        3 => store.mk(Op::FpLe, &[literal, b]),
                        4 | 8 => {
                            let equal = store.mk(Op::FpEq, &[a, literal]);
                            store.not(equal)
                        }
                        5 => {
                            let is_zero = store.mk(Op::FpIsZero, &[b]);
                            store.not(is_zero)
                        }
                        6 => store.mk(Op::FpIsNormal, &[a]),
                        _ => store.mk(Op::FpIsInfinite, &[a]),
                    };
                    let equal = store.mk(Op::FpEq, &[a, b]);
                    let Some(result) = identified(&mut store, &[equal, other]) else { continue };
                    identified_some += 1;
                    let [before, after] = [store.and(&[equal, other]), store.and(&result)];
                    for x in values() {
                        for y in values() {
                            let mut model = Model::new();
                            for (variable, value) in variables.into_iter().zip([&x, &y]) {
                                let value = match of_bits {
                                    true => Value::bit_vector(TINY.width(), value.bits().clone()),
                                    false => Value::float(value.clone()),
                                };
                                model.set(store.as_variable(variable).unwrap(), value);
                            }
                            let [was, is] = [before, after].map(|term| eval(&store, term, &model).unwrap());
                            assert_eq!(was, is, "shape {shape}: {x:?} {y:?}");
                        }
                    }
                }
            }
        }
        assert!(identified_some > 200, "{identified_some}");
    }
}
