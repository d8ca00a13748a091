//! Conjunctions as lists of conjuncts.

use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashSet;

use super::bits;

/// The conjuncts of `terms`, each once, nested conjunctions opened, also those of bits: none for true, only false for false.
pub(super) fn conjunction(store: &mut Store, terms: &[TermId]) -> Vec<TermId> {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut found = Vec::new();
    let mut pending: Vec<TermId> = terms.iter().rev().copied().collect();
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        let node = store.node(term);
        match node.op {
            Op::And => pending.extend(node.args.iter().rev()),
            Op::BoolConst(true) => {}
            Op::BoolConst(false) => return vec![term],
            Op::Not => match store.node(node.args[0]).op {
                Op::Or => {
                    let parts = store.node(node.args[0]).args.clone();
                    let negated: Vec<TermId> = parts.iter().rev().map(|&part| store.not(part)).collect();
                    pending.extend(negated);
                }
                Op::Not => pending.push(store.node(node.args[0]).args[0]),
                Op::Eq => {
                    let equation = node.args[0];
                    match bits::denied(store, equation) {
                        Some(other) => pending.push(other),
                        None => found.push(term),
                    }
                }
                _ => found.push(term),
            },
            Op::Eq => match bits::opened(store, term) {
                Some(parts) => pending.extend(parts.iter().rev()),
                None => found.push(term),
            },
            _ => found.push(term),
        }
    }
    found
}
