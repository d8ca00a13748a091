//! Assignments of values to variables.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::{Op, Store, TermId, Value, VariableId};

/// Values of some of a store's variables, and of operators where their theories leave them open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<VariableId, Value>,
    /// What operators are where their theories leave it open, by arguments.
    open: IndexMap<(Op, Vec<Value>), Value, FxBuildHasher>,
}

impl Model {
    /// A model that says nothing.
    pub fn new() -> Model {
        Model::default()
    }

    /// Gives a variable a value, its old one forgotten.
    pub fn set(&mut self, variable: VariableId, value: Value) {
        self.values.insert(variable, value);
    }

    /// Gives the variable that `term` is a value; false, and nothing happens, if it is none.
    pub fn set_term(&mut self, store: &Store, term: TermId, value: Value) -> bool {
        store.as_variable(term).map(|variable| self.set(variable, value)).is_some()
    }

    /// A variable's value.
    pub fn get(&self, variable: VariableId) -> Option<&Value> {
        self.values.get(&variable)
    }

    /// Gives every variable of `terms` that has no value the zero of its sort ([`Value::zero`]).
    pub fn complete(&mut self, store: &Store, terms: &[TermId]) {
        for variable in store.free_variables(terms) {
            self.values.entry(variable).or_insert_with(|| Value::zero(store.variable_info(variable).1));
        }
    }

    /// Says what `op` of `arguments` is, where its theory leaves that open: `fp.min` and `fp.max` of zeros of different
    /// signs, `fp.to_ubv` and `fp.to_sbv` out of range, `fp.to_real` of infinities and NaN, division by zero over the
    /// reals. Everywhere else the evaluator passes over what is said here.
    pub fn set_open(&mut self, op: Op, arguments: Vec<Value>, value: Value) {
        self.open.insert((op, arguments), value);
    }

    /// What [`Model::set_open`] said.
    pub fn open(&self, op: &Op, arguments: &[&Value]) -> Option<&Value> {
        if self.open.is_empty() {
            return None;
        }
        self.open.get(&(op.clone(), arguments.iter().map(|value| (*value).clone()).collect::<Vec<_>>()))
    }

    /// All that [`Model::set_open`] said, in the order in which it was first said.
    pub fn open_values(&self) -> impl Iterator<Item = (&Op, &[Value], &Value)> {
        self.open.iter().map(|((op, arguments), value)| (op, arguments.as_slice(), value))
    }

    /// The same values for other variables: of another store, say. Variables for which `rename` has none are dropped.
    pub fn renamed(&self, rename: impl Fn(VariableId) -> Option<VariableId>) -> Model {
        let renamed = |(variable, value): (&VariableId, &Value)| Some((rename(*variable)?, value.clone()));
        Model { values: self.values.iter().filter_map(renamed).collect(), open: self.open.clone() }
    }

    /// All values, in the store's order of variables.
    pub fn iter(&self) -> impl Iterator<Item = (VariableId, &Value)> {
        self.values.iter().map(|(variable, value)| (*variable, value))
    }

    /// How many variables have values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no variable has a value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl FromIterator<(VariableId, Value)> for Model {
    fn from_iter<I: IntoIterator<Item = (VariableId, Value)>>(values: I) -> Model {
        Model { values: values.into_iter().collect(), open: IndexMap::default() }
    }
}
