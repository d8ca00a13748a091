//! A query taken apart: constraints, inputs, and definitions of what hangs on the inputs.

use std::collections::BTreeSet;

use labrys_float::Format;
use labrys_term::{Op, Sort, Store, TermId, VariableId};
use num_traits::Zero;
use rustc_hash::{FxHashMap, FxHashSet};

use super::config::{Dependent, NonlinearConfig};
use super::grid::Grid;
use crate::Why;
use crate::conjuncts::{Literal, conjuncts};

/// A variable whose value is to be chosen.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub variable: VariableId,
    pub grid: Grid,
}

/// How a definition gives its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The root of the operand that is not negative.
    SquareRoot,
    /// The operand itself.
    Same,
    /// A function of the caller's: index of the dependent.
    Call(usize),
}

/// A variable whose value follows from others.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub variable: VariableId,
    pub operands: Vec<TermId>,
    pub kind: Kind,
}

/// A query, taken apart.
pub(super) struct Problem<'a> {
    pub store: &'a Store,
    pub dependents: &'a [Dependent],
    /// What must hold, conjunctions taken apart, definitions left out.
    pub literals: Vec<Literal>,
    pub inputs: Vec<Input>,
    /// Each after those it hangs on.
    pub definitions: Vec<Definition>,
    /// The inputs that each variable hangs on, by index, ascending.
    supports: FxHashMap<VariableId, BTreeSet<usize>>,
}

impl<'a> Problem<'a> {
    /// Takes the conjunction of `assertions` apart.
    ///
    /// # Errors
    ///
    /// If there are variables of another sort than Real, or definitions that hang on each other in a circle.
    pub fn read(
        store: &'a Store,
        assertions: &[TermId],
        dependents: &'a [Dependent],
        formats: &dyn Fn(VariableId) -> Option<Format>,
        config: &NonlinearConfig,
    ) -> Result<Problem<'a>, Why> {
        let literals = conjuncts(store, assertions.iter().map(|term| Literal { term: *term, holds: true }).collect());
        let is_input = |variable| formats(variable).is_some() || config.integers.contains_key(&variable);
        let mut definitions: Vec<Definition> = Vec::new();
        let mut defined: FxHashSet<VariableId> = FxHashSet::default();
        for (index, dependent) in dependents.iter().enumerate() {
            if defined.insert(dependent.variable) {
                let operands = dependent.operands.clone();
                definitions.push(Definition { variable: dependent.variable, operands, kind: Kind::Call(index) });
            }
        }
        let mut kept = Vec::new();
        for literal in &literals {
            match definition(store, *literal, &literals) {
                Some(definition) if !is_input(definition.variable) && defined.insert(definition.variable) => {
                    definitions.push(definition);
                }
                _ => kept.push(*literal),
            }
        }
        let mut problem = Problem {
            store,
            dependents,
            literals: kept,
            inputs: Vec::new(),
            definitions: Vec::new(),
            supports: FxHashMap::default(),
        };
        problem.order(definitions, &literals, &defined, formats, config)?;
        Ok(problem)
    }

    /// Finds the inputs and puts the definitions in order.
    fn order(
        &mut self,
        definitions: Vec<Definition>,
        literals: &[Literal],
        defined: &FxHashSet<VariableId>,
        formats: &dyn Fn(VariableId) -> Option<Format>,
        config: &NonlinearConfig,
    ) -> Result<(), Why> {
        // Definitions of variables that nothing asks for are left out.
        let mut pending: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let (mut needed, mut variables) = (FxHashSet::default(), BTreeSet::new());
        while !pending.is_empty() {
            let found = self.store.free_variables(&std::mem::take(&mut pending));
            for variable in found.into_iter().filter(|variable| variables.insert(*variable)) {
                if let Some(definition) = definitions.iter().find(|definition| definition.variable == variable) {
                    needed.insert(variable);
                    pending.extend(&definition.operands);
                }
            }
        }
        for variable in variables {
            let (name, sort) = self.store.variable_info(variable);
            if *sort != Sort::Real {
                return Err(Why::Unsupported(format!("variable {name} is not a real number")));
            }
            if defined.contains(&variable) {
                continue;
            }
            let grid = match config.integers.get(&variable) {
                Some((low, high)) => Grid::Integers(low.clone(), high.clone()),
                None => Grid::Floats(formats(variable).unwrap_or(Format::BINARY64)),
            };
            self.supports.insert(variable, BTreeSet::from([self.inputs.len()]));
            self.inputs.push(Input { variable, grid });
        }
        let mut open: Vec<Definition> =
            definitions.into_iter().filter(|definition| needed.contains(&definition.variable)).collect();
        while !open.is_empty() {
            let before = open.len();
            for definition in std::mem::take(&mut open) {
                let below = self.store.free_variables(&definition.operands);
                if below.iter().all(|variable| self.supports.contains_key(variable)) {
                    let support = self.support(&definition.operands);
                    self.supports.insert(definition.variable, support);
                    self.definitions.push(definition);
                } else {
                    open.push(definition);
                }
            }
            if open.len() == before {
                return Err(Why::Unsupported("functions that are applied to their own values".to_owned()));
            }
        }
        Ok(())
    }

    /// The inputs that terms hang on, by index.
    pub fn support(&self, terms: &[TermId]) -> BTreeSet<usize> {
        let variables = self.store.free_variables(terms);
        variables.iter().filter_map(|variable| self.supports.get(variable)).flatten().copied().collect()
    }

    /// Whether a variable's value hangs on an input's.
    pub fn hangs_on(&self, variable: VariableId, input: VariableId) -> bool {
        let on = |index: &usize| self.inputs[*index].variable == input;
        self.supports.get(&variable).is_some_and(|support| support.iter().any(on))
    }
}

/// What a literal defines: d·d = t for a d that the other literals say is not negative, or v = t.
fn definition(store: &Store, literal: Literal, literals: &[Literal]) -> Option<Definition> {
    let node = store.node(literal.term);
    let &[left, right] = node.args.as_slice() else { return None };
    if node.op != Op::Eq || !literal.holds || *store.sort(left) != Sort::Real {
        return None;
    }
    [(left, right), (right, left)].into_iter().find_map(|(side, operand)| {
        let (variable, kind) = match (store.as_variable(side), store.node(side)) {
            (Some(variable), _) => (variable, Kind::Same),
            (None, square) if square.op == Op::RealMul => match square.args.as_slice() {
                [a, b] if a == b && is_not_negative(store, *a, literals) => (store.as_variable(*a)?, Kind::SquareRoot),
                _ => return None,
            },
            _ => return None,
        };
        let is_circular = store.free_variables(&[operand]).contains(&variable);
        (!is_circular).then(|| Definition { variable, operands: vec![operand], kind })
    })
}

/// Whether a literal says 0 ≤ `term`.
fn is_not_negative(store: &Store, term: TermId, literals: &[Literal]) -> bool {
    literals.iter().any(|literal| {
        let node = store.node(literal.term);
        let sides = match (&node.op, literal.holds) {
            (Op::RealLe | Op::RealLt, true) => (node.args.first(), node.args.get(1)),
            (Op::RealLe | Op::RealLt, false) => (node.args.get(1), node.args.first()),
            _ => return false,
        };
        let (Some(low), Some(high)) = sides else { return false };
        node.args.len() == 2 && *high == term && matches!(&store.node(*low).op, Op::RealConst(c) if c.is_zero())
    })
}
