//! Copies of terms in a store of their own, so that preparing a query leaves the user's store as it is.

use labrys_term::{Model, Op, Store, TermId, VariableId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A store that holds copies of another store's terms.
#[derive(Debug, Default)]
pub(super) struct Import {
    /// The copies, and whatever is made of them.
    pub store: Store,
    copies: FxHashMap<TermId, TermId>,
    /// For each copied variable, in the new store's order, the original's id.
    originals: Vec<VariableId>,
}

impl Import {
    /// Copies of `terms`, in order. Names of variables stay.
    pub fn copy(&mut self, from: &Store, terms: &[TermId]) -> Vec<TermId> {
        for term in from.reachable(terms) {
            if self.copies.contains_key(&term) {
                continue;
            }
            let node = from.node(term);
            let copy = match &node.op {
                Op::Variable(variable) => {
                    let (name, sort) = from.variable_info(*variable);
                    let copy = self.store.variable(name, sort.clone());
                    self.originals.push(*variable);
                    copy
                }
                Op::BitVecConst(bits) => match node.sort {
                    labrys_term::Sort::BitVec(width) => self.store.bv_const(width, bits.clone()),
                    _ => continue,
                },
                op => {
                    let args: SmallVec<[TermId; 4]> = node.args.iter().map(|arg| self.copies[arg]).collect();
                    self.store.mk(op.clone(), &args)
                }
            };
            self.copies.insert(term, copy);
        }
        terms.iter().map(|term| self.copies[term]).collect()
    }

    /// A model of the copies as a model of the originals; variables that preparation added are dropped.
    pub fn model_of_originals(&self, model: &Model) -> Model {
        model.renamed(|variable| self.originals.get(variable.index()).copied())
    }
}
