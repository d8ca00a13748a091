//! The calls that a query depends on.

use labrys_term::{Store, TermId, VariableId};
use rustc_hash::FxHashSet;

use super::call::CallTerm;

/// Calls whose results occur in `assertions`, or in operands of such calls: each after those it depends on. Calls without a
/// variable, of the wrong number of operands or of formats without domains are left out, as are circular ones: their results are then any.
pub(super) fn relevant(store: &Store, assertions: &[TermId], calls: &[CallTerm]) -> Vec<CallTerm> {
    let mut needed: FxHashSet<VariableId> = store.free_variables(assertions).into_iter().collect();
    // Operands are read only of calls that are needed: a path has hundreds, a condition a few.
    let mut usable: Vec<(VariableId, &CallTerm, Vec<VariableId>)> = calls
        .iter()
        .filter(|call| is_readable(store, call))
        .filter_map(|call| Some((store.as_variable(call.variable)?, call, Vec::new())))
        .collect();
    let mut chosen = vec![false; usable.len()];
    while let Some(next) = (0..usable.len()).find(|place| !chosen[*place] && needed.contains(&usable[*place].0)) {
        chosen[next] = true;
        usable[next].2 = store.free_variables(&usable[next].1.operands).into_iter().collect();
        needed.extend(usable[next].2.iter().copied());
    }
    let results: FxHashSet<VariableId> =
        usable.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(call, _)| call.0).collect();
    let mut known: FxHashSet<VariableId> = FxHashSet::default();
    let mut ordered = Vec::new();
    loop {
        let is_ready = |place: &usize| {
            let (variable, _, operands) = &usable[*place];
            chosen[*place]
                && !known.contains(variable)
                && operands.iter().all(|operand| !results.contains(operand) || known.contains(operand))
        };
        let Some(next) = (0..usable.len()).find(is_ready) else { return ordered };
        known.insert(usable[next].0);
        ordered.push(usable[next].1.clone());
    }
}

fn is_readable(store: &Store, call: &CallTerm) -> bool {
    let Some(format) = store.float_format(call.variable) else { return false };
    call.operands.len() == call.function.arity()
        && crate::domain::FloatDomain::supports(format)
        && call.operands.iter().all(|operand| store.float_format(*operand) == Some(format))
}
