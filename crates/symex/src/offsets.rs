//! Which of many values an address computation can have on a path, as far as is cheap to tell.

use labrys_term::{Op, Store, TermId};
use num_traits::ToPrimitive;

use crate::int_facts::{Choice, peel, possible_ones};
use crate::int_ranges;
use crate::path::TermPath;

/// Those of the candidates that a symbol of so many bits may have: none that it may have is left out. Extensions, sums and
/// products are undone ([`peel`]), which drops multiples that no index gives; then bits that are zero and the ranges that
/// the path's comparisons leave decide.
pub fn possible_values(store: &Store, path: &TermPath, symbol: TermId, bits: u32, candidates: Vec<u128>) -> Vec<u128> {
    let signed = |bits: u32, value: u128| {
        let shift = 128 - bits;
        (value << shift) as i128 >> shift
    };
    let whole = int_ranges::range(store, path, symbol);
    // How an expression is undone does not depend on the value.
    let variable = peel(store, Choice { symbol, bits, values: Vec::new() }).symbol;
    let (ones, range) = (possible_ones(store, variable), int_ranges::range(store, path, variable));
    let is_possible = |&candidate: &u128| {
        if whole.is_some_and(|(low, high)| !(low..=high).contains(&signed(bits, candidate))) {
            return false;
        }
        let choice = peel(store, Choice { symbol, bits, values: vec![candidate] });
        let Some(&value) = choice.values.first() else { return false };
        choice.bits == 1
            || (value & !ones == 0
                && range.is_none_or(|(low, high)| (low..=high).contains(&signed(choice.bits, value))))
    };
    candidates.into_iter().filter(is_possible).collect()
}

/// How deep sums are looked into for an address.
const DEPTH: u32 = 16;

/// The greatest literal of at least `least` that a term was computed from by sums, differences and masks.
pub fn known_address(store: &Store, term: TermId, least: u64) -> Option<u64> {
    let mut found = None;
    let mut pending = vec![(term, DEPTH)];
    while let Some((term, depth)) = pending.pop() {
        let node = store.node(term);
        match &node.op {
            Op::BitVecConst(value) => {
                // Masks such as ~15 are no addresses: those are far below 2⁶³.
                found = found.max(value.to_u64().filter(|value| (least..1 << 63).contains(value)));
            }
            Op::BvAdd | Op::BvSub | Op::BvAnd | Op::BvOr if depth > 0 => {
                pending.extend(node.args.iter().map(|&arg| (arg, depth - 1)));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_term::Sort;

    #[test]
    fn an_index_within_bounds_leaves_its_multiples() {
        let mut store = Store::new();
        let n = store.variable("n", Sort::BitVec(32));
        let wide = store.mk(Op::ZeroExtend(32), &[n]);
        let (three, scale, base) = (store.bv_const(32, 3u8), store.bv_const(64, 12u8), store.bv_const(64, 1u64 << 32));
        let offset = store.mk(Op::BvMul, &[wide, scale]);
        let truth = store.bool_const(true);
        let mut path = TermPath::new(truth);
        let all = || (0..100).collect();
        assert_eq!(possible_values(&store, &path, offset, 64, all()).len(), 9);
        let below = store.mk(Op::BvUlt, &[n, three]);
        path.choose(&store, below, 1, truth);
        assert_eq!(possible_values(&store, &path, offset, 64, all()), [0, 12, 24]);
        let address = store.mk(Op::BvAdd, &[base, offset]);
        assert_eq!(known_address(&store, address, 1 << 20), Some(1 << 32));
        assert_eq!(known_address(&store, offset, 1 << 20), None);
    }
}
