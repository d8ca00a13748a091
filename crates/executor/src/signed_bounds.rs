//! Integers between a negative and a positive bound, told to the solver in its own words.
//!
//! The solver's sets of integers are unsigned, in which [−20, 20] is everything. So an integer v between such bounds is said to be w + low with a
//! new variable w ≤ high − low, of which the solver sees that it has few values; and what floats are made of v, that they lie between
//! the bounds.
//!
//! **Claim.** The conjuncts with [`consequences`] have the same models as without, but for the new variables, which each model has values for.
//!
//! **Argument.** The bounds follow from conjuncts (`labrys_symex::signed_bounds`). Where they hold, v − low is one value of w, and conversions keep the order; bounds are
//! floats if they have no more bits than a significand.

use labrys_float::{Environment, Format};
use labrys_symex::signed_bounds;
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigInt;

/// What follows from bounds of variables among the conjuncts.
pub(crate) fn consequences(store: &mut Store, conjuncts: &[TermId]) -> Vec<TermId> {
    let mut bounds = signed_bounds(store, conjuncts);
    bounds.retain(|term, (low, high)| {
        let least = match store.sort(*term) {
            Sort::BitVec(width) => -1 << (width - 1),
            _ => 0,
        };
        // Half of all values, or less, on either side.
        *low > least && *low < 0 && *high >= 0 && *high < -(least + 1)
    });
    if bounds.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut variables: Vec<TermId> = bounds.keys().copied().collect();
    variables.sort_unstable();
    for variable in variables {
        let (low, high) = bounds[&variable];
        found.extend(moved(store, variable, low, high));
    }
    for term in store.reachable(conjuncts) {
        let node = store.node(term).clone();
        let (Op::FpFromSigned(format), &[_, of]) = (&node.op, &node.args[..]) else { continue };
        if let Some(&(low, high)) = bounds.get(&of)
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
fn exact(value: i128, format: Format) -> Option<labrys_float::Float> {
    let converted = Environment::default().from_integer(&BigInt::from(value), format);
    converted.flags.is_empty().then_some(converted.value)
}

/// That a variable is its lower bound and something that is not negative.
fn moved(store: &mut Store, variable: TermId, low: i128, high: i128) -> Vec<TermId> {
    let Sort::BitVec(width) = *store.sort(variable) else { return Vec::new() };
    let Some(id) = store.as_variable(variable) else { return Vec::new() };
    let size = (high - low) as u128;
    if size >> (width - 1) != 0 {
        return Vec::new();
    }
    let name = format!("{}!from{low}to{high}", store.variable_info(id).0);
    let above = store.variable(&name, Sort::BitVec(width));
    let start = store.bv_const(width, low as u128 & (u128::MAX >> (128 - width)));
    let most = store.bv_const(width, size);
    let sum = store.mk(Op::BvAdd, &[above, start]);
    vec![store.mk(Op::Eq, &[variable, sum]), store.mk(Op::BvUle, &[above, most])]
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
