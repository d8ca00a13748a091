//! Models of prepared conjunctions, brought back to the original ones.
//!
//! Steps are undone from the last to the first. When a step is undone, everything that its terms contain has its final
//! value already, or may have any and gets zero; so each term is evaluated once, and values found stay right.

use std::sync::Arc;

use labrys_float::{Float, Format};
use labrys_term::{ArrayValue, EvalError, Evaluator, Memo, Model, Op, Sort, Store, TermId, Value, VariableId};
use num_traits::ToPrimitive;
use rustc_hash::FxHashSet;

/// One removal, and how it is undone.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The variable was replaced by a term: it has the term's value.
    Define(VariableId, TermId),
    /// The float variable was replaced by a place among values and a truth value that says that it is NaN instead.
    Place { variable: VariableId, nan: TermId, place: TermId, values: Arc<[Float]> },
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
    /// Minima and maxima whose value at two different zeros matters nowhere: the lesser and the greater one.
    pub(super) unseen: Vec<(Op, Format)>,
    pub(super) arrays: Vec<Elements>,
    pub(super) open: Vec<OpenValue>,
    /// Steps taken after, in order.
    pub(super) after: Vec<Step>,
}

impl Reconstruction {
    /// A model of the original conjunction, from one of the prepared one. Variables that neither needs may be missing;
    /// variables that preparation added stay.
    pub fn model(&self, store: &Store, model: Model) -> Model {
        let mut undo = Undo { store, model, memo: Memo::default(), completed: FxHashSet::default(), settles: false };
        for (op, format) in &self.unseen {
            let zeros = [true, false].map(|negative| Value::Float(Float::zero(*format, negative)));
            let result = &zeros[usize::from(*op == Op::FpMax)];
            for args in [[0, 1], [1, 0]] {
                undo.model.set_open(op.clone(), args.map(|i: usize| zeros[i].clone()).to_vec(), result.clone());
            }
        }
        for step in self.after.iter().rev() {
            undo.step(step);
        }
        for array in &self.arrays {
            undo.array(array);
        }
        for open in &self.open {
            undo.open(open);
        }
        undo.settles = true;
        undo.memo = Memo::default();
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
    /// Whether all open values that the query needs are known, so that others may be chosen.
    settles: bool,
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
        loop {
            let mut evaluator = Evaluator::resume(self.store, &self.model, std::mem::take(&mut self.memo));
            let value = evaluator.value(term);
            self.memo = evaluator.pause();
            match value {
                Ok(value) => return value,
                Err(EvalError::Open(open)) if self.settles => self.settle(open),
                // A value that is open here is one that does not matter.
                Err(_) => return Value::zero(self.store.sort(term)),
            }
        }
    }

    /// Chooses the value of an application that the query itself did not contain; its arguments have theirs.
    fn settle(&mut self, open: TermId) {
        let node = self.store.node(open).clone();
        let args = self.values(&node.args);
        self.model.set_open(node.op, args, Value::zero(&node.sort));
        // It holds errors that are none any more.
        self.memo = Memo::default();
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
            Step::Place { variable, nan, place, values } => {
                let Sort::Float(format) = *self.store.variable_info(*variable).1 else { return };
                let (is_nan, place) = (self.value(*nan) == Value::Bool(true), self.value(*place));
                let value = match place {
                    Value::BitVec { bits, .. } if !is_nan => bits.to_usize().and_then(|place| values.get(place)),
                    _ => None,
                };
                let value = value.cloned().unwrap_or_else(|| Float::nan(format));
                self.model.set(*variable, Value::float(value));
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
