//! Copies of terms in a store of their own, so that preparing a query leaves the user's store as it is.

use std::time::Instant;

use labrys_term::{Model, Op, Sort, Store, TermId, VariableId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::prepare::{PrepareConfig, State, prepare_term};

/// A store that holds copies of another store's terms.
#[derive(Debug, Default)]
pub(crate) struct Import {
    /// The copies, and whatever is made of them.
    pub store: Store,
    copies: FxHashMap<TermId, TermId>,
    /// The originals' ids, by the copies'.
    originals: FxHashMap<VariableId, VariableId>,
}

impl Import {
    /// Copies of `terms`, in order. What has been copied before is not looked at again.
    pub fn copy(&mut self, from: &Store, terms: &[TermId]) -> Vec<TermId> {
        let mut pending: Vec<TermId> = terms.to_vec();
        while let Some(&term) = pending.last() {
            if self.copies.contains_key(&term) {
                pending.pop();
                continue;
            }
            let node = from.node(term);
            let before = pending.len();
            pending.extend(node.args.iter().filter(|arg| !self.copies.contains_key(arg)));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let copy = match (&node.op, &node.sort) {
                (Op::Variable(variable), sort) => self.variable(*variable, sort),
                (Op::BitVecConst(bits), Sort::BitVec(width)) => self.store.bv_const(*width, bits.clone()),
                (op, _) => {
                    let args: SmallVec<[TermId; 4]> = node.args.iter().map(|arg| self.copies[arg]).collect();
                    self.store.mk(op.clone(), &args)
                }
            };
            self.copies.insert(term, copy);
        }
        terms.iter().map(|term| self.copies[term]).collect()
    }

    /// The conjunction of `terms`, each prepared by itself: nothing is substituted, so that variables stay, and what preparation adds is said with it. From
    /// `until` on terms stay as they are.
    ///
    /// # Errors
    ///
    /// What part of the query the engines do not read.
    pub fn prepared(&mut self, from: &Store, terms: &[TermId], until: Option<Instant>) -> Result<Vec<TermId>, String> {
        let mut state = State::new(PrepareConfig { until, ..PrepareConfig::default() });
        let mut assertions = Vec::new();
        for copy in self.copy(from, terms) {
            let prepared = prepare_term(&mut self.store, &mut state, copy)?;
            assertions.push(prepared.term);
            assertions.extend(prepared.constraints);
        }
        Ok(assertions)
    }

    /// A copy of a variable. Its name is one that no preparation makes up: more may be copied after that has begun.
    fn variable(&mut self, original: VariableId, sort: &Sort) -> TermId {
        let copy = self.store.variable(&format!("original|{}", original.index()), sort.clone());
        if let Some(variable) = self.store.as_variable(copy) {
            self.originals.insert(variable, original);
        }
        copy
    }

    /// All originals with their copies.
    pub fn pairs(&self) -> impl Iterator<Item = (TermId, TermId)> {
        self.copies.iter().map(|(original, copy)| (*original, *copy))
    }

    /// A model of the copies as a model of the originals; variables that preparation added are dropped.
    pub fn model_of_originals(&self, model: &Model) -> Model {
        model.renamed(|variable| self.originals.get(&variable).copied())
    }
}
