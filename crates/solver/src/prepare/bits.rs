//! Conjunctions that are written with bit vectors: a & b = 1…1 says that a = 1…1 and b = 1…1, a | b = 0 likewise.
//!
//! Circuits and bounded model checkers write truth values as words of one bit, and whole queries as one equation of such
//! words. Opened at once, and not by one rewrite each, their parts are conjuncts like others.

use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use smallvec::{SmallVec, smallvec};

/// Terms whose conjunction says the same as an equation of a word with a literal, if it is one that says several things or
/// one in a roundabout way.
pub(super) fn opened(store: &mut Store, equation: TermId) -> Option<SmallVec<[TermId; 2]>> {
    let &[left, right] = &store.node(equation).args[..] else { return None };
    let (word, literal) = if value(store, right).is_some() { (left, right) } else { (right, left) };
    let bits = value(store, literal)?.clone();
    let Sort::BitVec(width) = *store.sort(word) else { return None };
    let ones = (BigUint::one() << width) - 1u8;
    let node = store.node(word).clone();
    match (&node.op, &node.args[..]) {
        (Op::BvAnd, &[a, b]) if bits == ones => Some([a, b].map(|part| store.mk(Op::Eq, &[part, literal])).into()),
        (Op::BvOr, &[a, b]) if bits.is_zero() => Some([a, b].map(|part| store.mk(Op::Eq, &[part, literal])).into()),
        (Op::BvNot, &[a]) => {
            let inverted = store.bv_const(width, ones ^ bits);
            Some(smallvec![store.mk(Op::Eq, &[a, inverted])])
        }
        (Op::Ite, &[condition, yes, no]) => match (value(store, yes)? == &bits, value(store, no)? == &bits) {
            (true, false) => Some(smallvec![condition]),
            (false, true) => Some(smallvec![store.not(condition)]),
            _ => None,
        },
        _ => None,
    }
}

/// A denied equation of one bit with a literal: the bit equals the other one.
pub(super) fn denied(store: &mut Store, equation: TermId) -> Option<TermId> {
    let &[left, right] = &store.node(equation).args[..] else { return None };
    let (bit, literal) = if value(store, right).is_some() { (left, right) } else { (right, left) };
    let other = if value(store, literal)?.is_zero() { 1u8 } else { 0 };
    if *store.sort(bit) != Sort::BitVec(1) {
        return None;
    }
    let other = store.bv_const(1, other);
    Some(store.mk(Op::Eq, &[bit, other]))
}

fn value(store: &Store, term: TermId) -> Option<&BigUint> {
    match &store.node(term).op {
        Op::BitVecConst(bits) => Some(bits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use labrys_term::{Model, Value, eval};

    use super::*;

    /// Every operator, every literal, every value of the words.
    #[test]
    fn what_is_opened_says_the_same() {
        for width in 1..=2u32 {
            let mut store = Store::new();
            let [a, b] = ["a", "b"].map(|name| store.variable(name, Sort::BitVec(width)));
            let p = store.variable("p", Sort::Bool);
            let mut opened_ones = 0;
            for bits in 0u32..1 << width {
                let literal = store.bv_const(width, bits);
                let other = store.bv_const(width, bits + 1);
                let words = [
                    store.mk(Op::BvAnd, &[a, b]),
                    store.mk(Op::BvOr, &[a, b]),
                    store.mk(Op::BvXor, &[a, b]),
                    store.mk(Op::BvNot, &[a]),
                    store.mk(Op::Ite, &[p, literal, other]),
                    store.mk(Op::Ite, &[p, other, literal]),
                    store.mk(Op::Ite, &[p, other, other]),
                    store.mk(Op::Ite, &[p, a, literal]),
                ];
                for word in words {
                    let equation = store.mk(Op::Eq, &[literal, word]);
                    let Some(parts) = opened(&mut store, equation) else { continue };
                    opened_ones += 1;
                    let all = store.and(&parts);
                    let same = store.mk(Op::Eq, &[equation, all]);
                    for code in 0u32..1 << (2 * width + 1) {
                        let mut model = Model::new();
                        model.set_term(&store, a, Value::bit_vector(width, code % (1 << width)));
                        model.set_term(&store, b, Value::bit_vector(width, (code >> width) % (1 << width)));
                        model.set_term(&store, p, Value::Bool(code >> (2 * width) == 1));
                        assert_eq!(eval(&store, same, &model), Ok(Value::Bool(true)), "width {width}, {bits}, {code}");
                    }
                }
            }
            // An and and an or, and for each literal a complement and two choices.
            assert_eq!(opened_ones, 2 + 3 * (1 << width));
        }
    }

    #[test]
    fn a_bit_that_is_not_one_is_the_other() {
        let mut store = Store::new();
        let (x, y) = (store.variable("x", Sort::BitVec(1)), store.variable("y", Sort::BitVec(2)));
        let [zero, one, wide] = [(1, 0u8), (1, 1), (2, 0)].map(|(width, value)| store.bv_const(width, value));
        let equations = [[zero, x], [x, one], [y, wide]].map(|sides| store.mk(Op::Eq, &sides));
        let is_one = store.mk(Op::Eq, &[x, one]);
        let is_zero = store.mk(Op::Eq, &[x, zero]);
        assert_eq!(equations.map(|equation| denied(&mut store, equation)), [Some(is_one), Some(is_zero), None]);
    }

    /// Ten thousand nested ands are opened in one go.
    #[test]
    fn long_conjunctions_of_bits_are_opened() {
        let mut store = Store::new();
        let one = store.bv_const(1, 1u8);
        let mut word = store.variable("x", Sort::BitVec(1));
        for i in 0..10_000 {
            let next = store.variable(&format!("x{i}"), Sort::BitVec(1));
            let inverted = store.mk(Op::BvNot, &[next]);
            word = store.mk(Op::BvAnd, &[inverted, word]);
        }
        let zero = store.bv_const(1, 0u8);
        let denied = store.mk(Op::Eq, &[zero, word]);
        for statement in [store.mk(Op::Eq, &[one, word]), store.not(denied)] {
            assert_eq!(super::super::conjunction::conjunction(&mut store, &[statement]).len(), 10_001);
        }
    }
}
