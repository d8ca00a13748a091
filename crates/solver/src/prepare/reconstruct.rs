//! Models of prepared conjunctions, brought back to the original ones.
//!
//! Steps are undone from the last to the first. When a step is undone, everything that its terms contain has its final
//! value already, or may have any and gets zero; so each term is evaluated once, and values found stay right.

use labrys_term::{ArrayValue, Evaluator, Memo, Model, Op, Sort, Store, TermId, Value, VariableId};
use rustc_hash::FxHashSet;

/// One removal, and how it is undone.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The variable was replaced by a term: it has the term's value.
    Define(VariableId, TermId),
}

/// An application of an operator where its theory leaves the value open, and the term that stands for the value.
#[derive(Clone, Debug)]
pub(super) struct OpenValue {
    pub op: Op,
    pub args: Vec<TermId>,
    pub value: TermId,
}

/// What is known of an array variable that was replaced by its elements.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    pub variable: VariableId,
    /// The elements at no index in `reads`, where that matters.
    pub elsewhere: Option<TermId>,
    /// Indices and elements.
    pub reads: Vec<(TermId, TermId)>,
}

/// The way of models back to the original conjunction.
#[derive(Clone, Debug, Default)]
pub struct Reconstruction {
    /// Steps taken before open values and arrays were replaced, in order.
    pub(super) before: Vec<Step>,
    pub(super) arrays: Vec<Elements>,
    pub(super) open: Vec<OpenValue>,
    /// Steps taken after, in order.
    pub(super) after: Vec<Step>,
}

impl Reconstruction {
    /// A model of the original conjunction, from one of the prepared one. Variables that neither needs may be missing;
    /// variables that preparation added stay.
    pub fn model(&self, store: &Store, model: Model) -> Model {
        let mut undo = Undo { store, model, memo: Memo::default(), completed: FxHashSet::default() };
        for step in self.after.iter().rev() {
            undo.step(step);
        }
        for array in &self.arrays {
            undo.array(array);
        }
        for open in &self.open {
            undo.open(open);
        }
        for step in self.before.iter().rev() {
            undo.step(step);
        }
        undo.model
    }
}

/// A model that grows.
struct Undo<'a> {
    store: &'a Store,
    model: Model,
    memo: Memo,
    /// Terms whose variables have values.
    completed: FxHashSet<TermId>,
}

impl Undo<'_> {
    /// The values of terms. Variables that have none yet may have any: they get zero.
    fn values(&mut self, terms: &[TermId]) -> Vec<Value> {
        let mut values = Vec::with_capacity(terms.len());
        for &term in terms {
            values.push(self.value(term));
        }
        values
    }

    fn value(&mut self, term: TermId) -> Value {
        self.complete(term);
        let mut evaluator = Evaluator::resume(self.store, &self.model, std::mem::take(&mut self.memo));
        // A value that is open here is one that does not matter.
        let value = evaluator.value(term).unwrap_or_else(|_| Value::zero(self.store.sort(term)));
        self.memo = evaluator.pause();
        value
    }

    /// Gives values to the variables below `term` that have none.
    fn complete(&mut self, term: TermId) {
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if !self.completed.insert(term) {
                continue;
            }
            let node = self.store.node(term);
            if let Op::Variable(variable) = node.op
                && self.model.get(variable).is_none()
            {
                self.model.set(variable, Value::zero(&node.sort));
            }
            pending.extend_from_slice(&node.args);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Define(variable, term) => {
                let value = self.value(*term);
                self.model.set(*variable, value);
            }
        }
    }

    fn array(&mut self, array: &Elements) {
        let Sort::Array(sorts) = self.store.variable_info(array.variable).1 else { return };
        let elsewhere = array.elsewhere.map_or_else(|| Value::zero(&sorts.1), |term| self.value(term));
        let mut value = ArrayValue::constant(sorts.0.clone(), elsewhere);
        for &(index, element) in &array.reads {
            let (index, element) = (self.value(index), self.value(element));
            value.set(index, element);
        }
        self.model.set(array.variable, Value::Array(Box::new(value)));
    }

    fn open(&mut self, open: &OpenValue) {
        let args = self.values(&open.args);
        let value = self.value(open.value);
        self.model.set_open(open.op.clone(), args, value);
    }
}
