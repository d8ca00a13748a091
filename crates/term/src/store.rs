//! The arena in which terms are hash-consed behind one constructor, [`Store::mk`].

use indexmap::IndexSet;
use labrys_float::{Float, Format, RoundingMode};
use num_bigint::BigUint;
use num_rational::BigRational;
use rustc_hash::{FxBuildHasher, FxHashSet};
use smallvec::SmallVec;

use crate::{Op, Sort, TermId, Value, VariableId};

/// An operator applied to arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operator.
    pub op: Op,
    /// Its arguments, all older than this node.
    pub args: SmallVec<[TermId; 3]>,
    /// The sort of the whole.
    pub sort: Sort,
}

/// A request for a term that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{op:?} does not apply to {sorts:?}")]
pub struct IllSorted {
    /// The operator.
    pub op: Op,
    /// The sorts of the arguments it was given.
    pub sorts: Vec<Sort>,
}

/// All terms of one analysis. Append-only: a `TermId` stays valid, and arguments precede the terms that use them.
#[derive(Clone, Debug, Default)]
pub struct Store {
    nodes: IndexSet<Node, FxBuildHasher>,
    /// For each node whether a variable occurs in it.
    has_variables: Vec<bool>,
    /// Name and sort of each variable; names are unique.
    variables: indexmap::IndexMap<String, Sort, FxBuildHasher>,
}

impl Store {
    /// An empty store.
    pub fn new() -> Store {
        Store::default()
    }

    /// The term `op(args)`, structurally: nothing is simplified, equal requests give the same id.
    ///
    /// # Panics
    ///
    /// If arity or sorts do not fit the operator; text from outside is read with [`Store::try_mk`].
    pub fn mk(&mut self, op: Op, args: &[TermId]) -> TermId {
        match self.try_mk(op, args) {
            Ok(term) => term,
            Err(error) => panic!("{error}"),
        }
    }

    /// The term `op(args)`, or why there is none: arity or sorts do not fit, or the operator is a variable or a
    /// bit-vector literal, which have their own constructors.
    pub fn try_mk(&mut self, op: Op, args: &[TermId]) -> Result<TermId, IllSorted> {
        let sorts: SmallVec<[&Sort; 8]> = args.iter().map(|&arg| self.sort(arg)).collect();
        let Some(sort) = op.result_sort(&sorts) else {
            return Err(IllSorted { op, sorts: sorts.into_iter().cloned().collect() });
        };
        drop(sorts);
        Ok(self.intern(op, args, sort))
    }

    fn intern(&mut self, op: Op, args: &[TermId], sort: Sort) -> TermId {
        let has_variables = matches!(op, Op::Variable(_)) || args.iter().any(|arg| self.has_variables[arg.index()]);
        let (index, is_new) = self.nodes.insert_full(Node { op, args: SmallVec::from_slice(args), sort });
        if is_new {
            self.has_variables.push(has_variables);
        }
        TermId(index as u32)
    }

    /// The variable called `name`, declared with `sort` if it is new.
    ///
    /// # Panics
    ///
    /// If `name` is declared with another sort.
    pub fn variable(&mut self, name: &str, sort: Sort) -> TermId {
        let (index, old) = match self.variables.get_full(name) {
            Some((index, _, old)) => (index, Some(old)),
            None => (self.variables.insert_full(name.to_owned(), sort.clone()).0, None),
        };
        assert!(old.is_none_or(|old| *old == sort), "variable {name} has two sorts");
        self.intern(Op::Variable(VariableId(index as u32)), &[], sort)
    }

    /// A truth value.
    pub fn bool_const(&mut self, value: bool) -> TermId {
        self.mk(Op::BoolConst(value), &[])
    }

    /// A bit-vector literal of `width` bits; higher bits of `value` are dropped.
    pub fn bv_const(&mut self, width: u32, value: impl Into<BigUint>) -> TermId {
        let mask = (BigUint::from(1u8) << width) - 1u8;
        self.intern(Op::BitVecConst(value.into() & mask), &[], Sort::BitVec(width))
    }

    /// A floating-point literal.
    pub fn float_const(&mut self, value: Float) -> TermId {
        self.mk(Op::FloatConst(value), &[])
    }

