//! Assignments of values to variables.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::{Op, Store, TermId, Value, VariableId};

/// Variables in a chunk, and chunks in a group.
const CHUNK: usize = 16;
const GROUP: usize = 32;

type Chunk = [Option<Value>; CHUNK];
type Group = [Option<Arc<Chunk>>; GROUP];

/// Values by variable, in groups of chunks that copies share until one of them changes: symbolic execution keeps a model for each path that
/// waits, and paths differ in few variables.
#[derive(Clone, Debug, Default)]
struct Values {
    groups: Vec<Option<Arc<Group>>>,
    /// How many there are.
    length: usize,
}

impl Values {
    fn get(&self, variable: VariableId) -> Option<&Value> {
        let (chunk, place) = (variable.index() / CHUNK, variable.index() % CHUNK);
        self.groups.get(chunk / GROUP)?.as_ref()?[chunk % GROUP].as_ref()?[place].as_ref()
    }

    fn insert(&mut self, variable: VariableId, value: Value) {
        let (chunk, place) = (variable.index() / CHUNK, variable.index() % CHUNK);
        if self.groups.len() <= chunk / GROUP {
            self.groups.resize(chunk / GROUP + 1, None);
        }
        let group = Arc::make_mut(self.groups[chunk / GROUP].get_or_insert_default());
        let chunk = Arc::make_mut(group[chunk % GROUP].get_or_insert_default());
        self.length += usize::from(chunk[place].replace(value).is_none());
    }

    /// All, ascending.
    fn iter(&self) -> impl Iterator<Item = (VariableId, &Value)> {
        let groups = self.groups.iter().enumerate().filter_map(|(index, group)| Some((index, group.as_ref()?)));
        let chunks = groups.flat_map(|(index, group)| {
            let chunks = group.iter().enumerate().map(move |(place, chunk)| (index * GROUP + place, chunk));
            chunks.filter_map(|(index, chunk)| Some((index, chunk.as_ref()?)))
        });
        chunks.flat_map(|(index, chunk)| {
            let id = move |place: usize| VariableId((index * CHUNK + place) as u32);
            chunk.iter().enumerate().filter_map(move |(place, value)| Some((id(place), value.as_ref()?)))
        })
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Values) -> bool {
        self.length == other.length && self.iter().eq(other.iter())
    }
}

impl Eq for Values {}

impl FromIterator<(VariableId, Value)> for Values {
    fn from_iter<I: IntoIterator<Item = (VariableId, Value)>>(values: I) -> Values {
        let mut all = Values::default();
        values.into_iter().for_each(|(variable, value)| all.insert(variable, value));
        all
    }
}

/// Values of some of a store's variables, and of operators where their theories leave them open. Copies share what they have in
/// common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: Values,
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
        self.values.get(variable)
    }

    /// Gives every variable of `terms` that has no value the zero of its sort ([`Value::zero`]).
    pub fn complete(&mut self, store: &Store, terms: &[TermId]) {
        for variable in store.free_variables(terms) {
            if self.values.get(variable).is_none() {
                self.values.insert(variable, Value::zero(store.variable_info(variable).1));
            }
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
        let renamed = |(variable, value): (VariableId, &Value)| Some((rename(variable)?, value.clone()));
        Model { values: self.values.iter().filter_map(renamed).collect(), open: self.open.clone() }
    }

    /// All values, in the store's order of variables.
    pub fn iter(&self) -> impl Iterator<Item = (VariableId, &Value)> {
        self.values.iter()
    }

    /// How many variables have values.
    pub fn len(&self) -> usize {
        self.values.length
    }

    /// Whether no variable has a value.
    pub fn is_empty(&self) -> bool {
        self.values.length == 0
    }
}

impl FromIterator<(VariableId, Value)> for Model {
    fn from_iter<I: IntoIterator<Item = (VariableId, Value)>>(values: I) -> Model {
        Model { values: values.into_iter().collect(), open: IndexMap::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    #[test]
    fn copies_are_independent_and_equal_as_long_as_their_values_are() {
        let mut store = Store::new();
        let all: Vec<VariableId> = (0..1069)
            .map(|i| {
                let term = store.variable(&format!("v{i}"), Sort::BitVec(8));
                store.as_variable(term).unwrap()
            })
            .collect();
        let mut model = Model::new();
        for &variable in all.iter().rev().step_by(3) {
            model.set(variable, Value::bit_vector(8, 1u8));
        }
        assert_eq!(model.len(), 357);
        let mut copy = model.clone();
        assert_eq!(copy, model);
        copy.set(all[1068], Value::bit_vector(8, 2u8));
        copy.set(all[1], Value::bit_vector(8, 3u8));
        assert_eq!((model.len(), copy.len()), (357, 358));
        assert_eq!(model.get(all[1068]), Some(&Value::bit_vector(8, 1u8)));
        assert_eq!(model.get(all[1]), None);
        assert_ne!(copy, model);
        let order: Vec<VariableId> = copy.iter().map(|(variable, _)| variable).collect();
        assert!(order.is_sorted() && order.len() == 358);
        // Room for variables without values makes no difference.
        let few = Model::from_iter([(all[0], Value::bit_vector(8, 1u8))]);
        assert_eq!(model.renamed(|variable| (variable == all[0]).then_some(variable)), few);
    }
}
