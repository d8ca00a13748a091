//! Integer parameters beside the reals: lengths, orders, switches.
//!
//! Path conditions mix conjuncts over integers alone (`n = 3`, `k > 0`) with conjuncts over floats. The reals read only the
//! latter. The former are taken off, and some integers that satisfy them are looked for, first among the inputs at hand;
//! a candidate for the rest is completed with these.

use indexmap::IndexMap;
use labrys_program::InputLayout;
use labrys_solver::{FloatOutcome, FloatSolver, Limits};
use labrys_symex::{SiteExecution, leaf_variable};
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value, VariableId};
use num_traits::ToPrimitive;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The integer inputs of a comparison.
pub struct Integers {
    /// Variable, leaf and width in bits of each.
    leaves: Vec<(VariableId, usize, u32)>,
    /// Whether terms have no variables but integer inputs, and some of these.
    pure: FxHashMap<TermId, Purity>,
    /// Values that satisfy a condition over integers, where some are known; conditions in the order in which they came.
    witnesses: IndexMap<TermId, Option<Vec<u128>>, FxBuildHasher>,
}

/// Which variables occur in a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Purity {
    None,
    Integers,
    Others,
}

/// An execution whose path has lost its conjuncts over integers.
pub struct Split {
    /// The execution.
    pub execution: SiteExecution,
    /// The lost conjuncts' conjunction.
    pub integers: TermId,
}

impl Integers {
    /// The integer leaves of an input record.
    pub fn new(store: &mut Store, inputs: &InputLayout) -> Integers {
        let mut leaves = Vec::new();
        for (index, leaf) in inputs.leaves.iter().enumerate() {
            let term = leaf_variable(store, leaf);
            if let (&Sort::BitVec(width), Some(variable)) = (store.sort(term), store.as_variable(term)) {
                leaves.push((variable, index, width));
            }
        }
        Integers { leaves, pure: FxHashMap::default(), witnesses: IndexMap::default() }
    }

    /// The execution with the path's conjuncts over integers apart.
    pub fn split(&mut self, store: &mut Store, execution: &SiteExecution) -> Split {
        if self.leaves.is_empty() {
            return Split { execution: execution.clone(), integers: store.bool_const(true) };
        }
        let (mut integers, mut others) = (Vec::new(), Vec::new());
        let mut pending = vec![execution.path];
        while let Some(term) = pending.pop() {
            let node = store.node(term);
            if node.op == Op::And {
                pending.extend(node.args.iter().rev());
            } else if self.purity(store, term) == Purity::Integers {
                integers.push(term);
            } else {
                others.push(term);
            }
        }
        integers.sort_unstable();
        integers.dedup();
        let path = if integers.is_empty() { execution.path } else { store.and(&others) };
        Split { execution: SiteExecution { path, ..execution.clone() }, integers: store.and(&integers) }
    }

    fn purity(&mut self, store: &Store, root: TermId) -> Purity {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            let node = store.node(term);
            let before = pending.len();
            pending.extend(node.args.iter().filter(|arg| !self.pure.contains_key(arg)));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let own = match &node.op {
                Op::Variable(variable) if self.leaves.iter().any(|(leaf, ..)| leaf == variable) => Purity::Integers,
                Op::Variable(_) => Purity::Others,
                _ => node.args.iter().map(|arg| self.pure[arg]).max().unwrap_or(Purity::None),
            };
            self.pure.insert(term, own);
        }
        self.pure[&root]
    }

    /// Integers that satisfy a condition, in the order of their leaves: those of the first record of `known` that does,
    /// else what the solver finds. `None` where none are found.
    pub fn witness(
        &mut self,
        store: &Store,
        condition: TermId,
        inputs: &InputLayout,
        known: &[Vec<u8>],
        solver: &mut dyn FloatSolver,
    ) -> Option<Vec<u128>> {
        if let Some(found) = self.witnesses.get(&condition) {
            return found.clone();
        }
        let from_known = known.iter().map(|record| self.read(inputs, record));
        let found = from_known.into_iter().find(|values| self.hold(store, condition, values)).or_else(|| match solver
            .check_once(store, &[condition], &Limits::default())
        {
            FloatOutcome::Sat(model) => Some(self.of_model(&model)),
            FloatOutcome::Unsat(_) | FloatOutcome::Unknown(_) => None,
        });
        self.witnesses.insert(condition, found.clone());
        found
    }

    /// Whether a condition holds for these integers.
    pub fn hold(&self, store: &Store, condition: TermId, values: &[u128]) -> bool {
        let mut model = Model::new();
        for ((variable, _, width), value) in self.leaves.iter().zip(values) {
            model.set(*variable, Value::bit_vector(*width, *value));
        }
        Evaluator::new(store, &model).holds(condition) == Ok(true)
    }

    fn of_model(&self, model: &Model) -> Vec<u128> {
        let value =
            |variable: &VariableId| model.get(*variable).and_then(Value::as_bits).and_then(ToPrimitive::to_u128);
        self.leaves.iter().map(|(variable, ..)| value(variable).unwrap_or(0)).collect()
    }

    /// A record's integers.
    pub fn read(&self, inputs: &InputLayout, record: &[u8]) -> Vec<u128> {
        self.leaves.iter().map(|(_, leaf, _)| inputs.leaves[*leaf].read(record)).collect()
    }

    /// Puts integers into a record.
    pub fn write(&self, inputs: &InputLayout, values: &[u128], record: &mut [u8]) {
        for ((_, leaf, _), value) in self.leaves.iter().zip(values) {
            inputs.leaves[*leaf].write(record, *value);
        }
    }

    /// All distinct integers that witness some condition, in the order in which they were found.
    pub fn witnesses(&self) -> Vec<Vec<u128>> {
        let mut distinct: Vec<Vec<u128>> = Vec::new();
        for witness in self.witnesses.values().flatten() {
            if !distinct.contains(witness) {
                distinct.push(witness.clone());
            }
        }
        distinct
    }
}