    /// A real literal.
    pub fn real_const(&mut self, value: BigRational) -> TermId {
        self.mk(Op::RealConst(value), &[])
    }

    /// A rounding-mode literal.
    pub fn rounding_mode(&mut self, mode: RoundingMode) -> TermId {
        self.mk(Op::RoundingModeConst(mode), &[])
    }

    /// The literal of a value; `None` for arrays, which have none.
    pub fn literal(&mut self, value: &Value) -> Option<TermId> {
        Some(match value {
            Value::Bool(value) => self.bool_const(*value),
            Value::BitVec { width, bits } => self.bv_const(*width, bits.clone()),
            Value::Float(value) => self.float_const(value.clone()),
            Value::RoundingMode(mode) => self.rounding_mode(*mode),
            Value::Real(value) => self.real_const(value.clone()),
            Value::Array(_) => return None,
        })
    }

    /// The conjunction of `terms`: true for none, the term itself for one.
    pub fn and(&mut self, terms: &[TermId]) -> TermId {
        match terms {
            [] => self.bool_const(true),
            [one] => *one,
            _ => self.mk(Op::And, terms),
        }
    }

    /// The disjunction of `terms`: false for none, the term itself for one.
    pub fn or(&mut self, terms: &[TermId]) -> TermId {
        match terms {
            [] => self.bool_const(false),
            [one] => *one,
            _ => self.mk(Op::Or, terms),
        }
    }

    /// The negation of `term`.
    pub fn not(&mut self, term: TermId) -> TermId {
        self.mk(Op::Not, &[term])
    }

    /// The node behind an id.
    pub fn node(&self, term: TermId) -> &Node {
        &self.nodes[term.index()]
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> &Sort {
        &self.node(term).sort
    }

    /// The format of a Float term, `None` for other sorts.
    pub fn float_format(&self, term: TermId) -> Option<Format> {
        match self.sort(term) {
            Sort::Float(format) => Some(*format),
            _ => None,
        }
    }

    /// A variable's name and sort.
    pub fn variable_info(&self, variable: VariableId) -> (&str, &Sort) {
        let (name, sort) = self.variables.get_index(variable.index()).expect("ids come from this store");
        (name, sort)
    }

    /// The variable that a term is, `None` for other terms.
    pub fn as_variable(&self, term: TermId) -> Option<VariableId> {
        match self.node(term).op {
            Op::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// The rounding mode that a term is, `None` for other terms, one that is not known among them.
    pub fn as_rounding_mode(&self, term: TermId) -> Option<RoundingMode> {
        match self.node(term).op {
            Op::RoundingModeConst(mode) => Some(mode),
            _ => None,
        }
    }

    /// The variable of a name, if it is declared.
    pub fn find_variable(&self, name: &str) -> Option<VariableId> {
        self.variables.get_index_of(name).map(|index| VariableId(index as u32))
    }

    /// The term that a variable is.
    pub fn variable_term(&mut self, variable: VariableId) -> TermId {
        let sort = self.variable_info(variable).1.clone();
        self.intern(Op::Variable(variable), &[], sort)
    }

    /// How many variables there are; their ids are 0 to this, excluded, in order of declaration.
    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// All variables, in order of declaration.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> + use<> {
        (0..self.variables.len() as u32).map(VariableId)
    }

    /// All terms that `roots` consist of, arguments before the terms that use them, each once.
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut pending: Vec<TermId> = roots.to_vec();
        let mut found = Vec::new();
        while let Some(term) = pending.pop() {
            if seen.insert(term) {
                found.push(term);
                pending.extend_from_slice(&self.node(term).args);
            }
        }
        // Arguments are older than the terms that use them, so that ascending order is topological.
        found.sort_unstable();
        found
    }

    /// Whether a variable occurs in a term.
    pub fn has_variables(&self, term: TermId) -> bool {
        self.has_variables[term.index()]
    }

    /// The variables that `roots` contain, in order of declaration.
    pub fn free_variables(&self, roots: &[TermId]) -> Vec<VariableId> {
        let terms = self.reachable(roots);
        let mut variables: Vec<_> = terms.iter().filter_map(|&term| self.as_variable(term)).collect();
        variables.sort_unstable();
        variables
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no term yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
