//! Integers between a negative and a positive bound, told to the solver in its own words.
//!
//! The solver's sets of integers are unsigned, in which [−20, 20] is everything. So an integer v between such bounds is said to be w + low with a
//! new variable w ≤ high − low, of which the solver sees that it has few values; and what floats are made of v, that they lie between
//! the bounds.
//!
//! **Claim.** The conjuncts with [`consequences`] have the same models as without, but for the new variables, which each model has values for.
//!
//! **Argument.** The bounds are conjuncts. Where they hold, v − low is one value of w, and conversions keep the order; bounds are
//! floats if they have no more bits than a significand.

use labrys_float::{Environment, Format};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::{BigInt, BigUint, Sign};
use rustc_hash::FxHashMap;

/// Bounds of integers' signed values, both inclusive.
pub(crate) type Bounds = FxHashMap<TermId, (Option<BigInt>, Option<BigInt>)>;

/// What conjuncts that compare integers with literals say of them.
pub(crate) fn bounds(store: &Store, conjuncts: &[TermId]) -> Bounds {
    let mut bounds = Bounds::default();
    for &conjunct in conjuncts {
        if let Some((variable, low, high)) = bound(store, conjunct) {
            let known = bounds.entry(variable).or_default();
            let tighter = |old: &Option<BigInt>, new: Option<BigInt>, most: bool| match (old, new) {
                (Some(old), Some(new)) => Some(if most { old.clone().min(new) } else { old.clone().max(new) }),
                (old, new) => old.clone().or(new),
            };
            known.0 = tighter(&known.0, low, false);
            known.1 = tighter(&known.1, high, true);
        }
    }
    bounds
}

/// What follows from bounds of variables among the conjuncts.
pub(crate) fn consequences(store: &mut Store, conjuncts: &[TermId]) -> Vec<TermId> {
    let mut bounds = bounds(store, conjuncts);
    bounds.retain(|_, (low, high)| match (low, high) {
        (Some(low), Some(high)) => low.sign() == Sign::Minus && high.sign() != Sign::Minus,
        _ => false,
    });
    if bounds.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut variables: Vec<TermId> = bounds.keys().copied().collect();
    variables.sort_unstable();
    for variable in variables {
        if let (Some(low), Some(high)) = &bounds[&variable] {
            found.extend(moved(store, variable, low, high));
        }
    }
    for term in store.reachable(conjuncts) {
        let node = store.node(term).clone();
        let (Op::FpFromSigned(format), &[_, of]) = (&node.op, &node.args[..]) else { continue };
        if let Some((Some(low), Some(high))) = bounds.get(&of)
            && let (Some(low), Some(high)) = (exact(low, *format), exact(high, *format))
        {
            let (low, high) = (store.float_const(low), store.float_const(high));
            found.push(store.mk(Op::FpLe, &[low, term]));
            found.push(store.mk(Op::FpLe, &[term, high]));
        }
    }
    found
}

/// An integer as a float, where it is one.
fn exact(value: &BigInt, format: Format) -> Option<labrys_float::Float> {
    let converted = Environment::default().from_integer(value, format);
    converted.flags.is_empty().then_some(converted.value)
}

/// That a variable is its lower bound and something that is not negative.
fn moved(store: &mut Store, variable: TermId, low: &BigInt, high: &BigInt) -> Vec<TermId> {
    let Sort::BitVec(width) = *store.sort(variable) else { return Vec::new() };
    let Some(id) = store.as_variable(variable) else { return Vec::new() };
    let size = (high - low).magnitude().clone();
    if size.bits() >= u64::from(width) {
        return Vec::new();
    }
    let name = format!("{}!from{low}to{high}", store.variable_info(id).0);
    let above = store.variable(&name, Sort::BitVec(width));
    let modulus = BigUint::from(1u8) << width;
    let start = store.bv_const(width, &modulus - low.magnitude());
    let most = store.bv_const(width, size);
    let sum = store.mk(Op::BvAdd, &[above, start]);
    vec![store.mk(Op::Eq, &[variable, sum]), store.mk(Op::BvUle, &[above, most])]
}

/// The integer that a conjunct bounds, from below or from above.
fn bound(store: &Store, conjunct: TermId) -> Option<(TermId, Option<BigInt>, Option<BigInt>)> {
    let node = store.node(conjunct);
    let (node, is_denied) = match node.op {
        Op::Not => (store.node(node.args[0]), true),
        _ => (node, false),
    };
    let (is_strict, is_signed) = match node.op {
        Op::BvSlt => (true, true),
        Op::BvSle => (false, true),
        Op::BvUlt => (true, false),
        Op::BvUle => (false, false),
        _ => return None,
    };
    let &[a, b] = &node.args[..] else { return None };
    // Not a < b is b ≤ a.
    let (a, b, is_strict) = if is_denied { (b, a, !is_strict) } else { (a, b, is_strict) };
    let step = BigInt::from(u8::from(is_strict));
    match (literal(store, a), literal(store, b)) {
        (Some(low), None) if is_signed => Some((b, Some(low + step), None)),
        (None, Some(high)) if is_signed => Some((a, None, Some(high - step))),
        // Of unsigned numbers below the half of all, the signed values are the same.
        (None, Some(high)) if high.sign() != Sign::Minus => Some((a, Some(BigInt::from(0u8)), Some(high - step))),
        _ => None,
    }
}

/// A literal's signed value.
fn literal(store: &Store, term: TermId) -> Option<BigInt> {
    let (Op::BitVecConst(bits), Sort::BitVec(width)) = (&store.node(term).op, store.sort(term)) else { return None };
    let value = BigInt::from(bits.clone());
    let half = BigInt::from(1u8) << (width - 1);
    Some(if value >= half { value - (half << 1) } else { value })
}

#[cfg(test)]
mod tests {
    use labrys_term::{Evaluator, Model, Value};

    use super::*;

    #[test]
    fn bounds_say_what_they_say() {
        let mut store = Store::new();
        let v = store.variable("v", Sort::BitVec(8));
        let (low, high) = (store.bv_const(8, 0xfdu8), store.bv_const(8, 5u8));
        // -3 <= v, not 5 <= v.
        let above = store.mk(Op::BvSle, &[low, v]);
        let beyond = store.mk(Op::BvSle, &[high, v]);
        let below = store.not(beyond);
        let found = consequences(&mut store, &[above, below]);
        assert_eq!(found.len(), 2);
        let w = store.find_variable("v!from-3to4").unwrap();
        for value in 0..=255u8 {
            let mut model = Model::new();
            model.set_term(&store, v, Value::bit_vector(8, value));
            model.set(w, Value::bit_vector(8, value.wrapping_add(3)));
            let mut evaluator = Evaluator::new(&store, &model);
            let holds = evaluator.holds(above) == Ok(true) && evaluator.holds(below) == Ok(true);
            assert_eq!((-3..=4).contains(&(value as i8)), holds);
            assert_eq!(found.iter().all(|term| evaluator.holds(*term) == Ok(true)), holds);
        }
    }
}
