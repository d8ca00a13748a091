//! Tables read at a symbolic offset: comparisons with the index that the offset is computed from.
//!
//! The candidates' offsets are undone to values of the variable part, as for choices ([`int_facts::peel`]). Where these
//! are consecutive signed numbers, "one of them" is a pair of bounds and their order is that of the numbers.

use labrys_interp::{Int, IntOperation, Lookup};
use labrys_program::IntPredicate;
use labrys_term::{Store, TermId};

use crate::int_facts::{Choice, peel, possible_ones};
use crate::int_terms;

/// Tables with fewer entries than this are read by choosing: a few paths more cost less than terms that have no reading
/// over the reals, as comparisons of integers have none.
const LEAST_ENTRIES: usize = 9;

/// The order of candidate values of a 64-bit symbol.
pub fn lookup(store: &mut Store, symbol: TermId, candidates: &[u128]) -> Option<Lookup<TermId>> {
    let mut found: Vec<(i128, usize)> = Vec::with_capacity(candidates.len());
    let mut variable = None;
    for (index, &candidate) in candidates.iter().enumerate() {
        let choice = peel(store, Choice { symbol, bits: 64, values: vec![candidate] });
        let Some(&value) = choice.values.first() else { continue };
        if value & !possible_ones(store, choice.symbol) != 0 {
            continue;
        }
        // How an expression is undone does not depend on the value.
        variable = Some((choice.symbol, choice.bits));
        let shift = 128 - choice.bits;
        found.push((((value << shift) as i128) >> shift, index));
    }
    let (variable, bits) = variable?;
    if found.len() < LEAST_ENTRIES || bits == 1 {
        return None;
    }
    found.sort_unstable();
    if found.windows(2).any(|pair| pair[0].0 + 1 != pair[1].0) {
        return None;
    }
    let value = Int::symbolic(bits, variable);
    let less = |store: &mut Store, a: &Int<TermId>, b: &Int<TermId>| {
        int_terms::operation(store, IntOperation::Compare(IntPredicate::Slt), &[a.clone(), b.clone()])
    };
    let bound = |value: i128| Int::new(bits, value as u128);
    let (first, last) = (bound(found[0].0), bound(found[found.len() - 1].0));
    // Without the negations these are the checks that programs write.
    let outside = [less(store, &value, &first), less(store, &last, &value)];
    let outside = outside.map(|bit| int_terms::as_term(store, &bit));
    let inside = outside.map(|bit| int_terms::not(store, bit));
    let truth = store.bool_const(true);
    let parts: Vec<TermId> = inside.into_iter().filter(|part| *part != truth).collect();
    let inside = match parts.as_slice() {
        [] => truth,
        [one] => *one,
        parts => store.and(parts),
    };
    let before = found[1..].iter().map(|(number, _)| less(store, &value, &bound(*number))).collect();
    let inside = int_terms::as_int(store, 1, inside);
    Some(Lookup { inside, order: found.iter().map(|(_, index)| *index).collect(), before })
}
