//! Inputs that a path is known to be taken by, and what terms are worth on them.
//!
//! A witness of a path condition says of each new condition for free which side of a branch it takes. Values of terms are
//! kept for the few witnesses that were asked last, since a path asks the same one again and again.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use labrys_term::{Evaluator, Memo, Model, TermId, Value, VariableId};

use crate::Values;

/// Witnesses whose values are kept.
const REMEMBERED: usize = 16;

/// A model of a path's condition. Variables that it does not mention are what this machine's libm gives, where they are about its
/// calls, and else zero.
#[derive(Debug)]
pub(crate) struct Witness {
    id: u64,
    inner: RefCell<Inner>,
}

#[derive(Debug)]
struct Inner {
    model: Model,
    /// So many of the store's variables have values: all that any term evaluated so far can contain.
    completed: usize,
}

/// Makes witnesses and evaluates terms under them.
#[derive(Debug, Default)]
pub(crate) struct Witnesses {
    made: u64,
    /// The one asked last is at the end.
    memos: VecDeque<(u64, Memo)>,
}

impl Witnesses {
    /// A witness with these values, which the store's first variables, so many, all have.
    pub(crate) fn make(&mut self, model: Model, completed: usize) -> Rc<Witness> {
        self.made += 1;
        Rc::new(Witness { id: self.made, inner: RefCell::new(Inner { model, completed }) })
    }

    /// A term's value; `None` where its theory leaves it open.
    pub(crate) fn value(&mut self, values: &Values<'_>, witness: &Witness, term: TermId) -> Option<Value> {
        let (store, libm) = (&*values.store, &values.libm);
        let mut inner = witness.inner.borrow_mut();
        if inner.completed < store.variable_count() {
            for variable in store.variables().skip(inner.completed) {
                if inner.model.get(variable).is_none() {
                    let value = libm.host(store, &inner.model, variable);
                    let value = value.unwrap_or_else(|| Value::zero(store.variable_info(variable).1));
                    inner.model.set(variable, value);
                }
            }
            inner.completed = store.variable_count();
        }
        let found = self.memos.iter().rposition(|(id, _)| *id == witness.id);
        let memo = found.and_then(|index| self.memos.remove(index)).map(|(_, memo)| memo).unwrap_or_default();
        let mut evaluator = Evaluator::resume(store, &inner.model, memo);
        let value = evaluator.value(term).ok();
        if self.memos.len() >= REMEMBERED {
            self.memos.pop_front();
        }
        self.memos.push_back((witness.id, evaluator.pause()));
        value
    }

    /// Whether a Bool term holds.
    pub(crate) fn holds(&mut self, values: &Values<'_>, witness: &Witness, term: TermId) -> Option<bool> {
        self.value(values, witness, term)?.as_bool()
    }
}

impl Witness {
    /// The same values but for those of `other` on `variables`; without what it says of open values, and without the values of `stale`. And
    /// how many of the store's variables, from the first on, all have values.
    pub(crate) fn updated(&self, other: &Model, variables: &[VariableId], stale: &[VariableId]) -> (Model, usize) {
        let inner = self.inner.borrow();
        let (mut model, completed) = match stale {
            [] => (inner.model.clone(), inner.completed),
            stale => (inner.model.renamed(|variable| (!stale.contains(&variable)).then_some(variable)), 0),
        };
        for &variable in variables {
            if let Some(value) = other.get(variable)
                && model.get(variable) != Some(value)
            {
                model.set(variable, value.clone());
            }
        }
        for (op, arguments, value) in other.open_values() {
            model.set_open(op.clone(), arguments.to_vec(), value.clone());
        }
        (model, completed)
    }

    /// Its model.
    pub(crate) fn model(&self) -> Model {
        self.inner.borrow().model.clone()
    }
}
