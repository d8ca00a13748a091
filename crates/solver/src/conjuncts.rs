//! Terms that are to be true or false, and what conjunctions of them are made of.

use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashSet;

/// A term that is to be true, or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Literal {
    pub term: TermId,
    pub holds: bool,
}

impl Literal {
    /// A term that is asserted.
    pub fn asserted(term: &TermId) -> Literal {
        Literal { term: *term, holds: true }
    }
}

/// Conjunctions taken apart, negations moved into the literals; each literal once.
pub(crate) fn conjuncts(store: &Store, mut pending: Vec<Literal>) -> Vec<Literal> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    pending.reverse();
    while let Some(Literal { term, holds }) = pending.pop() {
        let node = store.node(term);
        let parts = node.args.iter().rev();
        match (&node.op, holds) {
            (Op::Not, _) => pending.push(Literal { term: node.args[0], holds: !holds }),
            (Op::And, true) | (Op::Or, false) => pending.extend(parts.map(|part| Literal { term: *part, holds })),
            (Op::Implies, false) => {
                let last = node.args.len() - 1;
                pending.extend(node.args.iter().enumerate().map(|(i, part)| Literal { term: *part, holds: i < last }));
            }
            (Op::BoolConst(value), _) if *value == holds => {}
            _ => {
                if seen.insert((term, holds)) {
                    found.push(Literal { term, holds });
                }
            }
        }
    }
    found
}

/// The cases of a disjunction: it is false where none of them holds.
pub(crate) fn disjuncts(store: &Store, disjunction: TermId) -> Vec<Literal> {
    let refuted = conjuncts(store, vec![Literal { term: disjunction, holds: false }]);
    refuted.into_iter().map(|Literal { term, holds }| Literal { term, holds: !holds }).collect()
}
